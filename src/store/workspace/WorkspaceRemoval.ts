/**
 * Deletes a workspace for good, with all its data. Outbox rows carry the deletion to probes, actors and Stripe. One that its owner
 * deleted goes in small pieces first, since nothing of it runs; what is left goes in one transaction.
 */
import { SqlClient, type Statement } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import { WorkspaceId } from "../../../schema/Ids.ts"
import { assignmentsSignal, mergedFormerRegions } from "../monitor/Monitors.ts"
import { pagesSignal } from "../page/Pages.ts"
import { atNow, findAll } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { inTransaction } from "../postgres/Transaction.ts"
import { restorableFor } from "./DeletedWorkspaces.ts"

/** How long an unclaimed workspace is kept that never watched anything and has no page. */
const unusedLifetime = Duration.days(1)

/** The tables of a workspace that grow, and how many rows of each go in one transaction. Rows of others go with these. */
const pieces = [["deliveries", 1000], ["events", 1000], ["subscribers", 500], ["monitors", 50]] as const

export class WorkspaceRemoval extends Effect.Service<WorkspaceRemoval>()("belltower/WorkspaceRemoval", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    // A workspace that was claimed once and lost its owner has no end: someone may rely on what it monitors.
    const isUnclaimed = sql`claimed_at is null and expires_at is not null and stripe_subscription_id is null
      and deleted_at is null`
    const unusedBefore = (now: Date) => new Date(now.getTime() - Duration.toMillis(unusedLifetime))
    /** A monitor that was deleted has left an event; a page leaves none. */
    const hasNothing = (id: WorkspaceId | Statement.Fragment) =>
      sql`
        not exists (select from monitors where workspace_id = ${id}) and not exists (select from pages where workspace_id = ${id})`

    /**
     * The same transaction writes outbox rows for everything that a cascade does not reach: probes and actors drop the
     * monitors, and the subscription is canceled. Checks go with their partitions. Notifications cover keys, sessions and pages.
     */
    const remove = Effect.fn("WorkspaceRemoval.remove")(function*(id: WorkspaceId, which: "any" | "overdue") {
      const now = DateTime.toDateUtc(yield* DateTime.now)
      // Deleting a large workspace takes long.
      yield* sql`set local statement_timeout = 0`
      // Edits and actors lock a monitor's rows before the workspace's. The same order here avoids deadlocks.
      yield* sql`select from monitors where workspace_id = ${id} order by id for update`
      yield* sql`
      select from monitor_states where monitor_id = any(array(select id from monitors where workspace_id = ${id}))
      order by monitor_id for update`
      // A concurrent claim is either visible here or finds no workspace.
      const [found] = yield* sql<{ readonly isUnused: boolean }>`
      select coalesce(expires_at > ${now}, false) as "isUnused" from workspaces
      where id = ${id} and (${which === "any"}
        or (${isUnclaimed} and (expires_at <= ${now} or (last_event_id is null and created_at <= ${unusedBefore(now)}))))
      for update`
      if (found === undefined) return false
      // By a statement of its own, which sees what others did while this one waited for the lock.
      if (which === "overdue" && found.isUnused && (yield* sql`select where ${hasNothing(id)}`).length === 0) return false
      yield* sql`
      insert into assignment_outbox (monitor_id, workspace_id, gone, former_regions)
      select id, workspace_id, true, regions from monitors where workspace_id = ${id}
      on conflict (monitor_id) do update set sequence = default, gone = true,
        former_regions = ${sql.literal(mergedFormerRegions)}`
      yield* signals.send(assignmentsSignal)
      yield* sql`
      insert into subscription_ends (subscription_id, requested_at)
      select stripe_subscription_id, ${now} from workspaces where id = ${id} and stripe_subscription_id is not null
      on conflict do nothing`
      const pages = yield* sql<{ readonly slug: string }>`select slug from pages where workspace_id = ${id}`
      yield* Effect.forEach(pages, ({ slug }) => signals.send(pagesSignal, slug), { discard: true })
      yield* sql`delete from live_watchers where workspace_id = ${id}`
      yield* sql`delete from alarms where workspace_id = ${id}`
      yield* sql`delete from workspaces where id = ${id}`
      return true
    }, inTransaction(sql))

    /** Deletes rows of a table in transactions of their own, until none are left. */
    const removeRows = (id: WorkspaceId, table: string, limit: number): Effect.Effect<void> =>
      sql`
      delete from ${sql(table)} where ctid = any(array(
        select ctid from ${sql(table)} where workspace_id = ${id} limit ${limit}))
      returning 1`.pipe(
        Effect.orDie,
        Effect.repeat({ while: (rows) => rows.length === limit }),
        Effect.asVoid
      )

    const restorableSince = Effect.map(DateTime.now, (now) => DateTime.toDateUtc(DateTime.subtractDuration(now, restorableFor)))

    const isOver = Effect.fnUntraced(function*(id: WorkspaceId) {
      const since = yield* restorableSince
      return (yield* sql`select from workspaces where id = ${id} and deleted_at <= ${since}`).length > 0
    }, Effect.orDie)

    const deleted = findAll(
      Schema.Struct({ id: WorkspaceId }),
      (since: Date, limit: number) =>
        sql`select id from workspaces where deleted_at <= ${since} order by deleted_at limit ${limit}`
    )

    const overdue = findAll(Schema.Struct({ id: WorkspaceId }), (limit: number) =>
      atNow((now) =>
        sql`
        (select id from workspaces where ${isUnclaimed} and expires_at <= ${now} order by expires_at limit ${limit})
        union
        (select id from workspaces w
         where ${isUnclaimed} and last_event_id is null and created_at <= ${unusedBefore(now)}
           and ${hasNothing(sql.literal("w.id"))}
         order by created_at limit ${limit})
        limit ${limit}`
      ))

    return {
      /** Deletes what is left of a workspace that its owner deleted and can no longer restore. */
      removeDeleted: Effect.fn("WorkspaceRemoval.removeDeleted")(function*(id: WorkspaceId) {
        if (!(yield* isOver(id))) return false
        yield* Effect.forEach(pieces, ([table, limit]) => removeRows(id, table, limit), { discard: true })
        return yield* remove(id, "any")
      }),
      /** Workspaces that can no longer be restored, the oldest deletion first. */
      deleted: (limit: number): Effect.Effect<ReadonlyArray<WorkspaceId>> =>
        Effect.flatMap(restorableSince, (since) => Effect.map(deleted(since, limit), (rows) => rows.map(({ id }) => id))),
      /** Deletes a workspace. False when it does not exist. */
      remove: (id: WorkspaceId) => remove(id, "any"),
      /** Deletes an unclaimed workspace whose time is over. False when it has been claimed, or used meanwhile. */
      removeUnclaimed: (id: WorkspaceId) => remove(id, "overdue"),
      /** Workspaces that nobody claimed within 7 days, or within a day while they had no monitor and no page. */
      overdue: (limit: number): Effect.Effect<ReadonlyArray<WorkspaceId>> =>
        Effect.map(overdue(limit), (rows) => rows.map(({ id }) => id))
    }
  })
}) {}
