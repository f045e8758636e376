/** Signs people in with Google or GitHub, and connects such an account to a signed-in person. */
import { Clock, Duration, Effect, Option, Schema, Struct } from "effect"
import { randomBytes } from "node:crypto"
import { Conflict, Forbidden, NotFound } from "../../../schema/Errors.ts"
import { UserId } from "../../../schema/Ids.ts"
import { Provider } from "../../../schema/people/Person.ts"
import { home, localPath } from "../../domain/people/LocalPath.ts"
import { type Account, callbackPath, SignInProviders } from "../../external/oauth/SignInProvider.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { type RateLimit, RateLimits } from "../../store/access/RateLimits.ts"
import { LinkKeys } from "../../store/LinkKeys.ts"
import { randomToken } from "../../store/Mint.ts"
import { Identities } from "../../store/people/Identities.ts"
import { SignInLinks } from "../../store/people/SignInLinks.ts"
import { type UserRow, Users } from "../../store/people/Users.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Authenticate } from "../access/Authenticate.ts"
import { AdmitRegistration } from "../workspace/AdmitRegistration.ts"
import { PersonSessions, type Visitor } from "./PersonSessions.ts"
import { ProveAddress } from "./ProveAddress.ts"
import { signInPath } from "./RequestSignIn.ts"

/** The state that the browser keeps until the provider redirects it back. Sealed: the browser can neither read nor change it. */
const Errand = Schema.parseJson(Schema.Struct({
  provider: Provider,
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  next: Schema.NullOr(Schema.String),
  connects: Schema.NullOr(UserId),
  until: Schema.Number
}))

const purpose = "sign-in at a provider"

export const errandLifetime = Duration.minutes(10)

/** An errand can be sent again and again, and each time the provider is asked: it must not stop answering this service for that. */
const returns: RateLimit = { name: "provider-return", limit: 100, window: Duration.minutes(15) }

export interface ProviderErrand {
  /** Where to go afterwards; ignored unless it is a page of this service. */
  readonly next: string | null
  readonly connects: UserId | null
}

interface ProviderReturn {
  /** The sealed errand from `begin`; undefined if the browser sent none. */
  readonly errand: string | undefined
  readonly search: string
}

const errandInvalid = new Forbidden({
  message: "This sign-in was started in another browser, or has expired",
  hint: "Start again"
})

const connectedElsewhere = (provider: Provider) =>
  new Conflict({
    message: `Another ${provider} account is connected to this user, or this one is connected to another user`,
    hint: "Sign in by email and check your connected accounts"
  })

const notConfigured = (provider: Provider) =>
  new NotFound({ message: `Sign-in with ${provider} is not configured`, hint: "Sign in by email" })

/** Finds the user of an account, and connects accounts, in the caller's transaction. */
const makeAccounts = Effect.gen(function*() {
  const users = yield* Users
  const identities = yield* Identities
  const authenticate = yield* Authenticate
  const proofs = yield* ProveAddress
  const registration = yield* AdmitRegistration

  /**
   * Connects the account of a user's address, unless another one is connected. Not before a second factor, which whoever signs in now may
   * not have: a person connects it then under their security settings, and until then its address leads to them.
   */
  const isTheirs = Effect.fn("ProviderSignIn.isTheirs")(function*({ id, secondFactor }: UserRow, account: Account) {
    if (!secondFactor) return yield* identities.connect(id, account)
    return (yield* identities.list(id)).every(({ provider }) => provider !== account.provider)
  })

  /**
   * The owner of the account, else of its address, else new, which fails with `forbidden` where the operator admits none. None if the
   * address was used before without proof in workspaces.
   */
  const userOf = Effect.fn("ProviderSignIn.userOf")(function*(account: Account, next: string | null) {
    const owner = yield* identities.ownerOf(account.provider, account.subject)
    if (Option.isSome(owner)) return yield* users.hold(owner.value.userId)
    if (Option.isNone(yield* users.findByEmail(account.email))) yield* registration.account(account.email, next)
    const found = yield* users.ensure(account.email, true, account.name)
    if (!found.proved && (yield* proofs.workspaces(found.id)).length > 0) return Option.none()
    const { user } = yield* proofs.prove(found, false)
    if (!(yield* isTheirs(user, account))) return yield* connectedElsewhere(account.provider)
    return Option.some(user)
  })

  /** Connects an account to the person who started the flow, who must still be signed in. */
  const connect = Effect.fn("ProviderSignIn.connect")(function*(account: Account, userId: UserId, visitor: Visitor) {
    const person = yield* authenticate.person(visitor.sessionToken)
    if (Option.isNone(person) || person.value.userId !== userId) return yield* errandInvalid
    const owner = yield* identities.ownerOf(account.provider, account.subject)
    if (Option.isSome(owner) && owner.value.userId === userId) return
    if (!(yield* identities.connect(userId, account))) return yield* connectedElsewhere(account.provider)
  })

  return { userOf, connect }
})

