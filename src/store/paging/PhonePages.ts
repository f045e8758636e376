/** The rows that texts and calls are about: the page of a provider's report, and whom a number belongs to. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { type PagingId, UserId, type WayId, type WorkspaceId } from "../../../schema/Ids.ts"
import { WayKind } from "../../../schema/oncall/Way.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { findAll, findOne } from "../postgres/Queries.ts"

/** The members who are mailed when texts and calls are used up. */
const mostRecipients = 20

export class PhonePages extends Effect.Service<PhonePages>()("belltower/PhonePages", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** The kind of way of a page that was sent, by its key; none for any other. A provider does not know its workspace. */
    kindOf: findOne(
      Schema.Struct({ by: WayKind }),
      (id: PagingId) => sql`select kind as by from pagings where id = ${id} and kind in ('sms', 'voice') and state <> 'planned'`
    ),
    ownerOf: findOne(
      Schema.Struct({ userId: UserId }),
      (workspaceId: WorkspaceId, id: WayId) =>
        sql`select user_id as "userId" from contact_ways where workspace_id = ${workspaceId} and id = ${id}`
    ),
    /** The owners and admins who have proved their address. */
    admins: findAll(Schema.Struct({ email: Schema.typeSchema(EmailAddress) }), (workspaceId: WorkspaceId) =>
      sql`
      select u.email from memberships m join users u on u.id = m.user_id
      where m.workspace_id = ${workspaceId} and m.role in ('owner', 'admin') and u.email_proved_at is not null
        and u.shown_email is null
      order by u.id limit ${mostRecipients}`)
  }))
}) {}
