/**
 * Compiles the sources file by file into `dist/modules`, where Node loads them itself. Vitest would wrap each module and load it over
 * its own protocol in every worker: for 1,600 modules and each test file, that takes twice as long. `vi.mock` does not reach
 * modules that Node loads.
 */
import { build, type Plugin as Compiler } from "esbuild"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative, sep } from "node:path"
import type { Plugin } from "vitest/config"

declare global {
  /** Shared, since Vitest evaluates its configuration once for each project. */
  var compilation: Promise<void> | undefined
}

const folders = ["schema", "src", "cluster", join("infra", "migrations")]
const extension = /\.tsx?$/

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : []
  )

const require = createRequire(import.meta.url)

const compiler: Compiler = {
  name: "file by file",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^\..*\.tsx?$/ }, ({ path }) => ({ path: path.replace(extension, ".js"), external: true }))
    // Node does not find the named exports of this CommonJS package; Vitest and bundlers do.
    onResolve(
      { filter: /^kafkajs$/ },
      ({ namespace, path }) => namespace === "commonjs" ? { path, external: true } : { path, namespace: "commonjs" }
    )
    onLoad({ filter: /./, namespace: "commonjs" }, ({ path }) => ({
      contents: `import all from "${path}"\nexport const { ${Object.keys(require(path)).join(", ")} } = all`
    }))
  }
}

const readIfExists = (file: string): string | null => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return null
  }
}

/** Writes the files that have changed and removes those whose source is gone: another run may be reading them. */
const compile = async (root: string, outdir: string): Promise<void> => {
  const sources = folders.flatMap((folder) => filesIn(join(root, folder))).filter((file) =>
    extension.test(file) && !file.endsWith(".d.ts")
  )
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [...sources],
    outbase: root,
    outdir,
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node22",
    format: "esm",
    jsx: "automatic",
    plugins: [compiler],
    write: false,
    logLevel: "warning"
  })
  const current = new Set(outputFiles.map(({ path }) => path))
  for (const { path, text } of outputFiles) {
    if (readIfExists(path) === text) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  // Where sources look for the code of threads and for assets, from their folder.
  if (!existsSync(join(outdir, "dist"))) symlinkSync("..", join(outdir, "dist"))
  // Folder by folder: Node's listing follows the link above.
  for (const file of folders.flatMap((folder) => filesIn(join(outdir, folder)))) {
    if (file.endsWith(".js") && !current.has(file)) rmSync(file)
  }
}

/** A plugin that has tests import the compiled sources below `root`. */
export const compiledSources = (root: string): Plugin => {
  const outdir = join(root, "dist", "modules")
  const isSource = (file: string): boolean => folders.some((folder) => file.startsWith(join(root, folder) + sep))
  return {
    name: "compiled sources",
    enforce: "pre",
    buildStart: () => globalThis.compilation ??= compile(root, outdir),
    resolveId: (source, importer) => {
      if (importer === undefined || !source.startsWith(".") || !extension.test(source)) return null
      const file = join(dirname(importer), source)
      return isSource(file) ? { id: join(outdir, relative(root, file)).replace(extension, ".js"), external: true } : null
    }
  }
}
