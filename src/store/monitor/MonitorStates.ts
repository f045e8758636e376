/** The state rows that actors own: saved in bulk after checks that change no state, in a transaction after those that do. */
import { SqlClient, type Statement } from "@effect/sql"
import { DateTime, Effect } from "effect"
import type { CheckSummary } from "../../../schema/check/Check.ts"
import type { IncidentId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Machine, Snapshot } from "../../../schema/monitor/Machine.ts"
import type { Transition } from "../../domain/monitor/JudgeRound.ts"
import type { Gap } from "../../domain/monitor/MonitorMachine.ts"
import { arrayText } from "../postgres/ArrayText.ts"
import { isLockNotAvailable } from "../postgres/PostgresErrors.ts"

// Encoded by hand, because a Schema encoder costs as much as the rest of a snapshot. The types must match the schemas.
export const encodeMachine = (machine: typeof Machine.Encoded): string => JSON.stringify(machine)
const encodeCheck = (check: CheckSummary | null): string => {
  const encoded: typeof CheckSummary.Encoded | null = check === null ? null : { ...check, at: DateTime.formatIso(check.at) }
  return JSON.stringify(encoded)
}

const textOf = (snapshots: ReadonlyArray<Snapshot>, valueOf: (one: Snapshot) => string | number | null): string =>
  arrayText(snapshots.map(valueOf))

/** How long a write of many snapshots waits for a lock, ms. While it waits, it holds the rows that it has locked before. */
const savePatience = 100

/** A change of a monitor's state, and the gaps in its observation before it. */
export interface StateChange {
  readonly snapshot: Snapshot
  readonly transitions: ReadonlyArray<Transition>
  readonly gaps: ReadonlyArray<Gap>
  readonly incidentId: IncidentId | null
}

/** The version of a row that a change is based on. */
export interface SeenState {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  readonly version: number
}

/** The beginning of a span, ms. */
interface Mark {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  readonly at: number
  readonly state: string
}

/** The spans that a change begins, in order. Gaps first: they come before the transition that ended them. */
const marksOf = ({ gaps, snapshot: { machine, monitorId, workspaceId }, transitions }: StateChange): ReadonlyArray<Mark> =>
  [
    ...gaps.flatMap((gap) => [
      { at: gap.from, state: "unobserved" },
      { at: gap.to, state: transitions[0]?.from ?? machine.state }
    ]),
    ...transitions.map((transition) => ({ at: transition.at, state: transition.to }))
  ].map((mark) => ({ ...mark, workspaceId, monitorId }))

