/** What only somebody who is signed in may see or do. */
import { Effect, Option } from "effect"
import { Unauthorized } from "../../schema/Errors.ts"
import { asPerson, currentPerson } from "../http/guard/CurrentPerson.ts"

const nobody = new Unauthorized({ message: "Nobody is signed in", hint: "Sign in at /sign-in" })

/** Runs as the person of the session; without one the browser is sent to sign in. */
export const signedIn = <A, E, R>(handler: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const person = yield* currentPerson
    return Option.isSome(person) ? yield* asPerson(person.value, handler) : yield* nobody
  })
