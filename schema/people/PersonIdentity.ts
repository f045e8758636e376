/** The signed-in person and their session: plain data, the first argument of operations on one's own account. */
import type { SessionId, UserId, WorkspaceId } from "../Ids.ts"
import type { User } from "./User.ts"

export interface PersonIdentity {
  readonly userId: UserId
  readonly sessionId: SessionId
  /** The workspace that the session last switched to. */
  readonly workspaceId: WorkspaceId | null
  readonly user: User
}
