/** The rows of a workspace's members and invitations. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { InvitationId, type UserId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { EmailAddress } from "../../../schema/people/Person.ts"
import { Member, MemberId } from "../../../schema/workspace/Member.ts"
import type { Role } from "../../../schema/workspace/Workspace.ts"
import { MailMode } from "../mail/MailMode.ts"
import { mint, randomToken } from "../Mint.ts"
import { atNow, countOf, findAll } from "../postgres/Queries.ts"
import { tokenHash } from "../Vault.ts"
import { standingInvitation } from "./StandingInvitations.ts"

/** How long an invitation is valid, in days. */
export const invitationDays = 7

const Row = Schema.Struct({
  ...Member.fields,
  /** The address that the account holds, which may be another than its owner typed. */
  heldEmail: Schema.String,
  createdAt: Schema.DateTimeUtcFromDate,
  expiresAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})

export class Members extends Effect.Service<Members>()("belltower/Members", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const mode = yield* MailMode
    const standing = sql.literal(standingInvitation)

    const rows = findAll(Row, (workspaceId: WorkspaceId) =>
      atNow((now) =>
        sql`
        select m.user_id as id, m.user_id as "userId", coalesce(u.shown_email, u.email) as email, u.email as "heldEmail", u.name, m.role, 'active' as status,
               m.created_at as "createdAt", null::timestamptz as "expiresAt", null as mail
        from memberships m join users u on u.id = m.user_id where m.workspace_id = ${workspaceId}
        union all
        select id, null, email, email, null, role, 'invited', created_at, expires_at, case when mailed then 'sent' else 'captured' end
        from invitations i where workspace_id = ${workspaceId} and expires_at > ${now} and ${standing}
        order by status, "createdAt", id`
      ))

    const shown = ({ heldEmail: _, ...member }: typeof Row.Type): Member => member

    const find = (workspaceId: WorkspaceId, fits: (row: typeof Row.Type) => boolean) =>
      Effect.map(rows(workspaceId), (found) => Option.map(Option.fromNullable(found.find(fits)), shown))

    return {
      /** The members, oldest first, then the invitations that can still be accepted. */
      list: (workspaceId: WorkspaceId) => Effect.map(rows(workspaceId), (found) => found.map(shown)),
      /** Finds a member or a pending invitation by id. */
      find: (workspaceId: WorkspaceId, id: string) => find(workspaceId, (member) => member.id === id),
      findUser: (workspaceId: WorkspaceId, id: UserId) => find(workspaceId, (member) => member.userId === id),
      findEmail: (workspaceId: WorkspaceId, email: string) => find(workspaceId, (member) => member.heldEmail === email),
      /**
       * Locks the workspace's row in the caller's transaction, so that its members change one at a time. Returns the number
       * of owners.
       */
      lock: Effect.fn("Members.lock")(function*(workspaceId: WorkspaceId) {
        yield* sql`select from workspaces where id = ${workspaceId} for no key update`
        return yield* countOf(sql`
          select count(*)::int as count from memberships where workspace_id = ${workspaceId} and role = 'owner'`)
      }, Effect.orDie),
      /**
       * Invites an address in the caller's transaction, or renews its invitation, which invalidates the earlier link. The token
       * opens the invitation and is returned only here.
       */
      invite: Effect.fn("Members.invite")(function*(
        workspaceId: WorkspaceId,
        fields: { readonly email: EmailAddress; readonly role: Role; readonly invitedBy: string }
      ) {
        const id = yield* mint("inv", InvitationId)
        const token = yield* randomToken(40)
        const now = yield* DateTime.now
        const expiresAt = DateTime.addDuration(now, Duration.days(invitationDays))
        const mail = yield* mode
        const [row] = yield* sql<{ readonly id: string }>`
          insert into invitations (id, workspace_id, email, role, token_hash, mailed, invited_by, created_at, expires_at)
          values (${id}, ${workspaceId}, ${fields.email}, ${fields.role}, ${tokenHash(token)}, ${
          mail === "sent"
        }, ${fields.invitedBy},
                  ${DateTime.toDateUtc(now)}, ${DateTime.toDateUtc(expiresAt)})
          on conflict (workspace_id, email) do update
          set role = excluded.role, token_hash = excluded.token_hash, mailed = excluded.mailed, invited_by = excluded.invited_by,
              created_at = excluded.created_at, expires_at = excluded.expires_at
          returning id`
        const member: Member = {
          id: MemberId.make(row?.id ?? id),
          userId: null,
          email: fields.email,
          name: null,
          role: fields.role,
          status: "invited",
          createdAt: now,
          expiresAt,
          mail
        }
        return { member, token }
      }, Effect.orDie),
      /** Changes the role of a member or an invitation, in the caller's transaction. `by` answers for the invitation from now on. */
      setRole: Effect.fn("Members.setRole")(function*(workspaceId: WorkspaceId, member: Member, role: Role, by: string) {
        yield* member.userId === null
          ? sql`
            update invitations set role = ${role}, invited_by = ${by} where workspace_id = ${workspaceId} and id = ${member.id}`
          : sql`update memberships set role = ${role} where workspace_id = ${workspaceId} and user_id = ${member.userId}`
      }, Effect.orDie),
      /** Removes a member or an invitation, in the caller's transaction. The member's sessions leave this workspace. */
      remove: Effect.fn("Members.remove")(
        function*(workspaceId: WorkspaceId, member: Member) {
          if (member.userId === null) {
            return yield* sql`delete from invitations where workspace_id = ${workspaceId} and id = ${member.id}`
          }
          yield* sql`delete from memberships where workspace_id = ${workspaceId} and user_id = ${member.userId}`
          yield* sql`
          update sessions set workspace_id = null where workspace_id = ${workspaceId} and user_id = ${member.userId}`
        },
        Effect.asVoid,
        Effect.orDie
      )
    }
  })
}) {}
