// Bundles src/main.ts into dist/belltower.js, the code of threads and sandbox processes beside it, and the scripts of the dashboard in
// dist/assets. With --if-stale, only when a source is newer than the bundles.
import { build } from "esbuild"
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { notBundled, sources } from "./sources.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const program = { belltower: "src/main.ts" }
/** What runs in threads and in processes that are shut in: each is one file, which reads nothing beside it. */
const alone = {
  documentThread: "src/external/document/DocumentThread.ts",
  judgeThread: "src/probe/judging/JudgeThread.ts",
  isolationTrial: "src/probe/isolation/TrialProcess.ts",
  scriptSandbox: "src/probe/script/SandboxProcess.ts",
  browserLauncher: "src/probe/browser/LauncherProcess.ts"
}
const outdir = join(root, "dist")
const parts = join(outdir, "parts")

const newest = (path) => {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}

const isFresh = () => {
  const built = Object.keys({ ...program, ...alone }).map((name) =>
    statSync(join(outdir, `${name}.js`), { throwIfNoEntry: false })?.mtimeMs ?? 0
  )
  const read = ["schema", "src", "cluster", "infra", "package.json", "package-lock.json"]
  return read.every((path) => newest(join(root, path)) <= Math.min(...built))
}

/**
 * V8 keeps a source as it was read, with two bytes for each character if one of them needs two. esbuild escapes those in texts; the
 * others are in patterns, where an escape means the same, and in comments.
 */
const escapeWideCharacters = (path) => {
  const text = readFileSync(path, "utf8")
  const escaped = text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  if (escaped !== text) writeFileSync(path, escaped)
}

if (!(process.argv.includes("--if-stale") && isFresh())) {
  const forNode = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    sourcemap: "linked",
    legalComments: "external",
    // CommonJS dependencies call require() for Node's own modules.
    banner: {
      js:
        "#!/usr/bin/env node\nimport { createRequire as __createRequire } from \"node:module\"; const require = __createRequire(import.meta.url);"
    },
    external: notBundled,
    plugins: [sources(root)],
    logLevel: "warning"
  }
  const [{ metafile }] = await Promise.all([
    // In parts, so that each command loads only what it needs.
    build({ ...forNode, entryPoints: program, splitting: true, chunkNames: "parts/[name]-[hash]", metafile: true }),
    build({ ...forNode, entryPoints: alone })
  ])
  for (const path of Object.keys(metafile.outputs)) if (path.endsWith(".js")) escapeWideCharacters(join(root, path))
  // Their names change with their content, so the ones of the last build go.
  const made = new Set(Object.keys(metafile.outputs).map((path) => join(root, path)))
  for (const path of readdirSync(parts).map((name) => join(parts, name))) if (!made.has(path)) rmSync(path)
  // The scripts of the dashboard. Their names change with their content, so the ones of the last build go.
  const assets = join(outdir, "assets")
  rmSync(assets, { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: { app: "src/dashboard/islands/App.ts" },
    outdir: assets,
    bundle: true,
    splitting: true,
    minify: true,
    platform: "browser",
    target: "es2022",
    format: "esm",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    legalComments: "none",
    logLevel: "warning"
  })
}
