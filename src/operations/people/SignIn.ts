/** Signs people in by an emailed link, then by their second factor if it is on. */
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { Unauthorized } from "../../../schema/Errors.ts"
import { home } from "../../domain/people/LocalPath.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { SecondFactors } from "../../store/people/SecondFactors.ts"
import { Sessions } from "../../store/people/Sessions.ts"
import { SignInLinks } from "../../store/people/SignInLinks.ts"
import { Users } from "../../store/people/Users.ts"
import { PersonSessions } from "./PersonSessions.ts"
import { secondFactorTries, wrongCode } from "./SecondFactorTries.ts"
import type { Visitor } from "./Visitor.ts"

const expired = new Unauthorized({ message: "This sign-in has expired", hint: "Start again at /sign-in" })

export class SignIn extends Effect.Service<SignIn>()("belltower/SignIn", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const users = yield* Users
    const links = yield* SignInLinks
    const sessions = yield* Sessions
    const personSessions = yield* PersonSessions
    const factors = yield* SecondFactors
    const limits = yield* RateLimits

    /** Uses a link and starts a session for its user, who is created if needed. None if the link is used, expired or unknown. */
    const redeem = Effect.fn("SignIn.redeem")((token: string, visitor: Visitor) =>
      sql.withTransaction(Effect.gen(function*() {
        const link = yield* links.redeem(token)
        if (Option.isNone(link)) return Option.none()
        const { email, mailed, newcomer, next } = link.value
        const user = newcomer ? yield* users.create(email) : Option.some(yield* users.ensure(email, mailed, null))
        if (Option.isNone(user)) return Option.none()
        const shown = mailed && !user.value.proved ? yield* users.prove(user.value.id) : user.value
        return Option.some({ ...(yield* personSessions.begin(shown, "email", visitor)), next: next ?? home })
      })).pipe(Effect.catchTag("SqlError", Effect.die))
    )

    const waiting = (token: string | undefined) => token === undefined ? Effect.succeedNone : sessions.findWaiting(token)

    /** Checks the second factor; returns the session's new token. Each code works once. */
    const passSecondFactor = Effect.fn("SignIn.passSecondFactor")(function*(sessionToken: string | undefined, code: string) {
      const session = yield* waiting(sessionToken)
      if (Option.isNone(session)) return yield* expired
      const { id, userId } = session.value
      yield* limits.take(secondFactorTries, userId)
      if (!(yield* factors.pass(userId, code))) return yield* wrongCode
      return yield* sql.withTransaction(personSessions.admit(userId, id))
    }, Effect.catchTag("SqlError", Effect.die))

    return {
      /** Reads a link without using it; none if it is used, expired or unknown. */
      look: links.look,
      redeem,
      /** Whether the session is waiting for its second factor. */
      isWaiting: (sessionToken: string | undefined) => Effect.map(waiting(sessionToken), Option.isSome),
      passSecondFactor
    }
  })
}) {}
