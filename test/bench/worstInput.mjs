// The longest turn of the event loop that the worst legal input of each operation takes, over REST and as an MCP tool, beside the
// goal of 50 ms. The program measures turns in wall time, so a turn counts for no more than the time that its thread ran during the call:
// the rest was spent waiting for a processor. Beside it stands a reference, how long a known piece of work took next to the call
// compared with its best time of the run: far above 1, the machine was busy, and caches were cold.
// Usage: node test/bench/worstInput.mjs
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bootstrap, startProgram } from "./support/processes.mjs"

const goalMs = 50
const repeats = 3
const bodyLimit = 1024 * 1024

const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
const belltower = await startProgram({ BELLTOWER_DATA_DIR: dataDir })
const { baseUrl } = belltower
const { apiKey, call } = await bootstrap(baseUrl)

const document = await fetch(`${baseUrl}/api/v1/openapi.json`).then((response) => response.json())
const resolved = (schema) =>
  schema?.$ref === undefined ? schema : resolved(schema.$ref.split("/").slice(1).reduce((at, name) => at?.[name], document))

const length = (value) => JSON.stringify(value)?.length ?? 0

/** The largest value that a schema takes, with lists and long texts cut to a share of what they may be. */
const largest = (given, share, depth = 0) => {
  const schema = resolved(given) ?? {}
  const options = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (options !== undefined) return options.map((one) => largest(one, share, depth)).sort((a, b) => length(b) - length(a))[0]
  if (schema.enum !== undefined) return schema.enum[0]
  const isPlain = schema.pattern === undefined && schema.format === undefined
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "string":
      return isPlain && schema.maxLength !== undefined
        ? "x".repeat(Math.max(1, Math.floor(Math.min(schema.maxLength, 100_000) * share)))
        : schema.examples?.[0] ?? "x".repeat(1000)
    case "integer":
    case "number":
      return schema.maximum ?? 1
    case "boolean":
      return true
    case "array": {
      const items = Math.max(1, Math.floor(Math.min(schema.maxItems ?? 1000, 1000) * share))
      return depth > 4 ? [] : Array.from({ length: items }, () => largest(schema.items, share, depth + 1))
    }
    case "object":
      return depth > 4 ? {} : Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, largest(inner, share, depth + 1)])
      )
    default:
      return "x"
  }
}

/** The largest value that fits a body. */
const largestBody = (schema) => {
  for (let share = 1; share > 0.01; share /= 2) {
    const body = largest(schema, share)
    if (length(body) < bodyLimit) return body
  }
  return {}
}

/** A hostile body that parsing accepts: as many unknown fields as may be. */
const crowded = Object.fromEntries(Array.from({ length: 9_900 }, (_, index) => [`field${index}`, "x".repeat(80)]))

/** A known amount of work, ms: about 5 on an idle machine. */
const data = Array.from({ length: 4_000 }, (_, index) => ({ id: index, name: `item ${index}`, tags: ["a", "b"] }))
const reference = () => {
  const from = performance.now()
  JSON.stringify(JSON.parse(JSON.stringify(data)).sort((a, b) => (a.name < b.name ? -1 : 1)))
  return performance.now() - from
}

/** By name: the longest turn so far in ms, and how many were above the goal. */
const turnsNow = async () => {
  const text = await fetch(`${baseUrl}/metrics`).then((response) => response.text())
  const valuesOf = (metric) =>
    new Map(
      [...text.matchAll(new RegExp(`^${metric}\\{name="([^"]*)"\\} (\\S+)$`, "gm"))].map((
        [, name, value]
      ) => [name, Number(value)])
    )
  const long = valuesOf("belltower_event_loop_long_turns_total")
  const longest = valuesOf("belltower_event_loop_longest_turn_seconds")
  return new Map([...longest].map(([name, seconds]) => [name, { ms: seconds * 1000, long: long.get(name) ?? 0 }]))
}

