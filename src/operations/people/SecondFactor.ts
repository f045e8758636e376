/** Sets up, enables and disables a person's second factor. */
import { Duration, Effect, Option } from "effect"
import { renderSVG } from "uqr"
import { Conflict, NotFound, Unauthorized } from "../../../schema/Errors.ts"
import type { UserId } from "../../../schema/Ids.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { secretText, setupUri } from "../../domain/people/Totp.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { SecondFactors } from "../../store/people/SecondFactors.ts"
import { Sessions } from "../../store/people/Sessions.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { makeTries, type TryLimit } from "../access/Tries.ts"
import { foundOr } from "../NoSuch.ts"

/** Limits the codes of a user, right and wrong ones, to make guessing six digits infeasible. */
export const secondFactorTries: TryLimit = {
  name: "second-factor",
  each: { limit: 10, window: Duration.minutes(15) },
  all: { limit: 40, window: Duration.hours(1), few: 2 }
}

export const wrongCode = validationFailure([{
  path: "code",
  message: "The code is wrong or was already used",
  hint: "Wait for the next code in your app, or use a recovery code"
}])

const isOff = new Conflict({ message: "Two-factor authentication is off", hint: "Set it up with POST /api/v1/me/2fa/setup" })
const isOn = new Conflict({ message: "Two-factor authentication is already on", hint: "To set up another app, disable it first" })
const notSetUp = new Conflict({
  message: "Two-factor authentication has not been set up",
  hint: "Call POST /api/v1/me/2fa/setup first"
})
const notBegun = new NotFound({
  message: "No authenticator app is being set up",
  hint: "Call POST /api/v1/me/2fa/setup first"
})
const sessionEnded = new Unauthorized({ message: "This session has ended", hint: "Sign in again" })

const shown = (secret: Uint8Array, email: string) => {
  const uri = setupUri(secret, email)
  return { secret: secretText(secret), uri, qrSvg: renderSVG(uri, { border: 2 }) }
}

export class SecondFactor extends Effect.Service<SecondFactor>()("belltower/SecondFactor", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const factors = yield* SecondFactors
    const sessions = yield* Sessions
    const tries = yield* makeTries

    /** Stores a new secret for an app; replaces the secret of an unfinished setup. */
    const setUp = Effect.fn("SecondFactor.setUp")(function*({ user, userId }: PersonIdentity) {
      return shown(yield* foundOr(factors.begin(userId), () => isOn), user.email)
    })

    const pending = Effect.fn("SecondFactor.pending")(function*({ user, userId }: PersonIdentity) {
      return shown(yield* foundOr(factors.pending(userId), () => notBegun), user.email)
    })

    /** Ends the other sessions, which started without the new factor. The lock of the user excludes concurrent requests. */
    const changing = <A, E, R>({ sessionId, userId }: PersonIdentity, change: Effect.Effect<A, E, R>) =>
      transaction(Effect.gen(function*() {
        const done = yield* change
        const left = yield* sessions.list(userId)
        if (!left.some(({ id }) => id === sessionId)) return yield* sessionEnded
        yield* sessions.endOthers(userId, sessionId)
        return done
      }))

    /** Enables the second factor; returns ten recovery codes, which are not shown again. */
    const enable = Effect.fn("SecondFactor.enable")(function*(person: PersonIdentity, code: string) {
      const { sessionId, userId } = person
      if ((yield* factors.state(userId)).enabled) return yield* isOn
      if (Option.isNone(yield* factors.pending(userId))) return yield* notSetUp
      yield* tries(secondFactorTries, { target: userId, sender: sessionId })
      return yield* changing(person, foundOr(factors.enable(userId, code), () => wrongCode))
    })

    const withCode = Effect.fn("SecondFactor.withCode")(
      function*<A>(person: PersonIdentity, code: string, change: (userId: UserId) => Effect.Effect<A>) {
        const { sessionId, userId } = person
        if (!(yield* factors.state(userId)).enabled) return yield* isOff
        yield* tries(secondFactorTries, { target: userId, sender: sessionId })
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
      /** Replaces all recovery codes. Requires a code; otherwise a stolen session could disable the second factor. */
      replaceRecoveryCodes: (person: PersonIdentity, code: string) => withCode(person, code, factors.replaceCodes)
    }
  })
}) {}
