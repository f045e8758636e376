/**
 * The next wake-up time of each actor that has one. Alarms are rows, so they survive a crash or restart of the actor. The
 * database's clock (`DatabaseClock`) sets them and decides when they are due.
 */
import { SqlClient, type Statement } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import { WorkspaceId } from "../../schema/Ids.ts"
import { longestFallback } from "../domain/tools/time/FallbackPause.ts"
import { withNext } from "./postgres/LeanTransactions.ts"
import { earliestOf, findAll, write } from "./postgres/Queries.ts"
import { Signals } from "./postgres/Signals.ts"

/** Notified on every commit that sets an alarm due before all runners have polled again. */
export const alarmsSignal = "belltower_alarms"

/** How long a claimed alarm is held. An alarm that is neither set again nor removed by then is claimed again. */
export const lease = Duration.seconds(30)

/**
 * How long an actor that an alarm woke waits for a lock, ms. Few actors wake at a time, and somebody may hold the rows of a workspace for
 * seconds.
 */
const wakePatience = 500

/** The kind of actor that an alarm wakes; `cluster/AlarmClock.ts` wakes each kind. */
export const AlarmKind = Schema.Literal("monitor", "component", "incident", "subscriber")
export type AlarmKind = typeof AlarmKind.Type

export const Alarm = Schema.Struct({
  kind: AlarmKind,
  workspaceId: WorkspaceId,
  id: Schema.String,
  /** The time it was set to, which the actor may decide by even if it wakes late. */
  dueAt: Schema.DateTimeUtcFromDate,
  /** No other process claims it before this time. */
  heldUntil: Schema.DateTimeUtcFromDate
})
export type Alarm = typeof Alarm.Type

/** The actor of an alarm, of a known kind. */
interface AlarmKey {
  readonly workspaceId: WorkspaceId
  readonly id: string
}

interface WantedAlarm extends AlarmKey {
  readonly dueAt: DateTime.Utc
}

/** With null, none. */
interface NextAlarm extends AlarmKey {
  readonly dueAt: DateTime.Utc | null
}

const HeldAlarm = Schema.Struct({ kind: AlarmKind, id: Schema.String, heldUntil: Schema.DateTimeUtcFromSelf })

