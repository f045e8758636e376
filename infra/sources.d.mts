import type { Plugin } from "esbuild"

export const sources: (root: string) => Plugin
