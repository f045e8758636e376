/** How people enter a workspace: by claiming one that an agent created, by accepting an invitation, or by creating one. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { type UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { type Plan, Role } from "../../../schema/workspace/Workspace.ts"
import { accessEndedSignal } from "../access/AccessEnded.ts"
import { mint } from "../Mint.ts"
import { atNow, findAll, findOne } from "../postgres/Queries.ts"
import { inTransaction } from "../postgres/Transaction.ts"
import { tokenHash } from "../Vault.ts"
import { standingInvitation } from "./StandingInvitations.ts"

/** A workspace that a claim link leads to. */
const Claim = Schema.Struct({
  workspaceId: WorkspaceId,
  name: Schema.String,
  agentName: Schema.NullOr(Schema.String),
  claimed: Schema.Boolean
})

const Invitation = Schema.Struct({
  workspaceId: WorkspaceId,
  workspaceName: Schema.String,
  email: Schema.typeSchema(EmailAddress),
  role: Role,
  /** Whether its link was only in an email that was really sent. */
  mailed: Schema.Boolean
})

const Joined = Schema.Struct({ id: WorkspaceId, name: Schema.String, role: Role })

export class WorkspaceEntry extends Effect.Service<WorkspaceEntry>()("belltower/WorkspaceEntry", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const standing = sql.literal(standingInvitation)

    return {
      /** The workspace of a claim link, even if already claimed. None when the link is invalid or the workspace deleted. */
      claimAt: findOne(Claim, (token: string) =>
        atNow((now) =>
          sql`
        select id as "workspaceId", name, agent_name as "agentName", claimed_at is not null as claimed from workspaces
        where claim_token_hash = ${
            tokenHash(token)
          } and deleted_at is null and (claimed_at is not null or expires_at is null or expires_at > ${now})`
        )),
      /** Makes a user the owner of an unclaimed workspace. Of two concurrent claims, one succeeds. */
      claim: Effect.fn("WorkspaceEntry.claim")(function*(token: string, userId: UserId) {
        const now = DateTime.toDateUtc(yield* DateTime.now)
        const taken = yield* sql<{ readonly id: string }>`
        update workspaces set claimed_at = ${now}, expires_at = null, claim_token_sealed = null, updated_at = ${now}
        where claim_token_hash = ${
          tokenHash(token)
        } and claimed_at is null and deleted_at is null and (expires_at is null or expires_at > ${now})
        returning id`
        const [workspace] = taken
        if (workspace === undefined) return Option.none()
        yield* sql`
        insert into memberships (workspace_id, user_id, role, created_at) values (${workspace.id}, ${userId}, 'owner', ${now})
        on conflict (workspace_id, user_id) do update set role = 'owner'`
        // Before the claim, its keys could act as the owner.
        yield* sql`select pg_notify(${accessEndedSignal}, id) from api_keys where workspace_id = ${workspace.id}`
        return Option.some(WorkspaceId.make(workspace.id))
      }, inTransaction(sql)),
      invitationAt: findOne(Invitation, (token: string) =>
        atNow((now) =>
          sql`
        select i.workspace_id as "workspaceId", w.name as "workspaceName", i.email, i.role, i.mailed
        from invitations i join workspaces w on w.id = i.workspace_id
        where i.token_hash = ${tokenHash(token)} and i.expires_at > ${now} and w.deleted_at is null and ${standing}`
        )),
      /** Accepts an invitation to the user's own address and deletes it. None when there is no such invitation. */
      accept: Effect.fn("WorkspaceEntry.accept")(function*(token: string, userId: UserId) {
        const now = DateTime.toDateUtc(yield* DateTime.now)
        // Locks the workspace first, in the same order as every other change of members.
        yield* sql`
        select from workspaces where id = (select workspace_id from invitations where token_hash = ${tokenHash(token)})
        for no key update`
        const used = yield* sql<{ readonly workspaceId: string; readonly role: string }>`
        delete from invitations i
        where token_hash = ${tokenHash(token)} and expires_at > ${now} and ${standing}
          and email = (select email from users where id = ${userId})
          and exists (select from workspaces w where w.id = i.workspace_id and w.deleted_at is null)
        returning workspace_id as "workspaceId", role`
        const [invitation] = used
        if (invitation === undefined) return Option.none()
        yield* sql`
        insert into memberships (workspace_id, user_id, role, created_at)
        values (${invitation.workspaceId}, ${userId}, ${invitation.role}, ${now})
        on conflict (workspace_id, user_id) do nothing`
        return Option.some(WorkspaceId.make(invitation.workspaceId))
      }, inTransaction(sql)),
      /** Creates a workspace that is already claimed, with the user as its owner. */
      found: Effect.fn("WorkspaceEntry.found")(function*(userId: UserId, name: string, plan: Plan) {
        const id = yield* mint("ws", WorkspaceId)
        const now = DateTime.toDateUtc(yield* DateTime.now)
        yield* sql`
        insert into workspaces (id, name, plan, claimed_at, created_at, updated_at)
        values (${id}, ${name}, ${plan}, ${now}, ${now}, ${now})`
        yield* sql`
        insert into memberships (workspace_id, user_id, role, created_at) values (${id}, ${userId}, 'owner', ${now})`
        return id
      }, inTransaction(sql)),
      /** The workspaces of a user, in the order of joining. */
      workspacesOf: findAll(Joined, (userId: UserId) =>
        sql`
        select w.id, w.name, m.role from memberships m join workspaces w on w.id = m.workspace_id
        where m.user_id = ${userId} and w.deleted_at is null order by m.created_at, w.id`)
    }
  })
}) {}
