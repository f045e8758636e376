/** People for tests: signed-in members of a workspace, as rows. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { SessionId, UserId, type WorkspaceId } from "../../schema/Ids.ts"
import type { Role } from "../../schema/workspace/Workspace.ts"
import { cookieName } from "../../src/http/guard/SessionCookie.ts"
import { mint, randomToken } from "../../src/store/Mint.ts"
import { tokenHash } from "../../src/store/Vault.ts"
import { testBaseUrl } from "./TestServer.ts"

/** A person with a role in a workspace, and the headers that their browser would send. */
export const signedIn = Effect.fn("signedIn")(function*(workspaceId: WorkspaceId, role: Role, name: string | null = null) {
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
  return { userId, email, headers: { cookie: `${cookieName(testBaseUrl)}=${token}`, "sec-fetch-site": "same-origin" } }
})
