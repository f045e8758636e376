// Requests a second and core for a public status page of 30 components, beside a static file server with the same bytes.
// Usage: node test/bench/pages.mjs [requests]
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { bootstrap, cpu, eachOf, startProgram } from "./support/processes.mjs"

const [count = 8000] = process.argv.slice(2).map(Number)
/** The part of the static server's requests a second that ours should reach. */
const goal = 0.5
const atOnce = 16
const here = dirname(fileURLToPath(import.meta.url))

const folder = mkdtempSync(join(tmpdir(), "belltower-bench-"))
const belltower = await startProgram({ BELLTOWER_DATA_DIR: folder })
const { call } = await bootstrap(belltower.baseUrl)
await call("POST", "/pages", { name: "Acme", slug: "acme" })
for (let n = 0; n < 30; n++) await call("POST", "/pages/acme/components", { name: `Component ${n}`, push: true })

const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
const get = (url, headers = {}) =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { "accept-encoding": "gzip", ...headers } }, (response) => {
      const chunks = []
      response.on("data", (chunk) => chunks.push(chunk))
      response.once("end", () =>
        response.statusCode < 400
          ? resolve({ headers: response.headers, body: Buffer.concat(chunks) })
          : reject(new Error(`${url}: ${response.statusCode}`)))
    })
    sent.once("error", reject)
    sent.end()
  })

/** Requests for each second of the process's CPU, after a quarter as many to warm up. */
const perCore = async (pid, one) => {
  await eachOf(Array.from({ length: count / 4 }), atOnce, one)
  const before = cpu(pid).ownMs
  await eachOf(Array.from({ length: count }), atOnce, one)
  return Math.round(count / ((cpu(pid).ownMs - before) / 1000))
}

for (const [name, path] of [["page", "/s/acme"], ["JSON", "/api/v1/public/pages/acme"]]) {
  const url = `${belltower.baseUrl}${path}`
  const { body, headers } = await get(url)
  const file = join(folder, "static.gz")
  writeFileSync(file, body)
  const other = spawn(process.execPath, [join(here, "support/staticServer.mjs"), file], { stdio: ["ignore", "pipe", "inherit"] })
  const [port] = await createInterface({ input: other.stdout })[Symbol.asyncIterator]().next().then(({ value }) => [value])
  const theirs = `http://127.0.0.1:${port}/`
  const { headers: known } = await get(theirs)
  for (
    const [kind, ours, base] of [["full", {}, {}], ["304", { "if-none-match": headers.etag }, { "if-none-match": known.etag }]]
  ) {
    const perSecond = await perCore(belltower.pid, () => get(url, ours))
    const basePerSecond = await perCore(other.pid, () => get(theirs, base))
    const part = Number((perSecond / basePerSecond).toFixed(2))
    console.log(
      JSON.stringify({ bench: "pages", name: `${name}, ${kind}`, bytes: body.length, perSecond, basePerSecond, part, goal })
    )
  }
  other.kill("SIGKILL")
}

agent.destroy()
await belltower.stop()
rmSync(folder, { recursive: true, force: true })
