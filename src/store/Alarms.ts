/**
 * The next wake-up time of each actor that has one. Alarms are rows, so they survive a crash or restart of the actor. The
 * database's clock (`DatabaseClock`) sets them and decides when they are due.
 */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { WorkspaceId } from "../../schema/Ids.ts"
import { Signals } from "./postgres/Signals.ts"

/** Notified on every commit that sets an alarm due within `longestPause`. */
export const alarmsSignal = "belltower_alarms"

/** The longest time between two polls for due alarms. Only alarms due sooner than this need a notification. */
export const longestPause = Duration.seconds(5)

/** How long a claimed alarm is held. An alarm that is neither set again nor removed by then is claimed again. */
const lease = Duration.seconds(30)

/** The kind of actor that an alarm wakes; `cluster/AlarmClock.ts` wakes each kind. */
export const AlarmKind = Schema.Literal("monitor", "component", "incident")
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

export class Alarms extends Effect.Service<Alarms>()("belltower/Alarms", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    /** Sets, moves or (with null) removes the alarm of an actor, in the caller's transaction. */
    const arm = Effect.fn("Alarms.arm")(
      function*(kind: AlarmKind, workspaceId: WorkspaceId, id: string, dueAt: DateTime.Utc | null) {
        if (dueAt === null) {
          return yield* sql`delete from alarms where workspace_id = ${workspaceId} and kind = ${kind} and id = ${id}`
        }
        const [armed] = yield* sql<{ readonly isNear: boolean }>`
          insert into alarms (kind, id, workspace_id, due_at)
          values (${kind}, ${id}, ${workspaceId}, ${DateTime.toDateUtc(dueAt)})
          on conflict (kind, id) do update set due_at = excluded.due_at where alarms.workspace_id = excluded.workspace_id
          returning due_at <= statement_timestamp() + make_interval(secs => ${Duration.toSeconds(longestPause)}) as "isNear"`
        if (armed?.isNear) yield* signals.send(alarmsSignal)
      },
      Effect.asVoid,
      Effect.orDie
    )

    /** Sets the alarm of an actor that has none, in the caller's transaction. An actor woken too early sets its alarm again. */
    const armUnlessArmed = Effect.fn("Alarms.armUnlessArmed")(
      function*(kind: AlarmKind, workspaceId: WorkspaceId, id: string, dueAt: DateTime.Utc) {
        yield* sql`
          insert into alarms (kind, id, workspace_id, due_at)
          values (${kind}, ${id}, ${workspaceId}, ${DateTime.toDateUtc(dueAt)})
          on conflict (kind, id) do nothing`
      },
      Effect.orDie
    )

    const claim = SqlSchema.findAll({
      Request: Schema.Struct({ now: Schema.DateTimeUtcFromSelf, limit: Schema.Int }),
      Result: Alarm,
      // A newer runner handles kinds that this version does not know.
      execute: ({ limit, now }) =>
        sql`
        with due as (
          select kind, id, due_at from alarms
          where due_at <= ${DateTime.toDateUtc(now)} and kind = any(${[...AlarmKind.literals]}::text[])
          order by due_at limit ${limit}
          for update skip locked
        )
        update alarms a set due_at = ${DateTime.toDateUtc(DateTime.addDuration(now, lease))}
        from due where a.kind = due.kind and a.id = due.id
        returning a.kind, a.id, a.workspace_id as "workspaceId", due.due_at as "dueAt", a.due_at as "heldUntil"`
    })

    /** Makes future alarms due now. For use after the clock was set back: alarms set by the wrong clock may be overdue. */
    const recall = Effect.fn("Alarms.recall")(function*(now: DateTime.Utc) {
      const date = DateTime.toDateUtc(now)
      yield* sql`update alarms set due_at = ${date} where due_at > ${date} and kind = any(${[...AlarmKind.literals]}::text[])`
    }, Effect.orDie)

    const earliest = SqlSchema.single({
      Request: Schema.Void,
      Result: Schema.Struct({ at: Schema.NullOr(Schema.DateTimeUtcFromDate) }),
      execute: () => sql`select min(due_at) as at from alarms where kind = any(${[...AlarmKind.literals]}::text[])`
    })

    return {
      arm,
      armUnlessArmed,
      recall,
      /**
       * Claims up to `limit` due alarms for 30 s, the longest overdue first. An alarm that its actor neither sets again nor
       * removes by then is claimed again.
       */
      claim: (now: DateTime.Utc, limit: number) => Effect.orDie(claim({ now, limit })),
      /** The time of the next alarm; none when no alarm is set. */
      nextDueAt: Effect.orDie(Effect.map(earliest(), ({ at }) => Option.fromNullable(at)))
    }
  })
}) {}
