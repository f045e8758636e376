/** The name under which a caller signs acknowledgements and postmortems. */
import { Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Keys } from "../../store/access/Keys.ts"
import { Users } from "../../store/people/Users.ts"

/** The name of an API key, or the email address of a person; the id of one that was just deleted. */
export const makeCallerName = Effect.gen(function*() {
  const keys = yield* Keys
  const users = yield* Users
  return ({ principal, workspaceId }: Caller): Effect.Effect<string> =>
    principal._tag === "Key"
      ? Effect.map(
        keys.get(workspaceId, principal.keyId),
        Option.match({ onNone: () => principal.keyId, onSome: ({ name }) => name })
      )
      : Effect.map(
        users.get(principal.userId),
        Option.match({ onNone: () => principal.userId, onSome: ({ email }) => email })
      )
})
