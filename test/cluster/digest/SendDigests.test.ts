/** The weekly digest on a runner: once for each week, also after a downtime and after a kill. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Schema } from "effect"
import { makeSendDigests } from "../../../cluster/digest/SendDigests.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { digestWeek } from "../../../src/domain/digest/DigestWeek.ts"
import { Ai } from "../../../src/external/ai/AiProvider.ts"
import { makeAiProvider } from "../../../src/external/ai/MakeAiProvider.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { AiTexts } from "../../../src/services/ai/AiTexts.ts"
import { DigestBuilder } from "../../../src/services/digest/DigestBuilder.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { Users } from "../../../src/store/people/Users.ts"
import { cellOf } from "../../../src/store/SealedColumns.ts"
import { Vault } from "../../../src/store/Vault.ts"
import { newComponent, newMaintenance } from "../../support/database/MaintenanceRows.ts"
import { Ground, newWorkspace } from "../../support/program/TestRunner.ts"
import { localModel, says } from "../../support/services/LocalModel.ts"

const isOwner = (workspaceId: WorkspaceId, email: string, role: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const users = yield* Users
    const { id } = yield* users.ensure(Schema.decodeSync(EmailAddress)(email), true, null)
    yield* sql`insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${id}, ${role}, now())`
  })

/** A workspace with a monitor that was down for an hour of last week, an owner and a member; its digest is due. */
const lastWeek = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const log = yield* EventLog
  const { id: workspaceId } = yield* newWorkspace
  yield* isOwner(workspaceId, `owner-of-${workspaceId}@example.com`, "owner")
  yield* isOwner(workspaceId, `member-of-${workspaceId}@example.com`, "member")
  const monitor = yield* Effect.flatMap(
    ManageMonitors,
    ({ create }) => create(workspaceId, { name: "Shop", url: "https://shop.test/" })
  )
  const { nextAt, period } = digestWeek(yield* DateTime.now, "UTC")
  const from = DateTime.toDateUtc(period.from)
  // A while ago: the runner's estimate of the database's time may be behind it.
  yield* sql`update workspaces set created_at = ${from}, digest_at = now() - interval '3 seconds' where id = ${workspaceId}`
  yield* sql`delete from monitor_spans where monitor_id = ${monitor.id}`
  const span = (start: number, end: number, state: string) =>
    sql`
      insert into monitor_spans (monitor_id, workspace_id, started_at, ended_at, state)
      values (${monitor.id}, ${workspaceId}, ${from}::timestamptz + ${`${start} hours`}::interval,
              ${from}::timestamptz + ${`${end} hours`}::interval, ${state})`
  yield* span(0, 10, "up")
  yield* span(10, 11, "down")
  yield* span(11, 168, "up")
  return {
    workspaceId,
    nextAt,
    monitor,
    makeDue: sql`update workspaces set digest_at = now() - interval '3 seconds' where id = ${workspaceId}`,
    digests: Effect.map(log.after(workspaceId, "", ["digest.weekly"], 10), (events) => events.map(({ data }) => data)),
    mails: Effect.map(
      sql<{ readonly recipient: string }>`select recipient from mails where workspace_id = ${workspaceId}`,
      (rows) => rows.map(({ recipient }) => recipient)
    ),
    dueAt: Effect.map(
      sql<{ readonly at: Date }>`select digest_at as at from workspaces where id = ${workspaceId}`,
      ([row]) => row?.at.toISOString()
    )
  }
})

