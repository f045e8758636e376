/** Makes up 90 days of history for the demo's workspace: checks, outages, incidents and what its pages showed. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Logger, LogLevel, Redacted } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { join } from "node:path"
import type { Cause } from "../../schema/check/Check.ts"
import { RegionId } from "../../schema/check/Region.ts"
import { MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import { makeLinkSigner } from "../../src/domain/access/LinkSigner.ts"
import { briefCause } from "../../src/domain/check/answer/BriefCause.ts"
import { makeCheckId } from "../../src/domain/check/history/CheckKey.ts"
import { dayMs, rollupOf, startOf } from "../../src/domain/check/history/CheckRollup.ts"
import type { StoredCheck } from "../../src/domain/check/history/StoredCheck.ts"
import { makeId } from "../../src/domain/tools/Id.ts"
import { CheckBlocks } from "../../src/store/check/CheckBlocks.ts"
import { CheckPartitions } from "../../src/store/check/CheckPartitions.ts"
import { CheckRollups } from "../../src/store/check/CheckRollups.ts"
import { KeyedHashes } from "../../src/store/KeyedHashes.ts"
import { LinkKeys } from "../../src/store/LinkKeys.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { servedByAnother } from "../../src/store/postgres/embedded/EmbeddedPostgres.ts"
import * as Store from "../../src/store/Store.ts"
import { Vault } from "../../src/store/Vault.ts"

const [folder = "", workspaceId = ""] = process.argv.slice(2)
const days = 90
const minute = 60_000

/** Numbers from 0 to 1 that are the same in every demo. */
const numbersOf = (seed: string) => {
  let state = createHash("sha256").update(seed).digest().readUInt32LE(0)
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

interface Outage {
  readonly from: number
  readonly until: number
  readonly state: "down" | "degraded"
}

interface Monitor {
  readonly id: string
  readonly name: string
  readonly kind: string
}

/** A handful of outages, the longest of about an hour. A heartbeat is never slow. */
const outagesOf = ({ kind, name }: Monitor, begin: number, end: number): ReadonlyArray<Outage> => {
  const next = numbersOf(name)
  const found: Array<Outage> = []
  for (let at = begin + next() * 12 * dayMs; at < end - dayMs; at += (6 + next() * 20) * dayMs) {
    const from = startOf(at + next() * dayMs, minute)
    found.push({
      from,
      until: from + Math.ceil(3 + next() ** 3 * 70) * minute,
      state: next() < 0.3 && kind !== "heartbeat" ? "degraded" : "down"
    })
  }
  return found
}

/** How monitors of each kind fail: the cause and the error of their checks. */
const failures: Readonly<Record<string, readonly [cause: Cause, error: string]>> = {
  http: ["status", "Expected status 200-299, got 503 Service Unavailable"],
  heartbeat: ["missed_ping", "No ping for 5m (expected every 2m, 1m grace)"],
  dns: ["dns_timeout", "The resolver did not answer within 10 s"],
  script: ["assertion", "Expected the order to be accepted"],
  browser: ["timeout", "The page did not load within 30 s"],
  manifest: ["manifest", "A component is down"]
}

const failureOf = ({ kind }: Monitor): readonly [cause: Cause, error: string] =>
  failures[kind] ?? ["connect_refused", "Connection refused"]

const main = RegionId.make("main")
const tenths = (value: number): number => Math.round(value * 10) / 10

const checksOf = (monitor: Monitor, outages: ReadonlyArray<Outage>, from: number, until: number, everyMs: number) => {
  const next = numbersOf(`${monitor.name} ${from}`)
  const base = 40 + numbersOf(monitor.name)() * 120
  const checks: Array<StoredCheck> = []
  const [cause, error] = failureOf(monitor)
  for (let at = from; at < until; at += everyMs) {
    const outage = outages.find((one) => at >= one.from && at < one.until)
    // Slower in the evening.
    const daily = 1 + 0.35 * Math.max(0, Math.sin(((at % dayMs) / dayMs) * 2 * Math.PI - 2))
    const latencyMs = tenths(base * daily * (0.8 + next() * 0.5) * (outage?.state === "degraded" ? 8 : 1))
    const down = outage?.state === "down"
    checks.push({
      id: makeCheckId(MonitorId.make(monitor.id), at, randomBytes(10)),
      at,
      region: main,
      outcome: outage?.state ?? "up",
      counted: true,
      statusCode: monitor.kind === "http" ? (down ? 503 : 200) : null,
      latencyMs,
      error: down ? error : null,
      cause: down ? cause : null,
      timings: {
        dnsMs: 1.2,
        connectMs: tenths(latencyMs * 0.15),
        tlsMs: tenths(latencyMs * 0.2),
        firstByteMs: tenths(latencyMs * 0.8),
        totalMs: latencyMs
      },
      hasEvidence: false,
      omitted: null
    })
  }
  return checks
}

/** Days of single checks; older days have figures only. */
const checkDays = 3

const seedChecks = (monitor: Monitor, outages: ReadonlyArray<Outage>, today: number) =>
  Effect.gen(function*() {
    const rollups = yield* CheckRollups
    const blocks = yield* CheckBlocks
    const known = { workspaceId: WorkspaceId.make(workspaceId), monitorId: MonitorId.make(monitor.id) }
    for (let back = days; back >= 0; back--) {
      const day = today - back * dayMs
      const until = Math.min(day + dayMs, Date.now() - 5 * minute)
      const checks = checksOf(monitor, outages, day, until, 5 * minute)
      if (checks.length === 0) continue
      yield* rollups.add([{ ...known, day, rollup: rollupOf(checks) }])
      if (back > checkDays) continue
      const hours = Array.from(
        { length: Math.ceil(checks.length / 12) },
        (_, index) => ({ ...known, checks: checks.slice(index * 12, index * 12 + 12) })
      )
      yield* blocks.insert(hours)
    }
  })

/** The states between outages, in order. */
const spansOf = (outages: ReadonlyArray<Outage>, begin: number, end: number, good: string, bad: (outage: Outage) => string) => {
  const spans: Array<{ readonly from: number; readonly until: number; readonly state: string }> = []
  let at = begin
  for (const outage of outages) {
    spans.push({ from: at, until: outage.from, state: good }, { from: outage.from, until: outage.until, state: bad(outage) })
    at = outage.until
  }
  return [...spans, { from: at, until: end, state: good }]
}

/** Puts spans before those that exist. The running totals follow from the order of insertion. */
const prepend = (
  table: "monitor_spans" | "component_spans",
  owner: "monitor_id" | "component_id",
  id: string,
  spans: ReturnType<typeof spansOf>
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const existing = yield* sql<{ readonly from: Date; readonly until: Date | null; readonly state: string }>`
      delete from ${sql(table)} where ${sql(owner)} = ${id} and workspace_id = ${workspaceId}
      returning started_at as "from", ended_at as until, state`
    const later = [...existing].sort((a, b) => a.from.getTime() - b.from.getTime())
    const all = [...spans.map(({ from, state, until }) => ({ from: new Date(from), until: new Date(until), state })), ...later]
    for (const { from, state, until } of all) {
      yield* sql`insert into ${sql(table)} ${
        sql.insert({ [owner]: id, workspace_id: workspaceId, started_at: from, ended_at: until, state })
      }`
    }
  })

