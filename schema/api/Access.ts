/** Who is calling: the access that a bearer key or a session grants, and the middleware that asks for it. */
import { HttpApiMiddleware, HttpApiSecurity } from "@effect/platform"
import { Context, Schema } from "effect"
import { wire } from "../Errors.ts"
import type { ApiKeyId, SessionId, UserId, WorkspaceId } from "../Ids.ts"
import type { Role, Scope } from "../workspace/Workspace.ts"

/** On whose behalf a request comes: a key, or a person who is signed in. */
export type Principal =
  | { readonly _tag: "Key"; readonly keyId: ApiKeyId }
  | { readonly _tag: "User"; readonly userId: UserId; readonly sessionId: SessionId }

/** The caller of the current request. Every tenant query starts from its `workspaceId`. */
export class Access extends Context.Tag("belltower/Access")<Access, {
  readonly workspaceId: WorkspaceId
  readonly principal: Principal
  readonly scopes: ReadonlyArray<Scope>
  /** What the caller may do beyond its scopes. */
  readonly role: Role
  /** The only operations that a delegated key may call; null for all. */
  readonly operations: ReadonlySet<string> | null
}>() {}

/** An annotation: the least role that an operation needs. Null for the usual one: viewers look, members change. */
export class LeastRole extends Context.Reference<LeastRole>()("belltower/LeastRole", {
  defaultValue: (): Role | null => null
}) {}

const bearer = HttpApiSecurity.bearer

const failure = Schema.Union(wire.unauthorized, wire.forbidden)

/** Any valid key, and any member who is signed in. */
export class ReadAccess extends HttpApiMiddleware.Tag<ReadAccess>()("belltower/ReadAccess", {
  provides: Access,
  failure,
  security: { bearer }
}) {}

/** A key with the write scope, and a member whose role is enough. */
export class WriteAccess extends HttpApiMiddleware.Tag<WriteAccess>()("belltower/WriteAccess", {
  provides: Access,
  failure,
  security: { bearer }
}) {}
