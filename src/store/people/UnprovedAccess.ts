/** Access that an account gained while nobody had proved that its address is theirs. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { type UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { Role } from "../../../schema/workspace/Workspace.ts"
import { findAll } from "../postgres/Queries.ts"

const Gained = Schema.Struct({ workspaceId: WorkspaceId, name: Schema.String, role: Role })

export class UnprovedAccess extends Effect.Service<UnprovedAccess>()("belltower/UnprovedAccess", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    return {
      /** The account's workspaces, in the order of joining. */
      workspaces: findAll(Gained, (id: UserId) =>
        sql`
        select m.workspace_id as "workspaceId", w.name, m.role
        from memberships m join workspaces w on w.id = m.workspace_id
        where m.user_id = ${id} order by m.created_at, w.id`),
      /**
       * Ends it, in the caller's transaction: sessions, connected accounts, the second factor, API keys and those delegated from
       * them, invitations, memberships. Returns the workspaces that the account was in.
       */
      end: Effect.fn("UnprovedAccess.end")(function*(id: UserId) {
        const now = DateTime.toDateUtc(yield* DateTime.now)
        // Every change of members locks the workspace first.
        const left = yield* sql<{ readonly id: string }>`
          select id from workspaces where id = any(array(select workspace_id from memberships where user_id = ${id}))
          order by id for no key update`
        yield* sql`delete from sessions where user_id = ${id}`
        yield* sql`delete from identities where user_id = ${id}`
        yield* sql`delete from recovery_codes where user_id = ${id}`
        yield* sql`
          update users set totp_sealed = null, totp_enabled_at = null, totp_last_step = null, updated_at = ${now} where id = ${id}`
        yield* sql`
          delete from invitations
          where invited_by = ${id} or invited_by in (select id from api_keys where created_by = ${id})`
        yield* sql`
          update api_keys set revoked_at = ${now}
          where revoked_at is null
            and (created_by = ${id} or parent_id in (select id from api_keys where created_by = ${id}))`
        yield* sql`delete from memberships where user_id = ${id}`
        return left.map((workspace) => WorkspaceId.make(workspace.id))
      }, Effect.orDie)
    }
  })
}) {}
