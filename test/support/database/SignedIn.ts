/** People for tests: signed-in members of a workspace, as rows. */
import { Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Role } from "../../../schema/workspace/Workspace.ts"
import { cookieName } from "../../../src/http/guard/SessionCookie.ts"
import { testBaseUrl } from "../program/TestServer.ts"
import { newSession } from "./SessionRows.ts"

/** A person with a role in a workspace, and the headers that their browser would send. */
export const signedIn = Effect.fn("signedIn")(function*(workspaceId: WorkspaceId, role: Role, name: string | null = null) {
  const { email, token, userId } = yield* newSession(workspaceId, role, name)
  return { userId, email, headers: { cookie: `${cookieName(testBaseUrl)}=${token}`, "sec-fetch-site": "same-origin" } }
})