export class MonitorStates extends Effect.Service<MonitorStates>()("belltower/MonitorStates", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** `snapshot`: a row for each snapshot. */
    const given = (snapshots: ReadonlyArray<Snapshot>) =>
      sql`
        unnest(${textOf(snapshots, (one) => one.workspaceId)}::text[], ${textOf(snapshots, (one) => one.monitorId)}::text[],
               ${textOf(snapshots, (one) => one.version)}::int[], ${textOf(snapshots, (one) => one.machine.sequence)}::int[],
               ${textOf(snapshots, (one) => encodeMachine(one.machine))}::text[],
               ${textOf(snapshots, (one) => encodeCheck(one.lastCheck))}::text[],
               ${textOf(snapshots, (one) => one.expected?.at ?? null)}::float8[],
               ${textOf(snapshots, (one) => one.expected?.allowance ?? null)}::float8[])
          as snapshot (workspace_id, id, version, sequence, machine, last_check, expected_ms, allowance_ms)`

    /**
     * The update that writes the snapshots of a table. It skips those with another version than the row's, or an older sequence. The
     * indexed `expected_at` moves only once it lags by three fifths of the allowance, which leaves the next check on time enough of
     * the rest: a row whose indexed columns stay is updated in place, and is not logged with all its index entries.
     */
    const saving = (snapshots: Statement.Fragment, condition: Statement.Fragment) =>
      sql`
        update monitor_states s
        set machine = snapshot.machine::jsonb, last_check = snapshot.last_check::jsonb,
          expected_at = case
            when s.expected_at <= expected.at and s.expected_at > expected.at - allowance * 0.6 then s.expected_at
            else expected.at
          end
        from ${snapshots}
        cross join lateral (select make_interval(secs => allowance_ms / 1000) as allowance) allowed
        -- An instant further ahead than the allowance comes from a wrong clock.
        cross join lateral (select case when expected_ms is not null
          then least(to_timestamp(expected_ms / 1000), now() + allowance) end as at) expected
        where s.workspace_id = snapshot.workspace_id and s.monitor_id = snapshot.id and s.version = snapshot.version
          and (s.machine->>'sequence')::int <= snapshot.sequence ${condition}`

    /** Writes snapshots in one statement, without those that are outdated. */
    const saveAll = (snapshots: ReadonlyArray<Snapshot>) => Effect.asVoid(saving(given(snapshots), sql``))

    // The row of `patience` is read before any row can be locked.
    const saveSoon = (snapshots: ReadonlyArray<Snapshot>) =>
      sql`/* one plan */ ${
        saving(
          sql`${given(snapshots)} cross join (select set_config('lock_timeout', ${String(savePatience)}, true)) patience`,
          sql``
        )
      }`

    const saveFree = (snapshots: ReadonlyArray<Snapshot>) =>
      sql<{ readonly id: MonitorId }>`
        with snapshot as materialized (select * from ${given(snapshots)}), free as materialized (
          select s.monitor_id from monitor_states s
          join snapshot on s.workspace_id = snapshot.workspace_id and s.monitor_id = snapshot.id and s.version = snapshot.version
          for update of s skip locked
        ), written as (
          ${saving(sql`snapshot`, sql`and s.monitor_id in (select monitor_id from free)`)}
        )
        select snapshot.id from snapshot
        join monitor_states s on s.workspace_id = snapshot.workspace_id and s.monitor_id = snapshot.id
          and s.version = snapshot.version
        where s.monitor_id not in (select monitor_id from free)`

    /** Whether the last write met a locked row: then the next one does not wait for it first. */
    let metLock = false

    /**
     * Writes snapshots like `saveAll`, but waits for nobody: returns the monitors whose rows somebody has locked, of which nothing is
     * written. A plan or the deletion of a workspace locks the rows of its monitors for as long as it takes.
     */
    const saveUnlocked = Effect.fn("MonitorStates.saveUnlocked")(function*(snapshots: ReadonlyArray<Snapshot>) {
      const isSaved = metLock ? false : yield* Effect.as(saveSoon(snapshots), true).pipe(
        Effect.catchIf(isLockNotAvailable, () => Effect.succeed(false))
      )
      const locked = isSaved ? [] : yield* saveFree(snapshots)
      metLock = locked.length > 0
      return new Set(locked.map(({ id }) => id))
    })

    /**
     * Ends the open span of each monitor and begins another. An open span that would have no duration changes its state
     * instead. The insertion reads both updates, so that they come first: a monitor has one open span.
     */
    const markSpans = (marks: ReadonlyArray<Mark>) =>
      sql`
        with mark as (
          select * from unnest(${marks.map((one) => one.workspaceId)}::text[], ${marks.map((one) => one.monitorId)}::text[],
                               ${marks.map((one) => new Date(one.at))}::timestamptz[], ${marks.map((one) => one.state)}::text[])
            as m (workspace_id, monitor_id, at, state)
        ), changed as (
          update monitor_spans s set state = mark.state from mark
          where s.workspace_id = mark.workspace_id and s.monitor_id = mark.monitor_id and s.ended_at is null
            and mark.at <= s.started_at
          returning s.monitor_id
        ), ended as (
          update monitor_spans s set ended_at = mark.at from mark
          where s.workspace_id = mark.workspace_id and s.monitor_id = mark.monitor_id and s.ended_at is null
            and mark.at > s.started_at
          returning s.monitor_id
        )
        insert into monitor_spans (monitor_id, workspace_id, started_at, state)
        select mark.monitor_id, mark.workspace_id, mark.at, mark.state
        from mark left join changed using (monitor_id) left join ended using (monitor_id)
        where changed.monitor_id is null`

    const writeStates = (changes: ReadonlyArray<StateChange>) => {
      const states = changes.map(({ snapshot }) => snapshot)
      return sql`
        update monitor_states s
        set version = s.version + 1, state = change.state, state_since = change.since, machine = change.machine::jsonb,
          last_check = change.last_check::jsonb, incident_id = change.incident_id, expected_at = change.expected_at
        from unnest(${textOf(states, (one) => one.workspaceId)}::text[], ${textOf(states, (one) => one.monitorId)}::text[],
                    ${textOf(states, (one) => one.machine.state)}::text[],
                    ${states.map((one) => new Date(one.machine.since))}::timestamptz[],
                    ${textOf(states, (one) => encodeMachine(one.machine))}::text[],
                    ${textOf(states, (one) => encodeCheck(one.lastCheck))}::text[],
                    ${changes.map((one) => one.incidentId)}::text[],
                    ${states.map(({ expected }) => expected === null ? null : new Date(expected.at))}::timestamptz[])
          as change (workspace_id, id, state, since, machine, last_check, incident_id, expected_at)
        where s.workspace_id = change.workspace_id and s.monitor_id = change.id`
    }

    /** Writes the next versions of rows, which the caller's transaction has locked, and the spans of their changes. */
    const commit = Effect.fn("MonitorStates.commit")(function*(changes: ReadonlyArray<StateChange>) {
      yield* writeStates(changes)
      const marks = changes.map(marksOf)
      const most = Math.max(...marks.map(({ length }) => length))
      for (let turn = 0; turn < most; turn++) yield* markSpans(marks.flatMap((ofOne) => ofOne[turn] ?? []))
    })

    /**
     * Locks rows in the caller's transaction, and returns their monitors: of those that still have the version. Another writer
     * came first for the others; an actor's memory of them is stale, and it must reload the row. Call it before any write, so
     * that the loser writes nothing. Deletions lock rows in the same order.
     *
     * With `patienceMs`, rows that somebody has locked are left out, and later statements of the transaction wait no longer than
     * this for a lock.
     */
    const hold = (seen: ReadonlyArray<SeenState>, patienceMs: number | null = null) =>
      Effect.map(
        sql<{ readonly id: MonitorId }>`
          select s.monitor_id as id ${
          patienceMs === null ? sql`` : sql`, set_config('lock_timeout', ${String(patienceMs)}, true)`
        }
          from monitor_states s
          join unnest(${seen.map((one) => one.workspaceId)}::text[], ${seen.map((one) => one.monitorId)}::text[],
                      ${seen.map((one) => one.version)}::int[]) as seen (workspace_id, id, version)
            on s.workspace_id = seen.workspace_id and s.monitor_id = seen.id and s.version = seen.version
          order by s.monitor_id for update of s ${patienceMs === null ? sql`` : sql`skip locked`}`,
        (rows): ReadonlySet<MonitorId> => new Set(rows.map(({ id }) => id))
      )

    /** Monitors with a round whose deadline was before `before` (ms): those of them that are late at `now` (ms). */
    const withAbandonedRounds = (now: number, before: number, limit: number) =>
      Effect.orDie(sql<{ readonly workspaceId: WorkspaceId; readonly monitorId: MonitorId }>`
        select workspace_id as "workspaceId", monitor_id as "monitorId" from monitor_states
        where expected_at <= ${new Date(now)} and (machine->'rounds'->0->>'deadline')::float8 < ${before}
        order by expected_at limit ${limit}`)

    return { saveAll, saveUnlocked, hold, commit, withAbandonedRounds }
  })
}) {}
