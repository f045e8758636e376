/** The names of those who receive acknowledge links: alert channels and members. */
import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { findOne } from "../postgres/Queries.ts"

export class LinkRecipients extends Effect.Service<LinkRecipients>()("belltower/LinkRecipients", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const name = findOne(Schema.Struct({ name: Schema.String }), (workspaceId: WorkspaceId, id: string) =>
      sql`
        select name from channels where workspace_id = ${workspaceId} and id = ${id}
        union all
        select coalesce(u.shown_email, u.email) from memberships m join users u on u.id = m.user_id
        where m.workspace_id = ${workspaceId} and m.user_id = ${id}`)

    return {
      /** The name of a channel or the address of a member; none if the channel was deleted or the person has left. */
      name: (workspaceId: WorkspaceId, id: string): Effect.Effect<Option.Option<string>> =>
        Effect.map(name(workspaceId, id), Option.map((found) => found.name))
    }
  })
}) {}