const firstStart = (table: "monitor_spans" | "component_spans", owner: "monitor_id" | "component_id", id: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly at: Date | null }>`
      select min(started_at) as at from ${sql(table)} where ${sql(owner)} = ${id} and workspace_id = ${workspaceId}`
    return row?.at?.getTime() ?? Date.now()
  })

const texts = (name: string) =>
  [
    ["investigating", `We are looking into failing requests to ${name}.`, 0],
    ["identified", "A deployment introduced slow queries. We are rolling it back.", 0.35],
    ["monitoring", "The rollback is complete, and requests succeed again. We keep watching.", 0.8],
    ["resolved", `${name} works as usual. We are sorry for the disruption.`, 1]
  ] as const

/** An outage as the incident that it would have been. */
const seedIncident = (monitor: Monitor, outage: Outage, components: ReadonlyArray<Component>) =>
  Effect.gen(function*() {
    const reason = briefCause({ cause: failureOf(monitor)[0], statusCode: 503 })
    const sql = yield* SqlClient.SqlClient
    const id = makeId("inc", outage.from, randomBytes(10))
    const affected = components.map((component) => ({
      componentId: component.id,
      status: outage.state === "down" ? "major_outage" : "degraded"
    }))
    yield* sql`insert into incidents ${
      sql.insert({
        id,
        workspace_id: workspaceId,
        kind: "incident",
        automatic: true,
        public: affected.length > 0,
        monitor_id: monitor.id,
        title: outage.state === "down" ? `${monitor.name} is down: ${reason}` : `${monitor.name} is slow`,
        status: "resolved",
        impact: outage.state === "down" ? "major" : "minor",
        components: JSON.stringify(affected),
        page_ids: [...new Set(components.map(({ pageId }) => pageId))],
        started_at: new Date(outage.from),
        resolved_at: new Date(outage.until),
        updated_at: new Date(outage.until)
      })
    }`
    for (const [status, body, share] of texts(monitor.name)) {
      const at = outage.from + Math.round((outage.until - outage.from) * share)
      yield* sql`insert into incident_updates ${
        sql.insert({
          id: makeId("upd", at, randomBytes(10)),
          workspace_id: workspaceId,
          incident_id: id,
          status,
          body,
          at: new Date(at),
          public: affected.length > 0
        })
      }`
    }
  })

