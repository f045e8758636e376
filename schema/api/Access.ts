/** Who is calling: the access that a bearer key or a session grants, and the middleware that asks for it. */
import { HttpApiMiddleware, HttpApiSecurity } from "@effect/platform"
import { Context, Schema } from "effect"
import type { Caller } from "../access/Caller.ts"
import { wire } from "../Errors.ts"
import type { Role } from "../workspace/Workspace.ts"

/** The caller of the current request. */
export class Access extends Context.Tag("belltower/Access")<Access, Caller>() {}

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
