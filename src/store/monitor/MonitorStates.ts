/** The state rows that actors own: saved in bulk after checks that change no state, in a transaction after those that do. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect } from "effect"
import type { CheckSummary } from "../../../schema/check/Check.ts"
import type { IncidentId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Machine, Snapshot } from "../../../schema/monitor/Machine.ts"
import type { Gap, Transition } from "../../domain/monitor/MonitorMachine.ts"
import { pagesSignal } from "../page/Pages.ts"
import { arrayText } from "../postgres/ArrayText.ts"
import { Signals } from "../postgres/Signals.ts"
import { Followers } from "./Followers.ts"

// Encoded by hand, because a Schema encoder costs as much as the rest of a snapshot. The types must match the schemas.
const encodeMachine = (machine: typeof Machine.Encoded): string => JSON.stringify(machine)
const encodeCheck = (check: CheckSummary | null): string => {
  const encoded: typeof CheckSummary.Encoded | null = check === null ? null : { ...check, at: DateTime.formatIso(check.at) }
  return JSON.stringify(encoded)
}

const textOf = (snapshots: ReadonlyArray<Snapshot>, valueOf: (one: Snapshot) => string | number | null): string =>
  arrayText(snapshots.map(valueOf))

const date = (millis: number): Date => DateTime.toDateUtc(DateTime.unsafeMake(millis))

export class MonitorStates extends Effect.Service<MonitorStates>()("belltower/MonitorStates", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const followers = yield* Followers

    /**
     * Writes snapshots in one statement. Skips those with another version than the row's, or an older sequence. The indexed
     * `expected_at` moves only once it lags by half of the allowance: a row whose indexed columns stay is updated in place.
     */
    const saveAll = (snapshots: ReadonlyArray<Snapshot>) =>
      Effect.asVoid(sql`
        update monitor_states s
        set machine = snapshot.machine::jsonb, last_check = snapshot.last_check::jsonb,
          expected_at = case
            when s.expected_at <= expected.at and s.expected_at > expected.at - allowance / 2 then s.expected_at
            else expected.at
          end
        from unnest(${textOf(snapshots, (one) => one.workspaceId)}::text[], ${textOf(snapshots, (one) => one.monitorId)}::text[],
                    ${textOf(snapshots, (one) => one.version)}::int[], ${textOf(snapshots, (one) => one.machine.sequence)}::int[],
                    ${textOf(snapshots, (one) => encodeMachine(one.machine))}::text[],
                    ${textOf(snapshots, (one) => encodeCheck(one.lastCheck))}::text[],
                    ${textOf(snapshots, (one) => one.expected?.at ?? null)}::float8[],
                    ${textOf(snapshots, (one) => one.expected?.allowance ?? null)}::float8[])
          as snapshot (workspace_id, id, version, sequence, machine, last_check, expected_ms, allowance_ms)
        cross join lateral (select make_interval(secs => allowance_ms / 1000) as allowance) allowed
        -- An instant further ahead than the allowance comes from a wrong clock.
        cross join lateral (select case when expected_ms is not null
          then least(to_timestamp(expected_ms / 1000), now() + allowance) end as at) expected
        where s.workspace_id = snapshot.workspace_id and s.monitor_id = snapshot.id and s.version = snapshot.version
          and (s.machine->>'sequence')::int <= snapshot.sequence`)

    /** Ends the open span and begins another. If the open span would have no duration, changes its state instead. */
    const markSpan = (
      workspaceId: WorkspaceId,
      monitorId: MonitorId,
      mark: { readonly at: number; readonly state: string }
    ) =>
      Effect.gen(function*() {
        const [open] = yield* sql<{ readonly startedAt: Date }>`
          select started_at as "startedAt" from monitor_spans
          where workspace_id = ${workspaceId} and monitor_id = ${monitorId} and ended_at is null`
        if (open !== undefined && mark.at <= open.startedAt.getTime()) {
          return yield* sql`
            update monitor_spans set state = ${mark.state}
            where workspace_id = ${workspaceId} and monitor_id = ${monitorId} and ended_at is null`
        }
        yield* sql`
          update monitor_spans set ended_at = ${date(mark.at)}
          where workspace_id = ${workspaceId} and monitor_id = ${monitorId} and ended_at is null`
        return yield* sql`
          insert into monitor_spans (monitor_id, workspace_id, started_at, state)
          values (${monitorId}, ${workspaceId}, ${date(mark.at)}, ${mark.state})`
      })

    /** Notifies the pages that show a monitor, because not every change of state has an event. */
    const notifyPages = (workspaceId: WorkspaceId, monitorId: MonitorId) =>
      Effect.flatMap(
        sql<{ readonly slug: string }>`
          select slug from pages
          where workspace_id = ${workspaceId} and id in (
            select page_id from components where workspace_id = ${workspaceId} and monitor_ids @> array[${monitorId}::text])`,
        Effect.forEach(({ slug }) => signals.send(pagesSignal, slug), { discard: true })
      )

    /** Writes the next version of the row, which the caller's transaction has locked. */
    const commit = Effect.fn("MonitorStates.commit")(function*(
      snapshot: Snapshot,
      transitions: ReadonlyArray<Transition>,
      gaps: ReadonlyArray<Gap>,
      incidentId: IncidentId | null
    ) {
      const { lastCheck, machine, monitorId, workspaceId } = snapshot
      yield* sql`
        update monitor_states
        set version = version + 1, state = ${machine.state}, state_since = ${date(machine.since)},
          machine = ${encodeMachine(machine)}::jsonb, last_check = ${encodeCheck(lastCheck)}::jsonb, incident_id = ${incidentId},
          expected_at = ${snapshot.expected === null ? null : date(snapshot.expected.at)}
        where workspace_id = ${workspaceId} and monitor_id = ${monitorId}`
      // Gaps first: they come before the transition that ended them.
      const marks = [
        ...gaps.flatMap((gap) => [
          { at: gap.from, state: "unobserved" },
          { at: gap.to, state: transitions[0]?.from ?? machine.state }
        ]),
        ...transitions.map((transition) => ({ at: transition.at, state: transition.to }))
      ]
      for (const mark of marks) yield* markSpan(workspaceId, monitorId, mark)
      if (transitions.length > 0) {
        yield* notifyPages(workspaceId, monitorId)
        yield* followers.call(workspaceId, monitorId)
      }
    })

    /**
     * Locks the row in the caller's transaction. False when another writer came first: the actor's memory is stale, and it
     * must reload the row. Call it before any write, so that the loser writes nothing. Deletions lock rows in the same order.
     */
    const hold = (workspaceId: WorkspaceId, monitorId: MonitorId, version: number) =>
      Effect.map(
        sql`
          select 1 from monitor_states
          where workspace_id = ${workspaceId} and monitor_id = ${monitorId} and version = ${version} for update`,
        (rows) => rows.length > 0
      )

    /** Monitors with a round whose deadline was before `before` (ms): those of them that are late at `now` (ms). */
    const withAbandonedRounds = (now: number, before: number, limit: number) =>
      Effect.orDie(sql<{ readonly workspaceId: WorkspaceId; readonly monitorId: MonitorId }>`
        select workspace_id as "workspaceId", monitor_id as "monitorId" from monitor_states
        where expected_at <= ${date(now)} and (machine->'rounds'->0->>'deadline')::float8 < ${before}
        order by expected_at limit ${limit}`)

    return { saveAll, hold, commit, withAbandonedRounds }
  }),
  dependencies: [Followers.Default]
}) {}