export class ProviderSignIn extends Effect.Service<ProviderSignIn>()("belltower/ProviderSignIn", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const signer = yield* LinkKeys
    const sessions = yield* PersonSessions
    const providers = yield* SignInProviders
    const baseUrl = yield* BaseUrl
    const accounts = yield* makeAccounts
    const links = yield* SignInLinks
    const limits = yield* RateLimits

    const required = (provider: Provider) =>
      Effect.mapError(Effect.fromNullable(providers[provider]), () => notConfigured(provider))

    /** Returns the URL to send the browser to, and the sealed errand that it must keep. */
    const begin = Effect.fn("ProviderSignIn.begin")(function*(provider: Provider, { connects, next }: ProviderErrand) {
      const server = yield* required(provider)
      const attempt = { state: yield* randomToken(32), nonce: yield* randomToken(32), verifier: yield* randomToken(64) }
      const url = yield* server.begin(attempt)
      const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(errandLifetime)
      const kept = { provider, ...attempt, next: localPath(next), connects, until }
      return { url: url.href, errand: signer.seal(randomBytes(12), purpose, yield* Effect.orDie(Schema.encode(Errand)(kept))) }
    })

    /** Opens the errand; fails if it was not sealed by this service for this provider, or has expired. */
    const opened = Effect.fn("ProviderSignIn.opened")(function*(provider: Provider, sealed: string | undefined) {
      if (sealed === undefined) return yield* errandInvalid
      const text = signer.open(purpose, sealed) ?? (yield* errandInvalid)
      const errand = yield* Effect.mapError(Schema.decode(Errand)(text), () => errandInvalid)
      return errand.provider === provider && errand.until > (yield* Clock.currentTimeMillis) ? errand : yield* errandInvalid
    })

    const finish = Effect.fn("ProviderSignIn.finish")(
      function*(provider: Provider, { errand: sealed, search }: ProviderReturn, visitor: Visitor) {
        const errand = yield* opened(provider, sealed)
        const server = yield* required(provider)
        yield* limits.take(returns, visitor.ip)
        // Built from the configured base URL; the request's Host header is not trusted.
        const cameBack = new URL(`${baseUrl}${callbackPath(provider)}`)
        cameBack.search = search
        const account = yield* server.finish(cameBack, errand)
        return yield* transaction(Effect.gen(function*() {
          if (errand.connects !== null) {
            yield* accounts.connect(account, errand.connects, visitor)
            return { session: null, next: errand.next ?? home }
          }
          const user = yield* accounts.userOf(account, errand.next)
          if (Option.isNone(user)) {
            const { token } = yield* links.create({ email: account.email, next: errand.next, origin: "mailed" })
            return { session: null, next: signInPath(token) }
          }
          return { session: yield* sessions.begin(user.value, provider, visitor), next: errand.next ?? home }
        }))
      }
    )

    return { providers: Struct.keys(providers), begin, finish }
  })
}) {}
