/** Signing in with Google or GitHub, and connecting such an account to the person who is signed in. */
import { HttpServerRequest } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Clock, Duration, Effect, Option, Schema } from "effect"
import { Conflict, Forbidden, NotFound } from "../../../schema/Errors.ts"
import { UserId } from "../../../schema/Ids.ts"
import { Provider } from "../../../schema/people/Person.ts"
import { localPath } from "../../domain/people/LocalPath.ts"
import { type Account, callbackPath, SignInProviders } from "../../external/oauth/SignInProvider.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { randomToken } from "../../store/Mint.ts"
import { Identities } from "../../store/people/Identities.ts"
import { type UserRow, Users } from "../../store/people/Users.ts"
import { Vault } from "../../store/Vault.ts"
import { currentPerson } from "../guard/CurrentPerson.ts"
import { hostCookie } from "../guard/SessionCookie.ts"
import { enter, home } from "./SignIn.ts"

/** What the browser keeps between going to a provider and coming back: sealed, so that it neither reads nor writes it. */
const Errand = Schema.parseJson(Schema.Struct({
  purpose: Schema.Literal("belltower/vouching"),
  provider: Provider,
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  next: Schema.NullOr(Schema.String),
  /** Who is connecting an account; null for a sign-in. */
  connects: Schema.NullOr(UserId),
  until: Schema.Number
}))

export const errandLifetime = Duration.minutes(10)

export const errandCookie = (baseUrl: string): string => hostCookie(baseUrl, "belltower_errand")

const providerOf = Effect.fn("ProviderSignIn.provider")(function*(provider: Provider) {
  const found = (yield* SignInProviders)[provider]
  if (found !== undefined) return found
  return yield* new NotFound({ message: `Signing in with ${provider} is not configured here`, hint: "Sign in with a mail" })
})

/** Where to send the browser, and what it is to keep until it comes back. */
export const beginProviderSignIn = Effect.fn("ProviderSignIn.begin")(
  function*(provider: Provider, errand: { readonly next: string | null; readonly connects: UserId | null }) {
    const vault = yield* Vault
    const server = yield* providerOf(provider)
    const attempt = { state: yield* randomToken(32), nonce: yield* randomToken(32), verifier: yield* randomToken(64) }
    const url = yield* server.begin(attempt)
    const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(errandLifetime)
    const { connects } = errand
    const kept = { purpose: "belltower/vouching" as const, provider, ...attempt, next: localPath(errand.next), connects, until }
    return { url: url.href, cookie: yield* vault.seal(yield* Effect.orDie(Schema.encode(Errand)(kept))) }
  }
)

const lost = new Forbidden({ message: "This sign-in was not begun in this browser, or it took too long", hint: "Begin again" })

/** What the browser kept, if it is from here, for this provider, and not too old. */
const errandOf = Effect.fn("ProviderSignIn.errand")(function*(provider: Provider) {
  const { cookies } = yield* HttpServerRequest.HttpServerRequest
  const sealed = cookies[errandCookie(yield* BaseUrl)]
  if (sealed === undefined) return yield* lost
  const text = yield* Effect.flatMap(Vault, (vault) => vault.unseal(sealed)).pipe(Effect.catchAllDefect(() => Effect.fail(lost)))
  const errand = yield* Effect.mapError(Schema.decode(Errand)(text), () => lost)
  return errand.provider === provider && errand.until > (yield* Clock.currentTimeMillis) ? errand : yield* lost
})

const elsewhere = (provider: Provider) =>
  new Conflict({
    message: `Another ${provider} account is connected here, or this one is connected to someone else`,
    hint: "Sign in with a mail and look at the connected accounts"
  })

/**
 * Who signs in with an account: whoever it is connected to, or else whoever has its address, which the provider has
 * verified; someone new where there is nobody. The first proof of an address ends what was begun without one.
 */
const userOf = Effect.fn("ProviderSignIn.user")(function*(account: Account) {
  const users = yield* Users
  const identities = yield* Identities
  const owner = yield* identities.ownerOf(account.provider, account.subject)
  if (Option.isSome(owner)) return yield* users.hold(owner.value.userId)
  const found = yield* users.ensure(account.email, true, account.name)
  const user = found.proved ? found : yield* users.prove(found.id)
  if (!(yield* identities.connect(user.id, account))) return yield* elsewhere(account.provider)
  return Option.some<UserRow>(user)
})

const connect = Effect.fn("ProviderSignIn.connect")(function*(account: Account, userId: UserId) {
  const person = yield* currentPerson
  if (Option.isNone(person) || person.value.userId !== userId) return yield* lost
  const identities = yield* Identities
  const owner = yield* identities.ownerOf(account.provider, account.subject)
  if (Option.isSome(owner) && owner.value.userId === userId) return
  if (!(yield* identities.connect(userId, account))) return yield* elsewhere(account.provider)
})

/** Ends what `beginVouching` began: a new session, or a connected account. */
export const finishProviderSignIn = Effect.fn("ProviderSignIn.finish")(function*(provider: Provider) {
  const sql = yield* SqlClient.SqlClient
  const errand = yield* errandOf(provider)
  const server = yield* providerOf(provider)
  const { url } = yield* HttpServerRequest.HttpServerRequest
  // From our own address, whatever host the request names.
  const cameBack = new URL(`${yield* BaseUrl}${callbackPath(provider)}`)
  cameBack.search = url.includes("?") ? url.slice(url.indexOf("?")) : ""
  const account = yield* server.finish(cameBack, errand)
  return yield* sql.withTransaction(Effect.gen(function*() {
    if (errand.connects !== null) {
      yield* connect(account, errand.connects)
      return { session: null, next: errand.next ?? home }
    }
    const user = yield* userOf(account)
    if (Option.isNone(user)) return yield* lost
    return { session: yield* enter(user.value, provider), next: errand.next ?? home }
  }))
}, Effect.catchTag("SqlError", Effect.die))