interface Component {
  readonly id: string
  readonly pageId: string
  readonly monitorIds: ReadonlyArray<string>
}

const seed = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.flatMap(CheckPartitions, (partitions) => partitions.maintain())
  const today = startOf(Date.now(), dayMs)
  const begin = today - days * dayMs
  const monitors = yield* sql<Monitor>`select id, name, kind from monitors where workspace_id = ${workspaceId} order by id`
  const components = yield* sql<Component>`
    select id, page_id as "pageId", monitor_ids as "monitorIds" from components where workspace_id = ${workspaceId}`
  for (const monitor of monitors) {
    const outages = outagesOf(monitor, begin, today)
    yield* prepend(
      "monitor_spans",
      "monitor_id",
      monitor.id,
      spansOf(
        outages,
        begin,
        yield* firstStart("monitor_spans", "monitor_id", monitor.id),
        "up",
        ({ state }) => state
      )
    )
    const shown = components.filter(({ monitorIds }) => monitorIds.includes(monitor.id))
    for (const { id } of shown) {
      yield* prepend(
        "component_spans",
        "component_id",
        id,
        spansOf(
          outages,
          begin,
          yield* firstStart("component_spans", "component_id", id),
          "operational",
          ({ state }) => (state === "down" ? "major_outage" : "degraded")
        )
      )
    }
    if (monitor.kind !== "heartbeat") yield* seedChecks(monitor, outages, today)
    if (shown.length > 0) yield* Effect.forEach(outages, (outage) => seedIncident(monitor, outage, shown), { discard: true })
  }
  const made = new Date(begin)
  yield* sql`update monitors set created_at = ${made} where workspace_id = ${workspaceId}`
  yield* sql`update components set created_at = ${made} where workspace_id = ${workspaceId}`
  yield* sql`update pages set created_at = ${made} where workspace_id = ${workspaceId}`
  yield* sql`analyze`
})

const program = Effect.gen(function*() {
  const address = yield* Effect.flatten(servedByAnother(join(folder, "postgres")))
  const database = Database.layer(Redacted.make(address), { maxConnections: 4, applicationName: "belltower demo" })
  yield* Effect.provide(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(seed)),
    Layer.merge(CheckBlocks.Default, Store.layer).pipe(
      Layer.provideMerge(Layer.mergeAll(
        database,
        // The history has nothing that is sealed or signed.
        Vault.layer(Redacted.make("")),
        Layer.succeed(KeyedHashes, KeyedHashes.withKey(new Uint8Array(32))),
        Layer.succeed(LinkKeys, makeLinkSigner(new Uint8Array(32)))
      ))
    )
  )
})

await Effect.runPromise(program.pipe(Effect.scoped, Logger.withMinimumLogLevel(LogLevel.Warning)))
process.exit(0)
