/**
 * Checks all types, and the use of Effect by the rules of its language service, in one pass of the native compiler that carries those
 * rules. npx fetches it once. `node infra/types.mjs`.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const packages = ["@effect/tsgo@0.45.0", "typescript@7.0.2"]

const answer = execFileSync(
  "npx",
  [
    "--yes",
    ...packages.map((name) => `--package=${name}`),
    "--",
    "sh",
    "-c",
    "cd \"$(dirname \"$(command -v effect-tsgo)\")\" && effect-tsgo get-exe-path"
  ],
  { cwd: root, encoding: "utf8" }
)
const compiler = answer.trim()

for (const project of [root, join(root, "src/dashboard/islands")]) {
  const { status } = spawnSync(compiler, ["--noEmit", "--project", project], { stdio: "inherit" })
  if (status !== 0) process.exitCode = status ?? 1
}
