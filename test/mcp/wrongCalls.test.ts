/** Calls every tool with wrong arguments: each is refused with what is wrong and what to do, and changes nothing. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { makeId } from "../../src/domain/tools/Id.ts"
import { namesOf } from "../../src/http/server/InProcessCall.ts"
import { essentialTools } from "../../src/mcp/EssentialTools.ts"
import { allTools, type OperationTool } from "../../src/mcp/Tools.ts"
import { programOf } from "../support/program/Program.ts"
import { callJson, type Json, newKey, post } from "../support/program/TestServer.ts"
import { until } from "../support/time/Until.ts"

type Headers = Record<string, string>
type Given = Readonly<Record<string, unknown>>

const toolNames: ReadonlySet<string> = new Set(allTools.map(({ operation }) => operation.id))

/** Waits for a state that never comes, and has its own limit. */
const slow = new Set(["wait_for_monitor"])

const callTool = Effect.fn("callTool")(function*(name: string, given: Given, headers: Headers, path = "/mcp") {
  const { body } = yield* post(
    path,
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } },
    headers
  )
  const texts: ReadonlyArray<Json> = body.result?.content ?? []
  const failed: boolean = body.result?.isError === true
  const text: string = texts.map((part) => part.text).join("\n")
  return { failed, text, error: failed ? JSON.parse(text).error : null, body }
})

/** A thing of each kind that a key can make. */
const furnish = Effect.fn("furnish")(function*(headers: Headers) {
  const ids = new Map<string, string>()
  const make = Effect.fnUntraced(function*(name: string, given: Given) {
    const { failed, text } = yield* callTool(name, given, headers)
    expect([name, failed, failed ? text : ""]).toEqual([name, false, ""])
    const made: Json = JSON.parse(text)
    for (const [, prefix = "", rest = ""] of text.matchAll(/"([a-z]{2,4})_([0-9a-hjkmnp-tv-z]{26})"/g)) {
      if (!ids.has(prefix)) ids.set(prefix, `${prefix}_${rest}`)
    }
    return made
  })
  const monitor = yield* make("create_monitor", { name: "Shop", url: "https://example.com", paused: true })
  const page = yield* make("create_page", { name: "Acme" })
  yield* make("create_component", { pageId: page.id, name: "Shop", monitorIds: [monitor.id] })
  const channel = yield* make("create_channel", { name: "Ops", type: "webhook", url: "https://example.com/hook" })
  yield* make("create_escalation_policy", {
    name: "Ops",
    levels: [{ afterMinutes: 0, targets: [{ type: "channel", id: channel.id }] }]
  })
  yield* make("create_incident_template", { name: "Slow", title: "Slow", body: "We look." })
  yield* make("create_incident", { title: "Slow", message: "We look.", pageIds: [page.id] })
  yield* make("create_mute", { monitorIds: [monitor.id], durationSec: 86_400 })
  yield* make("create_deploy", { version: "1" })
  yield* make("create_api_key", { name: "helper" })
  yield* make("plan_changes", { document: "monitors: []" })
  return ids
})

const tables = [
  "monitors",
  "pages",
  "components",
  "channels",
  "escalation_policies",
  "incident_templates",
  "incidents",
  "mutes",
  "deploys",
  "plans",
  "workspaces"
]

/** All that a workspace has, as text, once actors have done what the calls before asked of them. */
const snapshot = Effect.fn("snapshot")(function*(workspaceId: string) {
  const sql = yield* SqlClient.SqlClient
  // Within a minute, a new workspace is told when its first digest is due.
  yield* sql`update workspaces set digest_at = now() + interval '1 day' where id = ${workspaceId} and digest_at <= now()`
  yield* until(
    sql`
      select from events where workspace_id = ${workspaceId} and not fanned_out
      union all select from alarms where workspace_id = ${workspaceId} and due_at <= now()`,
    (open) => open.length === 0
  )
  return yield* Effect.forEach(tables, (table) =>
    Effect.map(
      sql<{ all: string | null }>`
        select string_agg(t::text, '|' order by t.id) as all from ${sql(table)} t
        where ${sql(table === "workspaces" ? "id" : "workspace_id")} = ${workspaceId}`,
      ([row]) => `${table}: ${row?.all}`
    ))
})

