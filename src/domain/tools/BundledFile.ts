/** Finds the files that the build puts beside the program. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The path of a file in `dist`, from the bundled program, a part of it or its sources; null if it is not built. */
export const bundledFile = (name: string): string | null =>
  [`./${name}`, `../${name}`, `../../../dist/${name}`].map((path) => new URL(path, import.meta.url))
    .map((path) => fileURLToPath(path))
    .find((path) => existsSync(path)) ?? null