/** The time for which the program's main thread has run, ms. (Linux: Documentation/scheduler/sched-stats) */
const ranMs = () => Number(readFileSync(`/proc/${belltower.pid}/task/${belltower.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6

/** By name: the longest turn, what it was spent on, and the reference beside it. */
const worst = new Map()
let before = await turnsNow()
let best = Infinity

/** Runs a call, and keeps the turns that it made longer, and those above the goal. */
const measured = async (what, run) => {
  const earlier = reference()
  const from = ranMs()
  await run()
  const ran = ranMs() - from
  const beside = Math.max(earlier, reference())
  best = Math.min(best, earlier)
  const now = await turnsNow()
  for (const [name, turns] of now) {
    const then = before.get(name) ?? { ms: 0, long: 0 }
    const ms = Math.min(turns.ms, ran)
    const isOwn = turns.ms > then.ms || turns.long > then.long
    if (isOwn && ms > (worst.get(name)?.ms ?? 0)) worst.set(name, { name, ms, what, beside })
  }
  before = now
}

const send = (method, path, body, headers = {}) =>
  fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  }).then((response) => response.arrayBuffer())

const message = (id, method, params) => ({ jsonrpc: "2.0", id, method, params })
const toMcp = (body) => send("POST", "/mcp", body, { accept: "application/json, text/event-stream" })

const page = await call("POST", "/pages", { name: "Large", slug: "large" })
for (let index = 0; index < 500; index++) await call("POST", `/pages/${page.id}/components`, { name: `Component ${index}` })

/** Leaves out requests that end the bench's own access or wait for a target. */
const isLeftOut = (method, id) => method === "delete" || ["run_check", "test_channel", "wait_for_monitor"].includes(id)

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap((
    [method, operation]
  ) => (isLeftOut(method, operation.operationId) ? [] : [{ path, method, operation }]))
)

for (let round = 0; round < repeats; round++) {
  for (const { method, operation, path } of operations) {
    const place = path.replace("{slug}", "large").replace(/\{\w+\}/g, page.id)
    const schema = operation.requestBody?.content?.["application/json"]?.schema
    const bodies = schema === undefined
      ? { "no body": undefined }
      : { "the largest body": largestBody(schema), "unknown fields": crowded }
    for (const [what, body] of Object.entries(bodies)) {
      await measured(what, () => send(method.toUpperCase(), place, body))
    }
    const inPath = Object.fromEntries(
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, name === "slug" ? "large" : page.id])
    )
    const inputs = { "tool, the largest input": bodies["the largest body"] ?? {}, "tool, unknown fields": crowded }
    for (const [what, input] of Object.entries(inputs)) {
      const given = { name: operation.operationId, arguments: { ...input, ...inPath } }
      await measured(what, () => toMcp(message(1, "tools/call", given)))
    }
  }
  for (const language of ["en", "de", "ja"]) {
    await measured(`page in ${language}`, () => send("GET", "/s/large", undefined, { "accept-language": language }))
  }
  for (const path of ["/docs", "/docs/schemas", "/docs/status-pages", "/docs/search?q=slack", "/llms.txt"]) {
    await measured("reference", () => send("GET", path))
  }
  await call("POST", `/pages/${page.id}/components`, { name: `Round ${round}` }).catch(() => {})
  await measured("list of tools", () => toMcp(message(1, "tools/list", {})))
  const read = (id) => message(id, "resources/read", { uri: `${baseUrl}/api/v1/openapi.json` })
  await measured("batch of resources", () => toMcp(Array.from({ length: 20 }, (_, id) => read(id))))
}

await belltower.stop()
rmSync(dataDir, { recursive: true, force: true })

const turns = [...worst.values()].sort((a, b) => b.ms - a.ms)
console.log(`reference: ${best.toFixed(1)} ms at best`)
for (const { beside, ms, name, what } of turns.slice(0, 15)) {
  const above = ms > goalMs ? `, above ${goalMs} ms` : ""
  console.log(
    `${ms.toFixed(1).padStart(8)} ms  ${name} (${what}), reference ${(beside / best).toFixed(1)} times its best${above}`
  )
}
const [longest] = turns
console.log(JSON.stringify({
  bench: "worstInput",
  goalMs,
  referenceMs: Number(best.toFixed(1)),
  longestMs: Number((longest?.ms ?? 0).toFixed(1)),
  name: longest?.name ?? "",
  metered: turns.length,
  above: turns.filter(({ ms }) => ms > goalMs).map(({ name }) => name)
}))
