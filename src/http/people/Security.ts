/** What a person does about their sessions, their second factor and the accounts they sign in with. */
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { renderSVG } from "uqr"
import { Person } from "../../../schema/api/PersonAccess.ts"
import { Conflict, NotFound, Unauthorized } from "../../../schema/Errors.ts"
import type { SessionId, UserId } from "../../../schema/Ids.ts"
import type { Provider, Security } from "../../../schema/people/Person.ts"
import { secretText, setupUri } from "../../domain/people/Totp.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { Identities } from "../../store/people/Identities.ts"
import { SecondFactors } from "../../store/people/SecondFactors.ts"
import { Sessions } from "../../store/people/Sessions.ts"
import { secondFactorTries } from "../guard/Limits.ts"
import { wrongCode } from "./SignIn.ts"

const isOff = new Conflict({ message: "The second factor is off", hint: "POST /api/v1/me/2fa/setup begins to switch it on" })
const isOn = new Conflict({ message: "The second factor is on already", hint: "Disable it first to set up another app" })
const notBegun = new Conflict({ message: "No second factor is being set up", hint: "POST /api/v1/me/2fa/setup first" })

export const security = Effect.fn("Security.get")(function*() {
  const { sessionId, userId } = yield* Person
  const sessions = yield* Effect.flatMap(Sessions, (store) => store.list(userId))
  const twoFactor = yield* Effect.flatMap(SecondFactors, (store) => store.state(userId))
  const identities = yield* Effect.flatMap(Identities, (store) => store.list(userId))
  return {
    sessions: sessions.map((session) => ({ ...session, current: session.id === sessionId })),
    twoFactor,
    identities
  } satisfies Security
})

/** Ends one of one's sessions, the current one too. */
export const endSession = Effect.fn("Security.endSession")(function*(id: SessionId) {
  const { userId } = yield* Person
  const ended = yield* Effect.flatMap(Sessions, (sessions) => sessions.end(userId, id))
  if (!ended) return yield* new NotFound({ message: `You have no session ${id}`, hint: "GET /api/v1/me/security lists them" })
})

/** Returns how many there were. */
export const endOtherSessions = Effect.fn("Security.endOtherSessions")(function*() {
  const { sessionId, userId } = yield* Person
  return yield* Effect.flatMap(Sessions, (sessions) => sessions.endOthers(userId, sessionId))
})

const shown = (secret: Uint8Array, email: string) => {
  const uri = setupUri(secret, email)
  return { secret: secretText(secret), uri, qrSvg: renderSVG(uri, { border: 2 }) }
}

/** Lays a new secret by for an app; whatever was being set up before is forgotten. */
export const setUpSecondFactor = Effect.fn("Security.setUp")(function*() {
  const { user, userId } = yield* Person
  const secret = yield* Effect.flatMap(SecondFactors, (factors) => factors.begin(userId))
  return Option.isSome(secret) ? shown(secret.value, user.email) : yield* isOn
})

/** The secret that is being set up, to be shown again; none when there is none. */
export const pendingSecondFactor = Effect.fn("Security.pending")(function*() {
  const { user, userId } = yield* Person
  const secret = yield* Effect.flatMap(SecondFactors, (factors) => factors.pending(userId))
  return Option.map(secret, (bytes) => shown(bytes, user.email))
})

const over = new Unauthorized({ message: "This session is over", hint: "Sign in again" })

/**
 * Whoever came in before the change must show the new factor. The change holds the user's row, so a session that is there
 * after it was not ended while the request was on its way.
 */
const changed = <A, E, R>(change: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const { sessionId, userId } = yield* Person
    const sql = yield* SqlClient.SqlClient
    const sessions = yield* Sessions
    return yield* sql.withTransaction(Effect.gen(function*() {
      const done = yield* change
      const left = yield* sessions.list(userId)
      if (!left.some(({ id }) => id === sessionId)) return yield* over
      yield* endOtherSessions()
      return done
    }))
  }).pipe(Effect.catchTag("SqlError", Effect.die))

const tried = (userId: UserId) => Effect.flatMap(RateLimits, (limits) => limits.take(secondFactorTries, userId))

/** Switches it on; returns ten recovery codes, this once. */
export const enableSecondFactor = Effect.fn("Security.enable")(function*(code: string) {
  const { userId } = yield* Person
  const factors = yield* SecondFactors
  if ((yield* factors.state(userId)).enabled) return yield* isOn
  if (Option.isNone(yield* factors.pending(userId))) return yield* notBegun
  yield* tried(userId)
  return yield* changed(Effect.flatMap(
    factors.enable(userId, code),
    Option.match({ onNone: () => Effect.fail(wrongCode), onSome: Effect.succeed })
  ))
})

/** Does what only somebody with the second factor may do. */
const withCode = <A>(code: string, change: (factors: SecondFactors, userId: UserId) => Effect.Effect<A>) =>
  Effect.gen(function*() {
    const { userId } = yield* Person
    const factors = yield* SecondFactors
    if (!(yield* factors.state(userId)).enabled) return yield* isOff
    yield* tried(userId)
    return yield* changed(Effect.gen(function*() {
      if (!(yield* factors.pass(userId, code))) return yield* wrongCode
      return yield* change(factors, userId)
    }))
  })

/** `code` may be one of the app or a recovery code. */
export const disableSecondFactor = Effect.fn("Security.disable")((code: string) =>
  withCode(code, (factors, userId) => factors.disable(userId))
)

/** Replaces all recovery codes; a session alone must not be able to, or it could switch the second factor off. */
export const replaceRecoveryCodes = Effect.fn("Security.replaceRecoveryCodes")((code: string) =>
  withCode(code, (factors, userId) => factors.replaceCodes(userId))
)

export const disconnectIdentity = Effect.fn("Security.disconnect")(function*(provider: Provider) {
  const { userId } = yield* Person
  const done = yield* Effect.flatMap(Identities, (identities) => identities.disconnect(userId, provider))
  if (!done) {
    return yield* new NotFound({ message: `No ${provider} account is connected`, hint: "GET /api/v1/me/security lists them" })
  }
})
