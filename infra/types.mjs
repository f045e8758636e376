/**
 * Checks all types, and the use of Effect by the rules of its language service, in one pass of the native compiler that carries those
 * rules. `node infra/types.mjs`.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const command = join(root, "node_modules/.bin/effect-tsgo")
const compiler = execFileSync(command, ["get-exe-path"], { encoding: "utf8" }).trim()

for (const project of [root, join(root, "src/dashboard/islands")]) {
  const { status } = spawnSync(compiler, ["--noEmit", "--project", project], { stdio: "inherit" })
  if (status !== 0) process.exitCode = status ?? 1
}
