/** What only a person who is signed in may see or do. */
import { Effect, Option } from "effect"
import { Unauthorized } from "../../schema/Errors.ts"
import type { PersonIdentity } from "../../schema/people/PersonIdentity.ts"
import { currentPerson } from "../http/guard/CurrentPerson.ts"

const nobody = new Unauthorized({ message: "Nobody is signed in", hint: "Sign in at /sign-in" })

/** Runs for the person of the session; without one the browser is sent to sign in. */
export const signedIn = <A, E, R>(handler: (person: PersonIdentity) => Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const person = yield* currentPerson
    return Option.isSome(person) ? yield* handler(person.value) : yield* nobody
  })
