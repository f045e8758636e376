/** A ping from the token through rows and alarms to the monitor's actor, incidents and events. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Queue, Stream } from "effect"
import { liveChecksSignal } from "../../../schema/check/Check.ts"
import type { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import type { PingReport } from "../../../src/domain/monitor/job/JobSignal.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ReadMonitors } from "../../../src/operations/monitor/ReadMonitors.ts"
import { TakePings } from "../../../src/operations/monitor/TakePings.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { JobRuns } from "../../../src/store/monitor/JobRuns.ts"
import { Wakeups } from "../../../src/store/postgres/Wakeups.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const setUp = (input: Partial<MonitorInput> = {}) =>
  Effect.gen(function*() {
    const { id: workspaceId } = yield* newWorkspace
    const manage = yield* ManageMonitors
    const reading = yield* ReadMonitors
    const pings = yield* TakePings
    const sql = yield* SqlClient.SqlClient
    const created = yield* manage.create(workspaceId, { name: "Backup", periodSec: 600, graceSec: 120, ...input })
    const token = created.pingUrl?.split("/").at(-1) ?? ""
    const record = reading.record(workspaceId, created.id)
    return {
      workspaceId,
      id: created.id,
      created,
      manage,
      sql,
      record,
      ping: (report: PingReport = {}) => pings.take(token, report),
      reaches: (wanted: string) => until(record, ({ state }) => state === wanted),
      /** Simulates that `seconds` have passed since the last ping, with the service listening since. */
      pass: (seconds: number) =>
        Effect.gen(function*() {
          const earlier = sql.literal(`- interval '${seconds} seconds'`)
          yield* sql`update listeners set began_at = '2020-01-01', since = '2020-01-01'`
          yield* sql`
            update heartbeats set last_ping_at = last_ping_at ${earlier}, expected_from = expected_from ${earlier},
              last_check = last_check || jsonb_build_object('at', to_char(last_ping_at at time zone 'UTC' ${earlier}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
            where monitor_id = ${created.id}`
          yield* sql`update alarms set due_at = now() where id = ${created.id}`
          yield* sql`select pg_notify('belltower_alarms', '')`
        }),
      alarm: Effect.map(
        sql<{ readonly dueAt: Date }>`select due_at as "dueAt" from alarms where id = ${created.id}`,
        ([row]) => row?.dueAt.getTime() ?? null
      ),
      events: Effect.flatMap(EventLog, (log) => log.after(workspaceId, "", null, 100)),
      checks: reading.history(workspaceId, created.id, { outcome: null, before: null, since: null, limit: 50, evidence: false })
    }
  })

const typesOf = (events: ReadonlyArray<{ readonly type: string }>) => events.map(({ type }) => type)

