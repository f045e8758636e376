/** Runs promtool of Debian's package prometheus. */
import { spawnSync } from "node:child_process"

/** Whether it can run. If not, it prints a warning; under CI it throws, because CI must not skip tests. */
export const canRunPromtool = (): boolean => {
  if (spawnSync("promtool", ["--version"]).status === 0) return true
  const reason = "Install the package prometheus."
  if (process.env["CI"]) throw new Error(reason)
  console.warn(`SKIPPED: the tests that need promtool. ${reason}`)
  return false
}

/** Its exit status, and what it says. */
export const promtool = (args: ReadonlyArray<string>, input = "") => {
  const { status, stderr, stdout } = spawnSync("promtool", args, { input, encoding: "utf8" })
  return { status, output: `${stdout}${stderr}` }
}
