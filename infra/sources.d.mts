import type { Plugin } from "esbuild"

export const sources: (root: string) => Plugin
export const notBundled: Array<string>
