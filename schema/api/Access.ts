/** Who is calling: the access that a bearer key grants, and the middleware that asks for it. */
import { HttpApiMiddleware, HttpApiSecurity } from "@effect/platform"
import { Context, Schema } from "effect"
import { wire } from "../Errors.ts"
import type { ApiKeyId, WorkspaceId } from "../Ids.ts"
import type { Scope } from "../Workspace.ts"

/** The caller of the current request. Every tenant query starts from its `workspaceId`. */
export class Access extends Context.Tag("belltower/Access")<Access, {
  readonly workspaceId: WorkspaceId
  readonly keyId: ApiKeyId
  readonly scopes: ReadonlyArray<Scope>
}>() {}

const bearer = HttpApiSecurity.bearer

const failure = Schema.Union(wire.unauthorized, wire.forbidden)

/** Any valid key. */
export class ReadAccess extends HttpApiMiddleware.Tag<ReadAccess>()("belltower/ReadAccess", {
  provides: Access,
  failure,
  security: { bearer }
}) {}

/** A key with the write scope. */
export class WriteAccess extends HttpApiMiddleware.Tag<WriteAccess>()("belltower/WriteAccess", {
  provides: Access,
  failure,
  security: { bearer }
}) {}
