// A network namespace behind a bad network: 300 ms there and back, and 5 % of the packets lost in each direction.
import { spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"

const program = join(import.meta.dirname, "badLink.py")

/** What most of the world has on a bad day, one way. */
export const badNetwork = { delayMs: 150, lossPercent: 5 }

/** A readable reason why there can be no such namespace here; null when there can. */
export const linkProblem = () => {
  if (process.platform !== "linux" || process.getuid() !== 0) return "It needs Linux and root."
  if (!existsSync("/dev/net/tun")) return "This machine has no /dev/net/tun."
  const lacking = ["ip", "python3"].filter((tool) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0)
  if (lacking.length > 0) return `It needs ${lacking.join(" and ")} (iproute2, python3).`
  return spawnSync("unshare", ["--net", "true"]).status === 0 ? null : "This process may not make network namespaces."
}

/** Makes the namespace. `command` goes before a command that is to run in it. The namespace goes with `stop`, or with this process. */
export const startLink = async (seed) => {
  const number = process.pid % 250
  const [namespace, here, there] = [`belltower-${process.pid}`, `10.213.${number}.1`, `10.213.${number}.2`]
  const child = spawn("python3", [program, namespace, `bt${number}`, here, there, String(seed)], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const exited = new Promise((resolve) => child.once("exit", resolve))
  await Promise.race([
    new Promise((resolve) => child.stdout.once("data", resolve)),
    exited.then((code) => {
      throw new Error(`The link ended with ${code} while it started`)
    })
  ])
  const set = ({ delayMs, lossPercent }) => void child.stdin.write(`${delayMs} ${lossPercent}\n`)
  return {
    here,
    there,
    command: ["ip", "netns", "exec", namespace],
    set,
    stop: async () => {
      child.stdin.end()
      await exited
    }
  }
}
