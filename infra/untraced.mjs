// Compiles `Effect.fn("Name")` of a generator to `Effect.fnUntraced`. The program makes its spans by hand, and for each call `Effect.fn`
// captures a stack trace and copies the context for one: 50 µs, more than many calls do themselves. Tests run the sources as they are.
import { readFileSync } from "node:fs"
import { join, sep } from "node:path"

/** `Effect.fnUntraced` takes only generators. */
const traced = /\bEffect\.fn\("[^"]*"\)\((?=\s*function\*)/g

/** An esbuild plugin for the sources below `root`. */
export const untraced = (root) => ({
  name: "untraced",
  setup: (build) =>
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!["schema", "src", "cluster"].some((folder) => path.startsWith(join(root, folder) + sep))) return
      return {
        contents: readFileSync(path, "utf8").replace(traced, "Effect.fnUntraced("),
        loader: "ts"
      }
    })
})
