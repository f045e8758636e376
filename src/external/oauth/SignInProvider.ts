/** Who else can vouch for a person, and how a sign-in with them goes. (OAuth 2.0 with PKCE, RFC 6749 and 7636.) */
import { Context, Data, Effect, Predicate } from "effect"
import * as client from "openid-client"
import type { EmailAddress, Provider } from "../../../schema/people/Person.ts"

/** An account at a provider. Its address is one that the provider has verified. */
export interface Account {
  readonly provider: Provider
  /** What stays the same whatever else of the account changes. */
  readonly subject: string
  readonly email: EmailAddress
  readonly name: string | null
}

/** What only the browser that began a sign-in can come back with. */
export interface Attempt {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The sign-in came to nothing; `message` is for the person who tried, `reason` for the log: a code without any secret. */
export class ProviderRefused extends Data.TaggedError("NotVouched")<{
  readonly message: string
  readonly reason: string
}> {}

export interface SignInProvider {
  /** Where browsers are sent to: scheme, host and port. */
  readonly origin: string
  /** The address to send a browser to. */
  readonly begin: (attempt: Attempt) => Effect.Effect<URL, ProviderRefused>
  /** Whose account it is, from the address that the browser came back with. */
  readonly finish: (cameBack: URL, attempt: Attempt) => Effect.Effect<Account, ProviderRefused>
}

/** Those that are configured. */
export class SignInProviders extends Context.Reference<SignInProviders>()("belltower/SignInProviders", {
  defaultValue: (): Readonly<Partial<Record<Provider, SignInProvider>>> => ({})
}) {}

/** Where providers send browsers back to; it is registered with them. */
export const callbackPath = (provider: Provider): string => `/auth/${provider}/callback`

/** Seconds for each answer of a provider. */
export const providerTimeoutSec = 10

/** What a browser takes along, so that nobody else can end what it began. */
export const requestOf = (attempt: Attempt, redirectUri: string, scope: string) =>
  Effect.map(
    Effect.promise(() => client.calculatePKCECodeChallenge(attempt.verifier)),
    (challenge) => ({
      redirect_uri: redirectUri,
      scope,
      state: attempt.state,
      code_challenge: challenge,
      code_challenge_method: "S256"
    })
  )

/** A person who says no is no fault; nothing that a provider said is repeated. */
const messageOf = (name: string, cause: unknown): string => {
  if (Predicate.hasProperty(cause, "error") && cause.error === "access_denied") return `You did not let ${name} tell who you are.`
  return `Signing in with ${name} did not work. Try again, or sign in with a mail.`
}

const reasonOf = (cause: unknown): string => {
  const said = ["error", "code", "name"].map((name) => (Predicate.hasProperty(cause, name) ? cause[name] : null))
  return said.filter((word) => Predicate.isString(word) && /^[\w.-]{1,60}$/.test(word)).join(" ")
}

/** Does something with a provider's answers. */
export const asking = <A>(name: string, ask: () => Promise<A>): Effect.Effect<A, ProviderRefused> =>
  Effect.tryPromise({
    try: ask,
    catch: (cause) => new ProviderRefused({ message: messageOf(name, cause), reason: reasonOf(cause) })
  })

/** Only a self-hoster's own provider is ever reached without TLS. */
export const allowPlainHttp = (url: string) => (url.startsWith("http:") ? [client.allowInsecureRequests] : [])
