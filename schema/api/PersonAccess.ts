/** Who is signed in: the person that a session cookie stands for, and the middleware that asks for one. */
import { HttpApiMiddleware } from "@effect/platform"
import { Context, Schema } from "effect"
import { wire } from "../Errors.ts"
import type { PersonIdentity } from "../people/PersonIdentity.ts"

/** The person of the current request, and the session they came with. */
export class Person extends Context.Tag("belltower/Person")<Person, PersonIdentity>() {}

/** A session cookie; a write must come from a page of this service. Keys are not let in. */
export class PersonAccess extends HttpApiMiddleware.Tag<PersonAccess>()("belltower/PersonAccess", {
  provides: Person,
  failure: Schema.Union(wire.unauthorized, wire.forbidden)
}) {}
