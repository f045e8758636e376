/** Finds the files that the build puts beside the program. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The path of a file in `dist`, from the bundled program or from its sources; null if it is not built. */
export const bundledFile = (name: string): string | null =>
  [new URL(`./${name}`, import.meta.url), new URL(`../../../dist/${name}`, import.meta.url)]
    .map((place) => fileURLToPath(place))
    .find((path) => existsSync(path)) ?? null