layer(Layer.provideMerge(Layer.mergeAll(AiTexts.Default, DigestBuilder.Default, ManageMonitors.Default), Ground), {
  excludeTestServices: true
})(
  (it) => {
    describe("the weekly digest", () => {
      it.effect("reports the week before to the owner and as an event, once", () =>
        Effect.gen(function*() {
          const { digests, dueAt, mails, makeDue, monitor, nextAt, workspaceId } = yield* lastWeek
          const send = yield* makeSendDigests
          yield* send
          expect(yield* mails).toEqual([`owner-of-${workspaceId}@example.com`])
          expect(yield* digests).toMatchObject([{
            summary: "1 monitor was up 99.404% of the time, with 1 hour of downtime together. There were no incidents.",
            monitors: { total: 1, downSeconds: 3600, coveragePercent: 100, worst: [{ id: monitor.id, downSeconds: 3600 }] },
            trends: { downSeconds: { current: 3600, previous: 0 } }
          }])
          expect(yield* dueAt).toBe(DateTime.formatIso(nextAt))
          yield* makeDue
          yield* send
          expect([(yield* digests).length, (yield* mails).length]).toEqual([1, 1])
        }))

      it.effect("counts no downtime within a maintenance window", () =>
        Effect.gen(function*() {
          const { digests, monitor, workspaceId } = yield* lastWeek
          const from = digestWeek(yield* DateTime.now, "UTC").period.from.epochMillis
          const component = yield* newComponent(workspaceId, [monitor.id])
          yield* newMaintenance(workspaceId, [component], from + 9 * 3_600_000, from + 10.75 * 3_600_000)
          yield* Effect.flatten(makeSendDigests)
          expect(yield* digests).toMatchObject([{
            monitors: { downSeconds: 900, worst: [{ id: monitor.id, downSeconds: 900 }] }
          }])
        }))

      it.effect("is made up for when no process ran, and not for a week before the workspace existed", () =>
        Effect.gen(function*() {
          const late = yield* lastWeek
          const young = yield* lastWeek
          const sql = yield* SqlClient.SqlClient
          yield* sql`update workspaces set digest_at = now() - interval '20 days' where id = ${late.workspaceId}`
          yield* sql`update workspaces set created_at = now() where id = ${young.workspaceId}`
          yield* Effect.flatten(makeSendDigests)
          expect([(yield* late.digests).length, (yield* young.digests).length]).toEqual([1, 0])
        }))

      it.scoped("has the text of a provider in its event and its mail; without an answer or a report left it goes without", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const text = "The shop was down for an hour <b>on Monday</b>."
          const model = yield* localModel((one) =>
            one.user.includes("Told shop") ? says({ text }) : { _tag: "Answers", status: 500, body: "" }
          )
          const settings = { provider: "openai", key: Option.none(), model: "small", url: model.url } as const
          const provider = yield* makeAiProvider(settings)
          const named = (name: string) =>
            Effect.gen(function*() {
              const week = yield* lastWeek
              yield* sql`update monitors set name = ${name} where id = ${week.monitor.id}`
              return week
            })
          const [told, broken, used] = [
            yield* named("Told shop"),
            yield* named("Broken shop"),
            yield* named("Told shop, too late")
          ]
          yield* sql`update workspaces set plan = 'free' where id = ${used.workspaceId}`
          yield* sql`
            insert into ai_usage (workspace_id, month, used)
            values (${used.workspaceId}, date_trunc('month', now() at time zone 'UTC')::date, 10)`
          yield* Effect.flatten(makeSendDigests).pipe(Effect.provideService(Ai, provider))
          const textsOf = ({ digests }: typeof told) => Effect.map(digests, (found) => found.map(({ ai }) => ai))
          expect(yield* Effect.forEach([told, broken, used], textsOf)).toEqual([[text], [null], [null]])
          expect(model.asked.filter(({ user }) => user.includes("too late"))).toEqual([])
          const [mail] = yield* sql<{ readonly id: string; readonly sealed: string }>`
            select id, sealed from mails where workspace_id = ${told.workspaceId}`
          const place = cellOf("mails.sealed", mail?.id ?? "")
          const content = yield* Effect.flatMap(Vault, (vault) => vault.unseal(place, mail?.sealed ?? ""))
          expect(content).toContain("The shop was down for an hour &lt;b&gt;on Monday&lt;/b&gt;.")
          const [unused] = yield* sql`select used from ai_usage where workspace_id = ${broken.workspaceId}`
          expect(unused).toEqual({ used: 0 })
        }))

      it.effect("that fails half-way leaves nothing, delays no other workspace's, and is made again an hour later", () =>
        Effect.gen(function*() {
          const { digests, dueAt, mails, makeDue, nextAt, workspaceId } = yield* lastWeek
          const other = yield* lastWeek
          const sql = yield* SqlClient.SqlClient
          yield* sql`update workspaces set digest_at = now() - interval '1 day' where id = ${workspaceId}`
          yield* sql`alter table digest_runs add constraint refused check (workspace_id <> ${sql.literal(`'${workspaceId}'`)})`
          const before = yield* DateTime.now
          yield* Effect.flatten(makeSendDigests)
          expect([yield* digests, yield* mails]).toEqual([[], []])
          expect([(yield* other.digests).length, (yield* other.mails).length]).toEqual([1, 1])
          const again = DateTime.unsafeMake((yield* dueAt) ?? "")
          expect(DateTime.greaterThanOrEqualTo(again, DateTime.add(before, { minutes: 59 }))).toBe(true)
          expect(DateTime.lessThan(again, nextAt)).toBe(true)
          yield* sql`alter table digest_runs drop constraint refused`
          yield* makeDue
          yield* Effect.flatten(makeSendDigests)
          expect([(yield* digests).length, (yield* mails).length]).toEqual([1, 1])
        }))

      it.effect("of sixteen workspaces that cannot be made delays no other's", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const broken = yield* Effect.replicateEffect(lastWeek, 16)
          const sound = yield* lastWeek
          const ids = broken.map(({ workspaceId }) => workspaceId)
          yield* sql`
            update workspaces set digest_at = now() - interval '1 day', timezone = 'Nowhere/Atlantis' where id = any(${ids}::text[])`
          yield* Effect.flatten(makeSendDigests)
          expect((yield* sound.digests).length).toBe(1)
        }))

      it.effect("reads three spans of a monitor, however often its state changed", () =>
        Effect.gen(function*() {
          const { digests, monitor, workspaceId } = yield* lastWeek
          const sql = yield* SqlClient.SqlClient
          yield* sql`delete from monitor_spans where monitor_id = ${monitor.id}`
          const { period } = digestWeek(yield* DateTime.now, "UTC")
          // Up and down in turn, a minute each. In one statement the trigger does not see the rows before; so the totals are given.
          yield* sql`alter table monitor_spans disable trigger total_spans`
          yield* sql`
            insert into monitor_spans (monitor_id, workspace_id, started_at, ended_at, state, good_ms, bad_ms)
            select ${monitor.id}, ${workspaceId}, ${DateTime.toDateUtc(period.from)}::timestamptz + n * interval '1 minute',
                   ${DateTime.toDateUtc(period.from)}::timestamptz + (n + 1) * interval '1 minute',
                   case n % 2 when 0 then 'up' else 'down' end, (n + 1) / 2 * 60000, n / 2 * 60000
            from generate_series(0, 10079) n`
          yield* sql`alter table monitor_spans enable trigger total_spans`
          const read = sql<{ readonly rows: number }>`
            select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables
            where relname = 'monitor_spans'`
          const builder = yield* DigestBuilder
          const rows = yield* sql.withTransaction(Effect.gen(function*() {
            const [before] = yield* read
            yield* builder.build({ id: workspaceId, name: "Test", timezone: "UTC" }, period)
            const [after] = yield* read
            return (after?.rows ?? NaN) - (before?.rows ?? NaN)
          }))
          expect(rows).toBeLessThanOrEqual(12)
          yield* Effect.flatten(makeSendDigests)
          expect(yield* digests).toMatchObject([{
            monitors: { downSeconds: 302_400, uptimePercent: 50, coveragePercent: 100 }
          }])
        }))
    })
  }
)
