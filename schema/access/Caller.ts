/** The caller of an operation and its workspace: plain data, the first argument of every operation that depends on the caller. */
import type { ApiKeyId, SessionId, UserId, WorkspaceId } from "../Ids.ts"
import type { Role, Scope } from "../workspace/Workspace.ts"

/** The identity behind a call: an API key or a signed-in person. */
export type Principal =
  | { readonly _tag: "Key"; readonly keyId: ApiKeyId }
  | { readonly _tag: "User"; readonly userId: UserId; readonly sessionId: SessionId }

export interface Caller {
  /** Scopes every tenant query. */
  readonly workspaceId: WorkspaceId
  readonly principal: Principal
  readonly scopes: ReadonlyArray<Scope>
  /** Limits what the caller can do within its scopes. */
  readonly role: Role
  /** The only operations that a delegated key can call; null for all. */
  readonly operations: ReadonlySet<string> | null
}
