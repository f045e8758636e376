/** The access that an API key or a session grants, the signed-in person, and the middleware that requires them. */
import { HttpApiMiddleware, HttpApiSecurity } from "@effect/platform"
import { Context, Schema } from "effect"
import type { Caller } from "../access/Caller.ts"
import { wire } from "../Errors.ts"
import type { PersonIdentity } from "../people/PersonIdentity.ts"
import type { Role } from "../workspace/Workspace.ts"

export class Access extends Context.Tag("belltower/Access")<Access, Caller>() {}

/** Annotates an operation with the lowest role that can call it. Null is the default: viewers read, members write. */
export class LeastRole extends Context.Reference<LeastRole>()("belltower/LeastRole", {
  defaultValue: (): Role | null => null
}) {}

const bearer = HttpApiSecurity.bearer

const failure = Schema.Union(wire.unauthorized, wire.forbidden)

/** Requires a valid API key, or a signed-in member. */
export class ReadAccess extends HttpApiMiddleware.Tag<ReadAccess>()("belltower/ReadAccess", {
  provides: Access,
  failure,
  security: { bearer }
}) {}

/** Requires an API key with the write scope, or a signed-in member with a sufficient role. */
export class WriteAccess extends HttpApiMiddleware.Tag<WriteAccess>()("belltower/WriteAccess", {
  provides: Access,
  failure,
  security: { bearer }
}) {}

export class Person extends Context.Tag("belltower/Person")<Person, PersonIdentity>() {}

/** Requires a session cookie. Writes must come from a page of this service. Rejects API keys. */
export class PersonAccess extends HttpApiMiddleware.Tag<PersonAccess>()("belltower/PersonAccess", {
  provides: Person,
  failure
}) {}
