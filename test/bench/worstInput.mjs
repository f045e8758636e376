// The longest turn of the event loop that the worst legal input of each operation takes, beside the goal of 50 ms.
// Turns are measured in wall time, so run it on a machine that does nothing else.
// Usage: node test/bench/worstInput.mjs
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bootstrap, startProgram } from "./support/processes.mjs"

const goalMs = 50
const repeats = 3

const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
const belltower = await startProgram({ BELLTOWER_DATA_DIR: dataDir, BELLTOWER_CAPS: "unclaimed.components=500" })
const { baseUrl } = belltower
const { apiKey, call } = await bootstrap(baseUrl)

const document = await fetch(`${baseUrl}/api/v1/openapi.json`).then((response) => response.json())
const resolved = (schema) =>
  schema?.$ref === undefined ? schema : resolved(schema.$ref.split("/").slice(1).reduce((at, name) => at?.[name], document))

/** The largest value that a schema takes, within the size of a body. */
const largest = (given, depth = 0) => {
  const schema = resolved(given) ?? {}
  const options = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (options !== undefined) return options.map((one) => largest(one, depth)).sort((a, b) => length(b) - length(a))[0]
  if (schema.enum !== undefined) return schema.enum[0]
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "string":
      return schema.examples?.[0] ?? "x".repeat(Math.min(schema.maxLength ?? 1000, 100_000))
    case "integer":
    case "number":
      return schema.maximum ?? 1
    case "boolean":
      return true
    case "array":
      return depth > 4
        ? []
        : Array.from({ length: Math.min(schema.maxItems ?? 1000, 1000) }, () => largest(schema.items, depth + 1))
    case "object":
      return depth > 4 ? {} : Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, largest(inner, depth + 1)])
      )
    default:
      return "x"
  }
}
const length = (value) => JSON.stringify(value)?.length ?? 0

/** Hostile bodies that parsing accepts: as many unknown fields as may be, and a list as long as may be. */
const crowded = Object.fromEntries(Array.from({ length: 9_900 }, (_, index) => [`field${index}`, "x".repeat(80)]))

const page = await call("POST", "/pages", { name: "Large", slug: "large" })
for (let index = 0; index < 500; index++) await call("POST", `/pages/${page.id}/components`, { name: `Component ${index}` })

const send = (method, path, body, headers = {}) =>
  fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  }).then((response) => response.arrayBuffer())

for (let round = 0; round < repeats; round++) {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      // What ends the bench's own access, or waits for a target, is left out.
      if (method === "delete" || ["run_check", "test_channel"].includes(operation.operationId)) continue
      const place = path.replace("{slug}", "large").replace(/\{\w+\}/g, page.id)
      const schema = operation.requestBody?.content?.["application/json"]?.schema
      const bodies = schema === undefined ? [undefined] : [largest(schema), crowded]
      for (const body of bodies) await send(method.toUpperCase(), place, body)
    }
  }
  for (const language of ["en", "de", "ja"]) await send("GET", "/s/large", undefined, { "accept-language": language })
  await call("POST", `/pages/${page.id}/components`, { name: `Round ${round}` }).catch(() => {})
  const read = (id) => ({ jsonrpc: "2.0", id, method: "resources/read", params: { uri: `${baseUrl}/api/v1/openapi.json` } })
  await send("POST", "/mcp", Array.from({ length: 20 }, (_, id) => read(id)))
}

const text = await fetch(`${baseUrl}/metrics`).then((response) => response.text())
const turns = [...text.matchAll(/^belltower_event_loop_longest_turn_seconds\{name="([^"]*)"\} (\S+)$/gm)]
  .map(([, name, seconds]) => ({ name, ms: Number((Number(seconds) * 1000).toFixed(1)) }))
  .sort((a, b) => b.ms - a.ms)
await belltower.stop()
rmSync(dataDir, { recursive: true, force: true })

for (const { ms, name } of turns.slice(0, 15)) {
  console.log(`${String(ms).padStart(8)} ms  ${name}${ms > goalMs ? `  above ${goalMs} ms` : ""}`)
}
const [worst] = turns
console.log(JSON.stringify({
  bench: "worstInput",
  goalMs,
  longestMs: worst?.ms ?? 0,
  name: worst?.name ?? "",
  metered: turns.length,
  above: turns.filter(({ ms }) => ms > goalMs).map(({ name }) => name)
}))
