/** The rows of a person who is signed in. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { SessionId, UserId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { Role } from "../../../schema/workspace/Workspace.ts"
import { mint, randomToken } from "../../../src/store/Mint.ts"
import { tokenHash } from "../../../src/store/Vault.ts"

/** A member with a role, and the token of their session. */
export const newSession = Effect.fn("newSession")(function*(workspaceId: WorkspaceId, role: Role, name: string | null = null) {
  const sql = yield* SqlClient.SqlClient
  const userId = yield* mint("usr", UserId)
  const sessionId = yield* mint("ses", SessionId)
  const token = yield* randomToken(40)
  const email = `${userId}@example.com`
  yield* sql`insert into users (id, email, name, created_at, updated_at) values (${userId}, ${email}, ${name}, now(), now())`
  yield* sql`
    insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${userId}, ${role}, now())`
  yield* sql`
    insert into sessions (id, user_id, token_hash, workspace_id, via, created_at, expires_at, last_seen_at)
    values (${sessionId}, ${userId}, ${tokenHash(token)}, ${workspaceId}, 'email', now(), now() + interval '1 day', now())`
  return { userId, email, token }
})
