/** Workspaces that their owners deleted: for 7 days nothing of them runs, and they can be restored. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import type { Principal } from "../../../schema/access/Caller.ts"
import { type UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { principalId } from "../../domain/access/PrincipalId.ts"
import { accessEndedSignal } from "../access/AccessEnded.ts"
import { AlarmKind, alarmsSignal } from "../Alarms.ts"
import { randomToken } from "../Mint.ts"
import { assignmentsSignal, mergedFormerRegions } from "../monitor/Monitors.ts"
import { pagesSignal } from "../page/Pages.ts"
import { findAll } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { inTransaction } from "../postgres/Transaction.ts"
import { tokenHash } from "../Vault.ts"

/** How long a deleted workspace can be restored. */
export const restorableFor = Duration.days(7)

const tokenLength = 40

const Deleted = Schema.Struct({ id: WorkspaceId, name: Schema.String, deletedAt: Schema.DateTimeUtcFromDate })

/** Credentials that name a row by their hash. One more byte makes them unknown, without a word in the queries of busy paths. */
const tokens = [["heartbeats", "token_hash"], ["ping_keys", "key_hash"], ["components", "push_token_hash"]] as const

/** Nobody claims alarms of these kinds. */
const asidePrefix = "deleted "
/** Alarms of deleted workspaces are moved this far behind all others, so that a look for the first due alarm passes none of them. */
const asideBy = "36500 days"

/** The one who restores: an owner, or the holder of the token that a key got when it deleted the workspace. */
export type Restorer = { readonly userId: UserId } | { readonly token: string }

