/** Sets up, enables and disables the second factor of a person. */
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { renderSVG } from "uqr"
import { Conflict, Unauthorized } from "../../../schema/Errors.ts"
import type { UserId } from "../../../schema/Ids.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { secretText, setupUri } from "../../domain/people/Totp.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { SecondFactors } from "../../store/people/SecondFactors.ts"
import { Sessions } from "../../store/people/Sessions.ts"
import { secondFactorTries, wrongCode } from "./SecondFactorTries.ts"

const isOff = new Conflict({ message: "The second factor is off", hint: "POST /api/v1/me/2fa/setup begins to switch it on" })
const isOn = new Conflict({ message: "The second factor is on already", hint: "Disable it first to set up another app" })
const notBegun = new Conflict({ message: "No second factor is being set up", hint: "POST /api/v1/me/2fa/setup first" })
const over = new Unauthorized({ message: "This session is over", hint: "Sign in again" })

const shown = (secret: Uint8Array, email: string) => {
  const uri = setupUri(secret, email)
  return { secret: secretText(secret), uri, qrSvg: renderSVG(uri, { border: 2 }) }
}

export class SecondFactor extends Effect.Service<SecondFactor>()("belltower/SecondFactor", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const factors = yield* SecondFactors
    const sessions = yield* Sessions
    const limits = yield* RateLimits

    /** Stores a new secret for an app; it replaces one that was being set up. */
    const setUp = Effect.fn("SecondFactor.setUp")(function*({ user, userId }: PersonIdentity) {
      const secret = yield* factors.begin(userId)
      return Option.isSome(secret) ? shown(secret.value, user.email) : yield* isOn
    })

    /** The secret that is being set up, to be shown again; none when there is none. */
    const pending = Effect.fn("SecondFactor.pending")(function*({ user, userId }: PersonIdentity) {
      return Option.map(yield* factors.pending(userId), (bytes) => shown(bytes, user.email))
    })

    /**
     * Ends the other sessions after a change, since they began without the new factor. The change holds the user's row, so
     * a session that is there afterwards was not ended while the request was on its way.
     */
    const changing = <A, E, R>({ sessionId, userId }: PersonIdentity, change: Effect.Effect<A, E, R>) =>
      sql.withTransaction(Effect.gen(function*() {
        const done = yield* change
        const left = yield* sessions.list(userId)
        if (!left.some(({ id }) => id === sessionId)) return yield* over
        yield* sessions.endOthers(userId, sessionId)
        return done
      })).pipe(Effect.catchTag("SqlError", Effect.die))

    /** Switches it on; returns ten recovery codes, this once. */
    const enable = Effect.fn("SecondFactor.enable")(function*(person: PersonIdentity, code: string) {
      const { userId } = person
      if ((yield* factors.state(userId)).enabled) return yield* isOn
      if (Option.isNone(yield* factors.pending(userId))) return yield* notBegun
      yield* limits.take(secondFactorTries, userId)
      const enabled = Effect.flatMap(
        factors.enable(userId, code),
        Option.match({ onNone: () => Effect.fail(wrongCode), onSome: Effect.succeed })
      )
      return yield* changing(person, enabled)
    })

    /** Makes a change that needs a code of the app or a recovery code. */
    const withCode = Effect.fn("SecondFactor.withCode")(
      function*<A>(person: PersonIdentity, code: string, change: (userId: UserId) => Effect.Effect<A>) {
        const { userId } = person
        if (!(yield* factors.state(userId)).enabled) return yield* isOff
        yield* limits.take(secondFactorTries, userId)
        return yield* changing(
          person,
          Effect.gen(function*() {
            if (!(yield* factors.pass(userId, code))) return yield* wrongCode
            return yield* change(userId)
          })
        )
      }
    )

    return {
      setUp,
      pending,
      enable,
      disable: (person: PersonIdentity, code: string) => withCode(person, code, factors.disable),
      /** Replaces all recovery codes; with a session alone one could otherwise switch the second factor off. */
      replaceRecoveryCodes: (person: PersonIdentity, code: string) => withCode(person, code, factors.replaceCodes)
    }
  })
}) {}