const isAdvice = ({ details, hint, message }: Json, { input, operation }: OperationTool): boolean => {
  const words = `${message} ${hint ?? ""}`
  return (Array.isArray(details) && details.length > 0 && details.every((one: Json) => one.message !== "")) ||
    (typeof hint === "string" && hint !== "") ||
    [...Object.keys(input.properties), ...toolNames].some((name) => name !== operation.id && words.includes(name))
}

/** The tools that a text names, except as those that its reader may not call. */
const namedTools = (text: string): ReadonlyArray<string> =>
  [...new Set(text.replace(/This key may not call [^;]+;/, "").match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [])].filter((name) =>
    toolNames.has(name)
  )

/** The faults of a refusal; empty for a good one. */
const faultsOf = (tool: OperationTool, { body, error, failed, text }: Json, mayCall: (name: string) => boolean) => {
  const { id } = tool.operation
  if (!failed) return body.result === undefined ? [`${id}: an error of the protocol: ${JSON.stringify(body)}`] : []
  const strange = namedTools(text).filter((name) => name !== id && !mayCall(name))
  return [
    ...(error.code === "internal" ? [`${id}: a defect: ${text}`] : []),
    ...(isAdvice(error, tool) ? [] : [`${id}: does not say what to do: ${text}`]),
    ...(strange.length === 0 ? [] : [`${id}: names ${strange.join()}, which the caller may not call: ${text}`]),
    ...(text.includes("/api/v1/") ? [`${id}: speaks of REST: ${text}`] : [])
  ]
}

const prefixOf = (field: Json): string | null => /^(\w+)_\.\.\.$/.exec(field?.description ?? "")?.[1] ?? null

/** The argument of a tool that names a thing of the workspace, and the prefix of its ids. */
const idsOf = ({ input }: OperationTool): ReadonlyArray<readonly [name: string, prefix: string]> =>
  input.required.flatMap((name) => {
    const prefix = name === "pageId" ? "pg" : prefixOf(input.properties[name])
    return prefix === null || prefix === undefined ? [] : [[name, prefix] as const]
  })

const nonsense: Readonly<Record<string, unknown>> = {
  text: "nonsense",
  number: -1e9,
  flag: true,
  list: [[]],
  object: { a: { b: 1 } },
  nothing: null,
  empty: "",
  long: "x".repeat(9000)
}

const inEvery = ({ input }: OperationTool, value: unknown): Given =>
  Object.fromEntries(Object.keys(input.properties).map((name) => [name, value]))

