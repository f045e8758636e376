/** Who is signed in, and with which session: plain data, the first argument of what people do about themselves. */
import type { SessionId, UserId, WorkspaceId } from "../Ids.ts"
import type { User } from "./User.ts"

export interface PersonIdentity {
  readonly userId: UserId
  readonly sessionId: SessionId
  /** The workspace the session was last switched to. */
  readonly workspaceId: WorkspaceId | null
  readonly user: User
}
