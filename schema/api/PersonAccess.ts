/** The signed-in person behind a session cookie, and the middleware that requires one. */
import { HttpApiMiddleware } from "@effect/platform"
import { Context, Schema } from "effect"
import { wire } from "../Errors.ts"
import type { PersonIdentity } from "../people/PersonIdentity.ts"

export class Person extends Context.Tag("belltower/Person")<Person, PersonIdentity>() {}

/** Requires a session cookie. Writes must come from a page of this service. Rejects API keys. */
export class PersonAccess extends HttpApiMiddleware.Tag<PersonAccess>()("belltower/PersonAccess", {
  provides: Person,
  failure: Schema.Union(wire.unauthorized, wire.forbidden)
}) {}