layer(TakePings.Default.pipe(Layer.provideMerge(TestRunner)), { excludeTestServices: true })((it) => {
  it.effect(
    "a heartbeat waits as long for its first ping as for any other, and the ping takes it up",
    () =>
      Effect.gen(function*() {
        const { alarm, checks, created, ping, reaches } = yield* setUp()
        expect(created).toMatchObject({
          kind: "heartbeat",
          state: "pending",
          periodSec: 600,
          graceSec: 120,
          url: null,
          method: null
        })
        expect(created.failUrl).toBe(`${created.pingUrl}/fail`)
        expect(Math.abs(((yield* alarm) ?? 0) - created.createdAt.epochMillis - 720_000)).toBeLessThan(5000)
        const { at } = yield* ping({ durationMs: 5120 })
        const up = yield* reaches("up")
        expect(up.lastCheck).toMatchObject({ outcome: "up", at, latencyMs: 5120, region: "push", error: null })
        expect((yield* checks).data).toMatchObject([{ outcome: "up", counted: true, region: "push" }])
        expect(yield* alarm).toBe(at.epochMillis + 720_000)
      })
  )

  it.effect("a run that does not end is reported when it is due, and its end takes the monitor up", () =>
    Effect.gen(function*() {
      const { alarm, checks, events, id, ping, reaches, sql, workspaceId } = yield* setUp({ maxRunSec: 30 })
      const runs = yield* JobRuns
      const states = Effect.map(
        runs.page(workspaceId, id, { state: null, search: null, before: null, limit: 9 }),
        (found) => found.map(({ state }) => state)
      )
      const signal = { kind: "start" as const, rid: null, exitCode: null, log: null, logBytes: 0 }
      yield* ping()
      yield* reaches("up")
      const { at } = yield* ping({ signal })
      expect(yield* alarm).toBe(at.epochMillis + 30_000)
      yield* sql`update listeners set began_at = '2020-01-01', since = '2020-01-01'`
      yield* sql`
        update heartbeats set last_ping_at = last_ping_at - interval '1 minute', expected_from = expected_from - interval '1 hour',
          open_runs = jsonb_set(open_runs, '{0,at}', to_jsonb((open_runs->0->>'at')::float8 - 31000)) where monitor_id = ${id}`
      yield* sql`update alarms set due_at = now() where id = ${id}`
      yield* sql`select pg_notify('belltower_alarms', '')`
      const { lastCheck } = yield* reaches("down")
      expect(lastCheck).toMatchObject({ cause: "missed_ping", error: "The run has taken longer than 30 seconds" })
      expect([yield* states, yield* alarm]).toEqual([["overdue"], null])
      yield* ping()
      const up = yield* reaches("up")
      expect(up.lastCheck?.latencyMs).toBeGreaterThan(30_000)
      expect(yield* states).toEqual(["up"])
      expect((yield* checks).data.map(({ outcome }) => outcome).sort()).toEqual(["down", "up", "up"])
      expect(typesOf(yield* events)).toContain("monitor.up")
    }))

  it.effect("a job that never runs is reported", () =>
    Effect.gen(function*() {
      const { events, pass, reaches } = yield* setUp()
      yield* pass(3600)
      expect((yield* reaches("down")).lastCheck).toMatchObject({ outcome: "down", cause: "missed_ping" })
      expect(typesOf(yield* events)).toEqual(["monitor.created", "monitor.down", "incident.created"])
    }))

  it.effect(
    "a monitor that is down can be deleted while its actor handles a pause",
    () =>
      Effect.gen(function*() {
        const one = Effect.gen(function*() {
          const { id, manage, ping, reaches, workspaceId } = yield* setUp()
          yield* ping({ status: "down" })
          yield* reaches("down")
          yield* manage.update(workspaceId, id, { paused: true })
          return yield* manage.remove(workspaceId, id)
        })
        expect(yield* Effect.replicateEffect(one, 24, { concurrency: 4 })).toHaveLength(24)
      })
  )

  it.effect(
    "a missed ping is reported once, dated from the deadline, and the next ping ends the outage",
    () =>
      Effect.gen(function*() {
        const { checks, events, pass, ping, reaches } = yield* setUp()
        yield* ping()
        yield* reaches("up")
        yield* pass(3600)
        const down = yield* reaches("down")
        expect(down.lastCheck).toMatchObject({ outcome: "down", cause: "missed_ping" })
        expect(down.openIncidentId).not.toBeNull()
        yield* ping()
        yield* reaches("up")
        const recorded = yield* events
        expect(typesOf(recorded)).toEqual([
          "monitor.created",
          "monitor.down",
          "incident.created",
          "monitor.up",
          "incident.resolved"
        ])
        expect(recorded[1]?.data).toMatchObject({
          monitor: { kind: "heartbeat", heartbeat: { periodSec: 600, graceSec: 120 } },
          check: { cause: "missed_ping", error: "No ping for 12 minutes (expected every 10 minutes, grace 2 minutes)" }
        })
        // An hour without a ping, of which twelve minutes were within the deadline.
        const { downtimeSeconds } = recorded[3]?.data as { readonly downtimeSeconds: number }
        expect(Math.abs(downtimeSeconds - 2880)).toBeLessThan(60)
        expect((yield* checks).data.map(({ outcome }) => outcome).sort()).toEqual(["down", "up", "up"])
      })
  )

  it.effect(
    "a successful ping of a heartbeat that is up asks no actor: its alarm moves when it fires",
    () =>
      Effect.gen(function*() {
        const { alarm, events, pass, ping, reaches, record } = yield* setUp()
        yield* ping()
        yield* reaches("up")
        yield* pass(700)
        const armed = yield* alarm
        const { at } = yield* ping()
        yield* pass(0)
        yield* until(alarm, (due) => due === at.epochMillis + 720_000)
        expect(armed).not.toBe(at.epochMillis + 720_000)
        expect(yield* record).toMatchObject({ state: "up", lastCheck: { at } })
        expect(typesOf(yield* events)).toEqual(["monitor.created"])
      })
  )

  it.effect(
    "an explicit failure is reported immediately with its own text, regardless of the threshold",
    () =>
      Effect.gen(function*() {
        const { events, ping, reaches } = yield* setUp({ failureThreshold: 5 })
        yield* ping()
        yield* ping({ status: "down", message: "disk full" })
        yield* reaches("down")
        yield* ping({ status: "degraded", message: "slow disk" })
        yield* reaches("degraded")
        yield* ping()
        yield* reaches("up")
        const recorded = yield* events
        expect(typesOf(recorded)).toEqual([
          "monitor.created",
          "monitor.down",
          "incident.created",
          "monitor.up",
          "incident.resolved",
          "monitor.degraded",
          "monitor.up"
        ])
        expect(recorded[1]?.data).toMatchObject({ check: { error: "disk full", cause: "reported", outcome: "down" } })
      })
  )

  it.effect("reports that arrive together are each reported, in order", () =>
    Effect.gen(function*() {
      const { events, ping, reaches } = yield* setUp()
      yield* ping()
      yield* reaches("up")
      yield* Effect.all([ping({ status: "down" }), ping(), ping({ status: "down" }), ping()], { concurrency: "unbounded" })
      yield* until(events, (recorded) => recorded.length === 9)
      yield* reaches("up")
      expect(typesOf(yield* events).filter((type) => type.startsWith("monitor."))).toEqual([
        "monitor.created",
        "monitor.down",
        "monitor.up",
        "monitor.down",
        "monitor.up"
      ])
    }))

  it.effect(
    "a paused heartbeat records pings but has no deadline; resumed, it is pending with a new deadline",
    () =>
      Effect.gen(function*() {
        const { alarm, checks, id, manage, pass, ping, reaches, workspaceId } = yield* setUp()
        yield* ping()
        yield* reaches("up")
        yield* manage.update(workspaceId, id, { paused: true })
        yield* until(alarm, (due) => due === null)
        yield* ping({ status: "down" })
        yield* until(alarm, (due) => due === null)
        yield* reaches("paused")
        expect((yield* checks).data).toHaveLength(2)
        yield* pass(86_400)
        const resumed = Date.now()
        yield* manage.update(workspaceId, id, { paused: false })
        yield* reaches("pending")
        const due = yield* until(alarm, (at) => at !== null && at > resumed + 60_000)
        expect(due).toBeGreaterThanOrEqual(resumed + 720_000)
        yield* pass(3600)
        yield* reaches("down")
      })
  )

  it.effect(
    "an edit of the period moves the deadline and changes neither the grace nor the ping URL",
    () =>
      Effect.gen(function*() {
        const { alarm, id, manage, ping, reaches, record, workspaceId } = yield* setUp()
        yield* ping()
        yield* reaches("up")
        const before = yield* Clock.currentTimeMillis
        const { graceSec, pingUrl } = yield* manage.update(workspaceId, id, { periodSec: 3600 })
        expect([graceSec, pingUrl]).toEqual([120, (yield* record).pingUrl])
        const due = yield* until(alarm, (at) => at !== null && at >= before + 3_720_000)
        expect(due).toBeLessThan(before + 3_780_000)
      })
  )

  it.effect(
    "an outage of the service itself raises no alarm before the job had another chance",
    () =>
      Effect.gen(function*() {
        const { alarm, pass, ping, reaches, record, sql } = yield* setUp()
        yield* ping()
        yield* reaches("up")
        const since = Date.now()
        yield* sql`update heartbeats set last_ping_at = last_ping_at - interval '1 day', expected_from = expected_from - interval '1 day'`
        yield* sql`update listeners set began_at = ${new Date(since)}, since = ${new Date(since)}`
        yield* sql`update alarms set due_at = now()`
        yield* sql`select pg_notify('belltower_alarms', '')`
        yield* until(alarm, (due) => due === since + 720_000)
        expect((yield* record).state).toBe("up")
        yield* pass(720)
        yield* reaches("down")
      })
  )

  it.effect("a ping stamped by a clock that was a day ahead does not excuse silence today", () =>
    Effect.gen(function*() {
      const { alarm, id, pass, ping, reaches, sql } = yield* setUp()
      yield* ping()
      yield* reaches("up")
      yield* sql`update heartbeats set last_ping_at = now() + interval '1 day' where monitor_id = ${id}`
      yield* pass(0)
      const before = yield* Clock.currentTimeMillis
      yield* until(alarm, (due) => due !== null && due >= before + 700_000)
      yield* pass(3600)
      yield* reaches("down")
    }))

  it.effect("a deleted monitor's token is unknown, and its alarm is deleted when it fires", () =>
    Effect.gen(function*() {
      const { alarm, id, manage, pass, ping, reaches, workspaceId } = yield* setUp()
      yield* ping()
      yield* reaches("up")
      yield* manage.remove(workspaceId, id)
      expect(yield* Effect.flip(ping())).toMatchObject({ _tag: "not_found" })
      yield* pass(0)
      yield* until(alarm, (due) => due === null)
    }))

  it.effect("live stream clients of the workspace see its pings", () =>
    Effect.gen(function*() {
      const { id, ping, sql, workspaceId } = yield* setUp()
      const wakeups = yield* Wakeups
      const frames = yield* Queue.unbounded<string>()
      yield* wakeups.listen(liveChecksSignal).pipe(
        Stream.filter((frame) => frame.includes(id)),
        Stream.runForEach((frame) => Queue.offer(frames, frame)),
        Effect.forkScoped
      )
      yield* sql`insert into live_watchers (watcher, workspace_id, until) values ('test', ${workspaceId}, now() + interval '1 minute')`
      yield* until(Effect.zipRight(ping({ status: "down", message: "disk full" }), Queue.size(frames)), (size) => size > 0)
      expect(JSON.parse(yield* Queue.take(frames))).toMatchObject({
        workspaceId,
        monitorId: id,
        check: { outcome: "down", error: "disk full", cause: "reported", region: "push" }
      })
    }).pipe(Effect.scoped))

  it.effect(
    "120 pings a minute are accepted, further ones get a retry time, and each accepted one has its row",
    () =>
      Effect.gen(function*() {
        const { created, ping, sql } = yield* setUp()
        const answers = yield* Effect.all(Array.from({ length: 150 }, () => Effect.either(ping())), { concurrency: "unbounded" })
        const taken = answers.filter(({ _tag }) => _tag === "Right").length
        // A new minute may have begun in between.
        expect(taken).toBeGreaterThanOrEqual(120)
        const [rows] = yield* sql<{ readonly count: number }>`select count(*) from checks where monitor_id = ${created.id}`
        expect(rows?.count).toBe(taken)
        const refused = answers.find(({ _tag }) => _tag === "Left")
        if (refused !== undefined) {
          expect(refused).toMatchObject({ left: { _tag: "rate_limited", details: { retryAfterSec: expect.any(Number) } } })
        }
      })
  )

  it.effect("text that cannot be a token is rejected", () =>
    Effect.gen(function*() {
      const pings = yield* TakePings
      for (const token of ["", "short", "x".repeat(24), "../../etc/passwd%00aaaaa", "ü".repeat(24)]) {
        expect(yield* Effect.flip(pings.take(token, {}))).toMatchObject({ _tag: "not_found" })
      }
    }))
})
