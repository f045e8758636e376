/** Finds the files that the build puts beside the program. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The path of a file in `dist`, from the bundled program, a part of it or its sources; null if it is not built. */
export const bundledFile = (name: string): string | null =>
  [`./${name}`, `../${name}`, `../../../dist/${name}`].map((place) => new URL(place, import.meta.url))
    .map((place) => fileURLToPath(place))
    .find((path) => existsSync(path)) ?? null
