/** Who calls an operation, and for which workspace: plain data, the first argument of every operation that depends on the caller. */
import type { ApiKeyId, SessionId, UserId, WorkspaceId } from "../Ids.ts"
import type { Role, Scope } from "../workspace/Workspace.ts"

/** On whose behalf a call comes: an API key, or a person who is signed in. */
export type Principal =
  | { readonly _tag: "Key"; readonly keyId: ApiKeyId }
  | { readonly _tag: "User"; readonly userId: UserId; readonly sessionId: SessionId }

export interface Caller {
  /** Every tenant query starts from it. */
  readonly workspaceId: WorkspaceId
  readonly principal: Principal
  readonly scopes: ReadonlyArray<Scope>
  /** What the caller may do beyond its scopes. */
  readonly role: Role
  /** The only operations that a delegated key may call; null for all. */
  readonly operations: ReadonlySet<string> | null
}
