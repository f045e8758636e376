/**
 * Claims due alarms for a runner: of each kind what there is room for, and of a workspace no more than its share, so that nobody waits
 * behind the alarms of another workspace or kind. An alarm that its actor neither sets again nor removes within 30 s is claimed again.
 */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { Alarm, AlarmKind, lease } from "./Alarms.ts"
import { inIndexOrder } from "./postgres/IndexOrder.ts"
import { inTransaction } from "./postgres/Transaction.ts"

/** The alarms that are looked at without looking for their workspaces. */
const mostLookedAt = 1_000

/** The room of a runner for alarms. */
export interface AlarmDemand {
  /** How many more alarms of each kind may be claimed, and how many of one workspace it may hold. */
  readonly rooms: ReadonlyArray<{ readonly kind: AlarmKind; readonly room: number; readonly perWorkspace: number }>
  readonly held: ReadonlyArray<{ readonly kind: AlarmKind; readonly workspaceId: string; readonly count: number }>
}

export interface AlarmClaim {
  readonly alarms: ReadonlyArray<Alarm>
  /** Whether more alarms may be due than were looked at. */
  readonly isCrowded: boolean
}

interface Row {
  readonly kind: string | null
  readonly isCrowded: boolean
}

const decodeAlarms = Schema.decodeUnknown(Schema.Array(Alarm))

const claimOf = (rows: ReadonlyArray<Row>) =>
  Effect.map(Effect.orDie(decodeAlarms(rows.filter(({ kind }) => kind !== null))), (alarms): AlarmClaim => ({
    alarms,
    isCrowded: rows.some(({ isCrowded }) => isCrowded)
  }))

export class AlarmClaims extends Effect.Service<AlarmClaims>()("belltower/AlarmClaims", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** The demand as tables `wanted` and `held`. A newer runner handles kinds that this version does not know. */
    const tables = ({ held, rooms }: AlarmDemand) =>
      sql`
      wanted as (
        select * from unnest(${rooms.map(({ kind }) => kind)}::text[], ${rooms.map(({ room }) => room)}::int[],
                             ${rooms.map(({ perWorkspace }) => perWorkspace)}::int[]) as w (kind, room, share)
      ),
      held as (
        select * from unnest(${held.map(({ kind }) => kind)}::text[], ${held.map(({ workspaceId }) => workspaceId)}::text[],
                             ${held.map(({ count }) => count)}::int[]) as h (kind, workspace_id, count)
      )`

    /**
     * Claims as many alarms of the table `found`, which is locked, as there is room for; first those of workspaces that hold the fewest.
     * `held` is how many its workspace then holds.
     */
    const claimFound = (now: DateTime.Utc) =>
      sql`
      placed as (
        select f.kind, f.id, f.due_at, coalesce(h.count, 0)
          + row_number() over (partition by f.kind, f.workspace_id order by f.due_at) as held
        from found f left join held h on h.kind = f.kind and h.workspace_id = f.workspace_id
      ),
      ranked as (
        select p.*, w.room, row_number() over (partition by p.kind order by p.held, p.due_at) as turn
        from placed p join wanted w on w.kind = p.kind and p.held <= w.share
      ),
      claimed as (
        update alarms a set due_at = ${DateTime.toDateUtc(DateTime.addDuration(now, lease))}
        from ranked r where r.turn <= r.room and a.kind = r.kind and a.id = r.id
        returning a.kind, a.id, a.workspace_id as "workspaceId", r.due_at as "dueAt", a.due_at as "heldUntil"
      )`

    const oldest = (now: DateTime.Utc, demand: AlarmDemand) =>
      sql<Row>`
      with ${tables(demand)},
      found as (
        select kind, id, workspace_id, due_at from alarms
        where due_at <= ${DateTime.toDateUtc(now)} and kind = any(${[...AlarmKind.literals]}::text[])
        order by due_at limit ${mostLookedAt}
        for update skip locked
      ),
      ${claimFound(now)}
      select claimed.*, looked.count = ${mostLookedAt} as "isCrowded"
      from (select count(*) from found) looked left join claimed on true`

    /**
     * One step of an index finds the next workspace and its first alarm. Each workspace with due alarms shows its part of the room,
     * so what is looked at does not grow with what waits.
     */
    const inTurns = (now: DateTime.Utc, demand: AlarmDemand) =>
      sql<Row>`
      with recursive ${tables(demand)},
      next_due (kind, workspace_id, due_at) as (
        select w.kind, first.workspace_id, first.due_at from wanted w
        cross join lateral (
          select a.workspace_id, a.due_at from alarms a where a.kind = w.kind order by a.workspace_id, a.due_at limit 1
        ) first
        union all
        select p.kind, next.workspace_id, next.due_at from next_due p
        cross join lateral (
          select a.workspace_id, a.due_at from alarms a where a.kind = p.kind and a.workspace_id > p.workspace_id
          order by a.workspace_id, a.due_at limit 1
        ) next
      ),
      turns as (
        select p.kind, p.workspace_id, greatest(0, least(w.share - coalesce(h.count, 0),
          ceil(w.room::float8 / count(*) over (partition by p.kind))))::int as part
        from next_due p join wanted w on w.kind = p.kind
        left join held h on h.kind = p.kind and h.workspace_id = p.workspace_id
        where p.due_at <= ${DateTime.toDateUtc(now)}
      ),
      found as (
        select t.kind, t.workspace_id, t.part, due.id, due.due_at from turns t
        cross join lateral (
          select a.id, a.due_at from alarms a
          where a.kind = t.kind and a.workspace_id = t.workspace_id and a.due_at <= ${DateTime.toDateUtc(now)}
          order by a.due_at limit t.part
          for update skip locked
        ) due
      ),
      ${claimFound(now)}
      select claimed.*, looked.more or looked.count > (select count(*) from claimed) as "isCrowded"
      from (
        select (select count(*) from found) as count, exists (
          select from turns t left join (select kind, workspace_id, count(*) from found group by kind, workspace_id) f
            on f.kind = t.kind and f.workspace_id = t.workspace_id
          where coalesce(f.count, 0) >= t.part
        ) as more
      ) looked left join claimed on true`

    return {
      /** Looks at the 1,000 alarms that are overdue for the longest time. */
      oldest: Effect.fn("AlarmClaims.oldest")(
        function*(now: DateTime.Utc, demand: AlarmDemand) {
          return yield* claimOf(yield* oldest(now, demand))
        },
        Effect.orDie
      ),
      /** Looks at the first due alarms of every workspace, which costs more: for when `oldest` is crowded. */
      inTurns: Effect.fn("AlarmClaims.inTurns")(function*(now: DateTime.Utc, demand: AlarmDemand) {
        return yield* claimOf(yield* inIndexOrder(sql, inTurns(now, demand)))
      }, inTransaction(sql))
    }
  })
}) {}
