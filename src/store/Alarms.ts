/**
 * The next instant of each actor that waits for one: rows, so that they survive whatever happens to the actor. Each is an
 * instant of the database's clock (`DatabaseClock`), by which it is also due.
 */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { WorkspaceId } from "../../schema/Ids.ts"

/** Notified on every commit that armed an alarm for now or soon. */
export const alarmsSignal = "belltower_alarms"

/** A clock asks for what is due at least this often: only alarms nearer than this need to wake it. */
export const longestPause = Duration.seconds(5)

/** For so long a due alarm is held by who took it; one that is not armed anew by then comes again. */
const lease = Duration.seconds(30)

/** Whose alarm it is; `cluster/AlarmClock.ts` says how each kind is woken. */
export const AlarmKind = Schema.Literal("monitor", "component")
export type AlarmKind = typeof AlarmKind.Type

export const Alarm = Schema.Struct({
  kind: AlarmKind,
  workspaceId: WorkspaceId,
  id: Schema.String,
  /** What it was set to: its actor may judge by that, however late it is woken. */
  dueAt: Schema.DateTimeUtcFromDate,
  /** Until then nobody else takes it. */
  heldUntil: Schema.DateTimeUtcFromDate
})
export type Alarm = typeof Alarm.Type

export class Alarms extends Effect.Service<Alarms>()("belltower/Alarms", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** Sets or moves (null: takes away) the one alarm of an actor, in the caller's transaction. */
    const arm = Effect.fn("Alarms.arm")(
      function*(kind: AlarmKind, workspaceId: WorkspaceId, id: string, dueAt: DateTime.Utc | null) {
        if (dueAt === null) {
          return yield* sql`delete from alarms where workspace_id = ${workspaceId} and kind = ${kind} and id = ${id}`
        }
        yield* sql`
          with armed as (
            insert into alarms (kind, id, workspace_id, due_at)
            values (${kind}, ${id}, ${workspaceId}, ${DateTime.toDateUtc(dueAt)})
            on conflict (kind, id) do update set due_at = excluded.due_at where alarms.workspace_id = excluded.workspace_id
            returning due_at
          )
          select pg_notify(${alarmsSignal}, '') from armed
          where due_at <= statement_timestamp() + make_interval(secs => ${Duration.toSeconds(longestPause)})`
      },
      Effect.asVoid,
      Effect.orDie
    )

    /** Sets the alarm of an actor that has none, in the caller's transaction: one that rings too early is armed anew then. */
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
      // Of a kind unknown to this version, a newer runner takes care.
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

    /** After the clock was set back: what was armed by the wrong one may be long overdue by the right one. */
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
       * Takes up to `limit` due alarms, the longest due first, each for 30 s: one that its actor has neither armed anew nor
       * taken away by then comes again.
       */
      claim: (now: DateTime.Utc, limit: number) => Effect.orDie(claim({ now, limit })),
      /** When the next alarm is due. */
      nextDueAt: Effect.orDie(Effect.map(earliest(), ({ at }) => Option.fromNullable(at)))
    }
  })
}) {}
