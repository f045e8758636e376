// Node's CPU of GET /monitors for each monitor of a workspace with many, read page by page, and the longest turn of the event loop.
// Usage: node test/bench/list.mjs [monitors] [rounds]
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bootstrap, cpu, sleep, startProgram } from "./support/processes.mjs"
import { makeSender, round, withIdle } from "./support/requests.mjs"
import { copyMonitor, onDatabase } from "./support/seed.mjs"

const [monitors = 10_000, rounds = 20] = process.argv.slice(2).map(Number)
const goals = { msPerMonitor: 0.02, turnMs: 20 }

const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
const belltower = await startProgram({ BELLTOWER_DATA_DIR: dataDir })
const { apiKey, call } = await bootstrap(belltower.baseUrl)
// Paused, so that only the list costs anything.
const { id } = await call("POST", "/monitors", { name: "Monitor 0", url: "http://example.com/", tags: ["shop"], paused: true })
await onDatabase(dataDir, async (query) => {
  await copyMonitor(query, id, monitors - 1)
  await query("analyze")
})

const { close, send } = makeSender(apiKey)
/** Reads the whole list in the largest pages; the number of its monitors. */
const readAll = async () => {
  let [found, after] = [0, ""]
  while (after !== null) {
    const query = after === "" ? "" : `&after=${after}`
    const { data, next } = JSON.parse(await send(`${belltower.baseUrl}/api/v1/monitors?limit=500${query}`))
    found += data.length
    after = next
  }
  return found
}
const longestTurnMs = async () => {
  const text = await fetch(`${belltower.baseUrl}/metrics`).then((response) => response.text())
  return Number(/^belltower_event_loop_longest_turn_seconds\{name="list_monitors"\} (\S+)$/m.exec(text)?.[1]) * 1000
}

await sleep(3000)
const [{ idle }] = await withIdle([{ pid: belltower.pid }], 3000)
// As many rounds before them warm up: until the compiler knows it, the code of a request costs twice as much.
for (let at = 0; at < rounds; at++) if (await readAll() !== monitors) throw new Error("The list is not complete")
const before = cpu(belltower.pid).ownMs
const from = performance.now()
for (let at = 0; at < rounds; at++) await readAll()
const usedMs = cpu(belltower.pid).ownMs - before - idle * (performance.now() - from)
console.log(JSON.stringify({
  bench: "list",
  monitors,
  msPerMonitor: round(usedMs / (rounds * monitors)),
  turnMs: round(await longestTurnMs()),
  goals
}))

close()
await belltower.stop()
rmSync(dataDir, { recursive: true, force: true })