export class DeletedWorkspaces extends Effect.Service<DeletedWorkspaces>()("belltower/DeletedWorkspaces", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    // Edits and actors lock a monitor's rows before the workspace's. The same order here avoids deadlocks.
    const lockMonitors = (id: WorkspaceId) => sql`select from monitors where workspace_id = ${id} order by id for no key update`

    const changePages = Effect.fnUntraced(function*(id: WorkspaceId) {
      const pages = yield* sql<{ readonly slug: string }>`select slug from pages where workspace_id = ${id}`
      yield* Effect.forEach(pages, ({ slug }) => signals.send(pagesSignal, slug), { discard: true })
    })

    /** Pauses or resumes monitors as an edit does: their actors close or begin what the state needs. */
    const setPaused = Effect.fnUntraced(function*(id: WorkspaceId, ids: ReadonlyArray<string>, paused: boolean, now: Date) {
      yield* sql`
        insert into assignment_outbox (monitor_id, workspace_id, gone, former_regions)
        select id, workspace_id, false, regions from monitors where workspace_id = ${id} and id = any(${ids}::text[])
        on conflict (monitor_id) do update set sequence = default, gone = false, is_new = false,
          former_regions = ${sql.literal(mergedFormerRegions)}`
      yield* sql`
        update monitors set paused = ${paused}, revision = revision + 1, updated_at = ${now}
        where workspace_id = ${id} and id = any(${ids}::text[])`
      yield* signals.send(assignmentsSignal)
    })

    const monitorsOf = (id: WorkspaceId, paused: boolean) =>
      Effect.map(
        sql<{ readonly id: string }>`select id from monitors where workspace_id = ${id} and paused = ${paused}`,
        (rows) => rows.map((row) => row.id)
      )

    const moveAlarms = (id: WorkspaceId, aside: boolean) =>
      sql`
        with moved as (
          delete from alarms
          where workspace_id = ${id} and kind = any(${
        AlarmKind.literals.map((kind) => aside ? kind : asidePrefix + kind)
      }::text[])
          returning *
        )
        insert into alarms (kind, id, workspace_id, due_at)
        select ${aside ? sql`${asidePrefix} || kind` : sql`substr(kind, ${asidePrefix.length + 1})`}, id, workspace_id,
          due_at + ${aside ? asideBy : `-${asideBy}`}::interval
        from moved on conflict (kind, id) do nothing`

    /** Ends what waits to be sent. What happens from now on is not fanned out. */
    const silence = Effect.fnUntraced(function*(id: WorkspaceId) {
      yield* sql`update events set fanned_out = true where workspace_id = ${id} and not fanned_out`
      yield* sql`delete from alert_groups where workspace_id = ${id}`
      yield* sql`delete from quiet_groups where workspace_id = ${id}`
      yield* sql`delete from dependent_troubles where workspace_id = ${id}`
      yield* sql`
        update deliveries set status = 'dead', last_error = 'The workspace was deleted', finished_at = statement_timestamp()
        where workspace_id = ${id} and status = 'due'`
      yield* sql`delete from broadcasts where workspace_id = ${id}`
      yield* sql`delete from mails where workspace_id = ${id} and status = 'due'`
    })

    const endAccess = Effect.fnUntraced(function*(id: WorkspaceId) {
      yield* Effect.forEach(tokens, ([table, hash]) =>
        sql`
        update ${sql(table)} set ${sql(hash)} = ${sql(hash)} || '\\x00'::bytea
        where workspace_id = ${id}`, { discard: true })
      const ended = yield* sql<{ readonly id: string }>`
        select id from api_keys where workspace_id = ${id} and revoked_at is null
        union all select user_id from memberships where workspace_id = ${id}`
      yield* Effect.forEach(ended, (one) => signals.send(accessEndedSignal, one.id), { discard: true })
      yield* sql`delete from live_watchers where workspace_id = ${id}`
    })

    /**
     * Deletes a workspace so that it can be restored. A key gets a token for that, which is returned only here: nobody has signed in.
     * None when it does not exist or is deleted.
     */
    const put = Effect.fn("DeletedWorkspaces.put")(function*(id: WorkspaceId, by: Principal) {
      const at = yield* DateTime.now
      const now = DateTime.toDateUtc(at)
      const token = by._tag === "Key" ? yield* randomToken(tokenLength) : null
      // Deleting a large workspace takes long.
      yield* sql`set local statement_timeout = 0`
      yield* lockMonitors(id)
      const kept = yield* monitorsOf(id, true)
      const marked = yield* sql`
        update workspaces
        set deleted_at = ${now}, deleted_by = ${principalId(by)}, kept_paused = ${kept}::text[],
            restore_hash = ${token === null ? null : tokenHash(token)}
        where id = ${id} and deleted_at is null returning id`
      if (marked.length === 0) return Option.none()
      yield* setPaused(id, yield* monitorsOf(id, false), true, now)
      yield* moveAlarms(id, true)
      yield* silence(id)
      yield* endAccess(id)
      yield* sql`
        insert into subscription_ends (subscription_id, requested_at)
        select stripe_subscription_id, ${now} from workspaces where id = ${id} and stripe_subscription_id is not null
        on conflict do nothing`
      yield* changePages(id)
      return Option.some({ token, restorableUntil: DateTime.addDuration(at, restorableFor) })
    }, inTransaction(sql))

    const resume = Effect.fnUntraced(function*(id: WorkspaceId, kept: ReadonlyArray<string>, now: Date) {
      const ids = (yield* monitorsOf(id, true)).filter((one) => !kept.includes(one))
      yield* setPaused(id, ids, false, now)
      // The time in between counts as no silence.
      yield* sql`
        update heartbeats set expected_from = statement_timestamp(), calm = false
        where workspace_id = ${id} and monitor_id = any(${ids}::text[])`
      yield* moveAlarms(id, false)
      yield* sql`
        insert into alarms (kind, id, workspace_id, due_at)
        select 'monitor', monitor_id, workspace_id, statement_timestamp() from heartbeats
        where workspace_id = ${id} and monitor_id = any(${ids}::text[]) order by monitor_id
        on conflict (kind, id) do update set due_at = excluded.due_at`
      yield* signals.send(alarmsSignal)
    })

    /**
     * Moves what people are still to be paged about by the time in between. An incident that is open waits for somebody as before; who
     * restores has the time that was left to answer it, and nobody gets all steps of their rules at the same moment. Its actor, whose
     * alarm stays early, reads these rows.
     */
    const movePages = Effect.fnUntraced(function*(id: WorkspaceId, deletedAt: Date, now: Date) {
      yield* sql`
        update incident_alerting set next_at = next_at + (${now}::timestamptz - ${deletedAt}::timestamptz)
        where workspace_id = ${id} and next_at is not null`
      yield* sql`
        update pagings set due_at = due_at + (${now}::timestamptz - ${deletedAt}::timestamptz)
        where workspace_id = ${id} and state = 'planned'`
    })

    const allowed = (by: Restorer) =>
      "token" in by
        ? sql`restore_hash = ${tokenHash(by.token)}`
        : sql`exists (
            select from memberships m where m.workspace_id = workspaces.id and m.user_id = ${by.userId} and m.role = 'owner')`

    const restore = Effect.fn("DeletedWorkspaces.restore")(function*(id: WorkspaceId, by: Restorer) {
      const at = yield* DateTime.now
      const now = DateTime.toDateUtc(at)
      yield* sql`set local statement_timeout = 0`
      yield* lockMonitors(id)
      const [found] = yield* sql<
        { readonly name: string; readonly by: string; readonly kept: ReadonlyArray<string>; readonly deletedAt: Date }
      >`
        select name, kept_paused as kept, deleted_by as by, deleted_at as "deletedAt" from workspaces
        where id = ${id} and deleted_at > ${DateTime.toDateUtc(DateTime.subtractDuration(at, restorableFor))} and ${allowed(by)}
        for no key update`
      if (found === undefined) return Option.none()
      yield* sql`
        update workspaces
        set deleted_at = null, deleted_by = null, restore_hash = null, kept_paused = null, digest_at = ${now}, updated_at = ${now},
            expires_at = expires_at + (${now}::timestamptz - deleted_at)
        where id = ${id}`
      yield* movePages(id, found.deletedAt, now)
      yield* resume(id, found.kept, now)
      yield* Effect.forEach(tokens, ([table, hash]) =>
        sql`
        update ${sql(table)} set ${sql(hash)} = substr(${sql(hash)}, 1, length(${sql(hash)}) - 1)
        where workspace_id = ${id} and length(${sql(hash)}) > 32`, { discard: true })
      yield* changePages(id)
      return Option.some({ id, name: found.name, deletedBy: found.by })
    }, inTransaction(sql))

    return {
      put,
      /** Restores a workspace. None when it is not deleted, its time is over, or others may restore it. */
      restore,
      /** The deleted workspaces that a person owns, the newest deletion first. */
      ofOwner: findAll(Deleted, (userId: UserId) =>
        sql`
        select w.id, w.name, w.deleted_at as "deletedAt" from memberships m join workspaces w on w.id = m.workspace_id
        where m.user_id = ${userId} and m.role = 'owner' and w.deleted_at is not null order by w.deleted_at desc, w.id`)
    }
  })
}) {}
