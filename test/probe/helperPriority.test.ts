/** The priority of helper processes, which only goes down. */
import { expect, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { getPriority } from "node:os"
import { fileURLToPath } from "node:url"

/** The priority of a sandbox, once it is ready, that began with this one. */
const priorityAfter = (given: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const program = fileURLToPath(new URL("../../dist/scriptSandbox.js", import.meta.url))
    const child = spawn("nice", ["-n", String(given - getPriority()), process.execPath, program], {
      stdio: ["ignore", "ignore", "inherit", "pipe"]
    })
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`the sandbox ended with ${code}`)))
    child.stdio[3]?.once("data", () => {
      resolve(getPriority(child.pid))
      child.removeAllListeners("exit").kill()
    })
  })

it("leaves checks the processor, and is not raised where it is lower still", async () => {
  expect(await priorityAfter(Math.max(getPriority(), 17))).toBe(Math.max(getPriority(), 17))
})
