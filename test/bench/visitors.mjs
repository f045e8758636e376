// The cost of open status pages: memory and CPU of each while nothing happens, and of one visible change told to all of them.
// Usage: node test/bench/visitors.mjs [visitors...]; each needs a file descriptor here and in the program (ulimit -n).
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bootstrap, cpu, memory, sleep, startProgram, until } from "./support/processes.mjs"

const given = process.argv.slice(2).map(Number)
const steps = given.length === 0 ? [1000, 5000, 9000] : given
/** Two pings of each stream. */
const idleMs = 50_000
const changes = 5
const here = dirname(fileURLToPath(import.meta.url))

const folder = mkdtempSync(join(tmpdir(), "belltower-bench-"))
const belltower = await startProgram({ BELLTOWER_DATA_DIR: folder, BELLTOWER_TRUST_PROXY: "loopback" })
const { call } = await bootstrap(belltower.baseUrl)
await call("POST", "/pages", { name: "Acme", slug: "acme" })
const components = []
for (let n = 0; n < 30; n++) {
  components.push(await call("POST", "/pages/acme/components", { name: `Component ${n}`, manual: true }))
}

const child = spawn(process.execPath, [join(here, "support/visitors.mjs"), new URL(belltower.baseUrl).port, "/s/acme/live"], {
  stdio: ["ignore", "ignore", "inherit", "ipc"]
})
const ask = (what) =>
  new Promise((resolve) => {
    child.once("message", resolve)
    child.send(what)
  })
const read = () => ask("read")

/** The CPU of the program in ms while `work` runs. */
const cpuOf = async (work) => {
  const before = cpu(belltower.pid).ownMs
  await work()
  return cpu(belltower.pid).ownMs - before
}

let degraded = false

/** A change that everybody sees, until all have heard of it. */
const change = async () => {
  const { frames, open } = await read()
  degraded = !degraded
  await call("POST", `/components/${components[0].id}/override`, { status: degraded ? "degraded" : "operational" })
  await until(async () => (await read()).frames, (now) => now >= frames + open)
}

await sleep(5000)
const alone = { idle: await cpuOf(() => sleep(idleMs)), mb: memory(belltower.pid).ownMb }
let before = 0
for (const visitors of steps) {
  const openMs = await cpuOf(() => ask(visitors - before))
  await sleep(10_000)
  const idle = await cpuOf(() => sleep(idleMs))
  const { open } = await read()
  const { ownMb } = memory(belltower.pid)
  const told = await cpuOf(async () => {
    for (let n = 0; n < changes; n++) await change()
  })
  console.log(JSON.stringify({
    bench: "visitors",
    visitors: open,
    kbEach: Number(((ownMb - alone.mb) * 1024 / open).toFixed(1)),
    openMs: Number((openMs / (visitors - before)).toFixed(3)),
    idleMsAMinute: Number((Math.max(0, idle - alone.idle) * 60_000 / idleMs / open).toFixed(4)),
    changeMs: Number((told / changes).toFixed(0)),
    changeMsEach: Number((told / changes / open).toFixed(4))
  }))
  before = visitors
}

child.kill("SIGKILL")
await belltower.stop()
rmSync(folder, { recursive: true, force: true })
