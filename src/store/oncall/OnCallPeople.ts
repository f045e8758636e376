/** The members of a workspace as people who can be on call: how they are reached. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { UserId, type WorkspaceId } from "../../../schema/Ids.ts"
import { EmailAddress, Reach } from "../../../schema/people/Person.ts"
import { Role } from "../../../schema/workspace/Workspace.ts"
import { findAll } from "../postgres/Queries.ts"

const PersonRow = Schema.Struct({
  id: UserId,
  name: Schema.NullOr(Schema.String),
  /** The address as shown; it may not be proved. */
  email: Schema.String,
  /** The address for mail; null until it is proved. */
  mailTo: Schema.NullOr(Schema.typeSchema(EmailAddress)),
  role: Role,
  contact: Reach,
  /** When the address was proved; null until then. */
  confirmedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** When the person became a member. */
  createdAt: Schema.DateTimeUtcFromDate
})
export type OnCallPersonRow = typeof PersonRow.Type

const columns = `
  u.id, u.name, coalesce(u.shown_email, u.email) as email, m.role, u.contact, u.email_proved_at as "confirmedAt", m.created_at as "createdAt",
  case when u.shown_email is null and u.email_proved_at is not null then u.email end as "mailTo"`

export class OnCallPeople extends Effect.Service<OnCallPeople>()("belltower/OnCallPeople", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const selected = sql.literal(columns)

    const some = findAll(PersonRow, (workspaceId: WorkspaceId, ids: ReadonlyArray<string>) =>
      sql`
        select ${selected} from memberships m join users u on u.id = m.user_id
        where m.workspace_id = ${workspaceId} and m.user_id = any(${ids}::text[])`)

    return {
      /** All members, oldest first. */
      members: findAll(PersonRow, (workspaceId: WorkspaceId) =>
        sql`
        select ${selected} from memberships m join users u on u.id = m.user_id
        where m.workspace_id = ${workspaceId} order by m.created_at, u.id`),
      /** The given people who are members. */
      some: (workspaceId: WorkspaceId, ids: ReadonlyArray<string>) =>
        ids.length === 0 ? Effect.succeed([]) : some(workspaceId, [...new Set(ids)])
    }
  })
}) {}
