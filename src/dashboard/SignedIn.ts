/** Restricts a page to signed-in people. */
import { Effect, Option } from "effect"
import { Unauthorized } from "../../schema/Errors.ts"
import { currentPerson, currentPersonInWorkspaces } from "../http/guard/CurrentPerson.ts"

const notSignedIn = new Unauthorized({ message: "You are not signed in", hint: "Sign in at /sign-in" })

const restrictedTo = <Person, E0, R0>(current: Effect.Effect<Option.Option<Person>, E0, R0>) => {
  return <A, E, R>(handler: (person: Person) => Effect.Effect<A, E, R>) =>
    Effect.flatMap(
      current,
      (person): Effect.Effect<A, E | Unauthorized, R> => Option.isSome(person) ? handler(person.value) : notSignedIn
    )
}

/** Runs a handler for the person of the session; without a session, the browser is redirected to the sign-in page. */
export const signedIn = restrictedTo(currentPerson)

/** The same for handlers that also need the person's workspaces. */
export const signedInMember = restrictedTo(currentPersonInWorkspaces)
