/** Restricts a page to signed-in people. */
import { Effect, Option } from "effect"
import { Unauthorized } from "../../schema/Errors.ts"
import type { PersonIdentity } from "../../schema/people/PersonIdentity.ts"
import { currentPerson, currentPersonInWorkspaces } from "../http/guard/CurrentPerson.ts"
import type { PersonInWorkspaces } from "../operations/access/Authenticate.ts"

const notSignedIn = new Unauthorized({ message: "You are not signed in", hint: "Sign in at /sign-in" })

/** Runs `handler` for the person of the session; without a session, the browser is redirected to the sign-in page. */
export const signedIn = <A, E, R>(handler: (person: PersonIdentity) => Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const person = yield* currentPerson
    return Option.isSome(person) ? yield* handler(person.value) : yield* notSignedIn
  })

/** The same for handlers that also need the person's workspaces. */
export const signedInMember = <A, E, R>(handler: (visitor: PersonInWorkspaces) => Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const visitor = yield* currentPersonInWorkspaces
    return Option.isSome(visitor) ? yield* handler(visitor.value) : yield* notSignedIn
  })