layer(programOf(), { excludeTestServices: true, timeout: "60 seconds" })("a wrong call of every tool", (it) => {
  it.scoped("with ids of other things, of another workspace and of nothing is refused, and changes nothing", () =>
    Effect.gen(function*() {
      const [mine, theirs] = [yield* newKey(), yield* newKey()]
      const own = yield* furnish(mine.headers)
      const foreign = yield* furnish(theirs.headers)
      const document = (yield* callJson("/api/v1/openapi.json")).body
      const examples = new Map<string, Json>(
        Object.values<Json>(document.paths).flatMap((methods) => Object.values<Json>(methods)).map((
          { operationId, requestBody }
        ) => [operationId, requestBody?.content?.["application/json"]?.example ?? {}])
      )
      const before = [yield* snapshot(mine.workspaceId), yield* snapshot(theirs.workspaceId)]
      const owning = allTools.filter((tool) => tool.operation.scope !== "public" && idsOf(tool).length > 0)
      const idFor: Readonly<Record<string, (prefix: string) => string>> = {
        "of another kind": (prefix) => own.get(prefix === "mon" ? "ch" : "mon") ?? "",
        "of another workspace": (prefix) => foreign.get(prefix) ?? makeId(prefix, 1_700_000_000_000, Buffer.alloc(10, 7)),
        "of nothing": (prefix) => makeId(prefix, 1_700_000_000_000, Buffer.alloc(10, 7)),
        "that is no id": () => "nonsense"
      }
      const faults: Array<string> = []
      for (const tool of owning) {
        for (const [kind, idOf] of Object.entries(idFor)) {
          const ids = Object.fromEntries(idsOf(tool).map(([name, prefix]) => [name, idOf(prefix)]))
          const answer = yield* callTool(
            tool.operation.id,
            { ...examples.get(tool.operation.id), ...ids },
            mine.headers,
            "/mcp?toolsets=essential"
          )
          const isReached = (name: string) => essentialTools.has(name) || answer.text.includes(`${name} (by use_tool)`)
          faults.push(
            ...(answer.failed ? [] : [`${tool.operation.id}: takes an id ${kind}: ${answer.text.slice(0, 200)}`]),
            ...faultsOf(tool, answer, isReached)
          )
        }
      }
      expect(faults).toEqual([])
      expect([yield* snapshot(mine.workspaceId), yield* snapshot(theirs.workspaceId)]).toEqual(before)
    }))

  it.scoped("with nothing and with nonsense of each type says what is wrong, and reaches no other workspace", () =>
    Effect.gen(function*() {
      const [mine, theirs] = [yield* newKey(), yield* newKey()]
      yield* furnish(theirs.headers)
      const before = yield* snapshot(theirs.workspaceId)
      const faults: Array<string> = []
      for (const tool of allTools.filter(({ operation }) => !slow.has(operation.id))) {
        const { input, operation } = tool
        if (input.required.length > 0) {
          const empty = yield* callTool(operation.id, {}, mine.headers)
          faults.push(...(empty.failed ? [] : [`${operation.id}: needs nothing`]), ...faultsOf(tool, empty, () => true))
        }
        const strange = yield* callTool(operation.id, { zzz: 1 }, mine.headers)
        faults.push(
          ...(strange.failed ? [] : [`${operation.id}: takes an unknown field`]),
          ...faultsOf(tool, strange, () => true)
        )
        if (Object.keys(input.properties).length === 0) continue
        for (const value of Object.values(nonsense)) {
          faults.push(...faultsOf(tool, yield* callTool(operation.id, inEvery(tool, value), mine.headers), () => true))
        }
      }
      expect(faults).toEqual([])
      expect(yield* snapshot(theirs.workspaceId)).toEqual(before)
    }))

  it.scoped("with an object, or a list where one value is looked for, is refused by the field's name", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const several = new Set(["list_events types", "list_pages monitorIds"])
      const faults: Array<string> = []
      for (const { operation } of allTools) {
        for (const name of namesOf(operation.query)) {
          const field = `${operation.id} ${name}`
          for (const value of [{ a: 1 }, [{ a: 1 }], ...(several.has(field) ? [] : [["a", "b"]])]) {
            const { text } = yield* callTool(
              operation.id,
              { id: "x", pageId: "x", slug: "x", component: "x", [name]: value },
              headers
            )
            if (!text.includes(`"path":"${name}"`)) faults.push(`${field}: ${text.slice(0, 200)}`)
          }
        }
      }
      expect(faults).toEqual([])
      const both = yield* callTool("list_events", { types: ["monitor.created", "monitor.deleted"] }, headers)
      expect([both.failed, both.text]).toEqual([false, expect.stringContaining("\"data\":[]")])
    }))

  it.scoped("by a key that may not call it names only what the key may call", () =>
    Effect.gen(function*() {
      const owner = yield* newKey()
      const reader = yield* newKey(["read"], { workspaceId: owner.workspaceId })
      const listing = yield* post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }, reader.headers)
      const listed = new Set<string>(listing.body.result.tools.map(({ name }: Json) => name))
      const faults: Array<string> = []
      for (const tool of allTools.filter(({ operation }) => operation.scope !== "public" && !slow.has(operation.id))) {
        const ids = Object.fromEntries(
          idsOf(tool).map(([name, prefix]) => [name, makeId(prefix, 1_700_000_000_000, Buffer.alloc(10, 7))])
        )
        const answer = yield* callTool(tool.operation.id, ids, reader.headers)
        const isOpen = listed.has(tool.operation.id)
        faults.push(
          ...(isOpen || answer.failed ? [] : [`${tool.operation.id}: is open to a read-only key`]),
          ...faultsOf(tool, answer, (name) => listed.has(name))
        )
      }
      expect(faults).toEqual([])
    }))
})
