// Bundles a program written in TypeScript into a temporary folder and runs it there, in a process of its own.
import { build } from "esbuild"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { notBundled, sources } from "./sources.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/** Starts `entry` (from the root) with arguments, with a channel for messages; `ended` resolves with its exit code. */
export const startBundled = async (entry, args) => {
  const folder = mkdtempSync(join(tmpdir(), "belltower-bundle-"))
  const outfile = join(folder, "bench.js")
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  symlinkSync(join(root, "dist/judgeThread.js"), join(folder, "judgeThread.js"))
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    banner: {
      js: "import { createRequire as __createRequire } from \"node:module\"; const require = __createRequire(import.meta.url);"
    },
    external: notBundled,
    plugins: [sources(root)],
    logLevel: "warning"
  })
  const flags = process.env.BENCH_NODE_FLAGS?.split(" ") ?? []
  const child = spawn(process.execPath, [...flags, outfile, ...args.map(String)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"]
  })
  const ended = new Promise((resolve) =>
    child.once("exit", (code) => {
      rmSync(folder, { recursive: true, force: true })
      resolve(code)
    })
  )
  return { child, ended }
}

/** Runs `entry` (from the root) with arguments; resolves when it has ended well. */
export const runBundled = async (entry, args) => {
  const { ended } = await startBundled(entry, args)
  const code = await ended
  if (code !== 0) throw new Error(`${entry} ended with ${code}`)
}