export class Alarms extends Effect.Service<Alarms>()("belltower/Alarms", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    /** `condition` on an alarm that is set already; as `alarms` in SQL, beside the new one, `excluded`. */
    const set = Effect.fnUntraced(function*(kind: AlarmKind, wanted: ReadonlyArray<WantedAlarm>, condition: Statement.Fragment) {
      const armed = yield* sql<{ readonly isNear: boolean }>`
        insert into alarms (kind, id, workspace_id, due_at)
        select ${kind}, id, workspace_id, due_at
        from unnest(${wanted.map(({ id }) => id)}::text[], ${wanted.map(({ workspaceId }) => workspaceId)}::text[],
                    ${wanted.map(({ dueAt }) => DateTime.toDateUtc(dueAt))}::timestamptz[]) as wanted (id, workspace_id, due_at)
        order by id
        on conflict (kind, id) do update set due_at = excluded.due_at
        where alarms.workspace_id = excluded.workspace_id ${condition}
        returning due_at <= statement_timestamp() + make_interval(secs => ${Duration.toSeconds(longestFallback)}) as "isNear"`
      if (armed.some(({ isNear }) => isNear)) yield* signals.send(alarmsSignal)
    })

    const remove = (kind: AlarmKind, keys: ReadonlyArray<AlarmKey>, condition: Statement.Fragment) =>
      sql`
      delete from alarms
      using unnest(${keys.map(({ id }) => id)}::text[], ${keys.map(({ workspaceId }) => workspaceId)}::text[])
        as gone (id, workspace_id)
      where alarms.kind = ${kind} and alarms.id = gone.id and alarms.workspace_id = gone.workspace_id ${condition}`

    const armEach = Effect.fn("Alarms.armEach")(
      function*(kind: AlarmKind, wanted: ReadonlyArray<NextAlarm>, condition = sql``) {
        const due = wanted.flatMap(({ dueAt, id, workspaceId }) => dueAt === null ? [] : [{ id, workspaceId, dueAt }])
        if (due.length > 0) yield* set(kind, due, condition)
        if (due.length < wanted.length) yield* remove(kind, wanted.filter(({ dueAt }) => dueAt === null), condition)
      },
      Effect.orDie
    )

    /**
     * A claimed alarm is held until later, so one that is due was set since: by somebody whose change the turn may not have seen. Processes
     * estimate the database's time when they set one to now, so a second more counts as due.
     */
    const isNotDue = sql`and alarms.due_at > statement_timestamp() + interval '1 second'`

    /** Renews the leases of alarms that are still held; returns these. Alarms that were set again or removed stay as they are. */
    const renew = findAll(
      Schema.Struct({ kind: AlarmKind, id: Schema.String }),
      (now: DateTime.Utc, held: ReadonlyArray<typeof HeldAlarm.Type>) =>
        sql`
        with locked as (
          select a.kind, a.id from alarms a
          join unnest(${held.map(({ kind }) => kind)}::text[], ${held.map(({ id }) => id)}::text[],
                      ${held.map(({ heldUntil }) => DateTime.toDateUtc(heldUntil))}::timestamptz[]) as held (kind, id, until)
            on a.kind = held.kind and a.id = held.id and a.due_at = held.until
          order by a.kind, a.id for update of a skip locked
        )
        update alarms a set due_at = ${DateTime.toDateUtc(DateTime.addDuration(now, lease))}
        from locked where a.kind = locked.kind and a.id = locked.id
        returning a.kind, a.id`
    )

    return {
      /** Sets, moves or (with null) removes the alarm of an actor, in the caller's transaction. */
      arm: (kind: AlarmKind, workspaceId: WorkspaceId, id: string, dueAt: DateTime.Utc | null) =>
        armEach(kind, [{ workspaceId, id, dueAt }]),
      /** Sets or moves the alarms of actors of one kind to one time. */
      armAll: (kind: AlarmKind, wanted: ReadonlyArray<AlarmKey>, dueAt: DateTime.Utc) =>
        armEach(kind, wanted.map(({ id, workspaceId }) => ({ id, workspaceId, dueAt }))),
      /**
       * Sets, moves or (with null) removes the alarms of actors of one kind after their turns, in the transaction of these, in order of
       * their ids. An alarm that is due stays: it was set during the turn.
       */
      rearm: (kind: AlarmKind, wanted: ReadonlyArray<NextAlarm>) => armEach(kind, wanted, isNotDue),
      /** Sets the alarms of actors of one kind, unless they are set to an earlier time. */
      armBy: (kind: AlarmKind, wanted: ReadonlyArray<WantedAlarm>) =>
        wanted.length === 0 ? Effect.void : Effect.orDie(set(kind, wanted, sql`and alarms.due_at > excluded.due_at`)),
      /** Sets the alarm of an actor that has none, in the caller's transaction. An actor woken too early sets its alarm again. */
      armUnlessArmed: (kind: AlarmKind, workspaceId: WorkspaceId, id: string, dueAt: DateTime.Utc) =>
        write(sql`
            insert into alarms (kind, id, workspace_id, due_at)
            values (${kind}, ${id}, ${workspaceId}, ${DateTime.toDateUtc(dueAt)})
            on conflict (kind, id) do nothing`),
      /** Makes future alarms due now. For use after the clock was set back: alarms set by the wrong clock may be overdue. */
      recall: Effect.fn("Alarms.recall")(function*(now: DateTime.Utc) {
        const date = DateTime.toDateUtc(now)
        yield* sql`update alarms set due_at = ${date} where due_at > ${date} and kind = any(${[...AlarmKind.literals]}::text[])`
      }, Effect.orDie),
      /** Runs the work of an actor that its alarm woke in one transaction, which fails when it waits for a lock for too long. */
      waking: <A, E, R>(work: Effect.Effect<A, E, R>) =>
        sql.withTransaction(
          Effect.zipRight(withNext(sql`select set_config('lock_timeout', ${String(wakePatience)}, true)`), work)
        ),
      renew: Effect.fn("Alarms.renew")(function*(now: DateTime.Utc, held: ReadonlyArray<typeof HeldAlarm.Type>) {
        const kept = held.length === 0 ? [] : yield* renew(now, held)
        return { kept, heldUntil: DateTime.addDuration(now, lease) }
      }),
      /** The time of the next alarm; none when no alarm is set. */
      nextDueAt: earliestOf(sql`select min(due_at) as at from alarms where kind = any(${[...AlarmKind.literals]}::text[])`)
    }
  })
}) {}
