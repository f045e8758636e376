/** The interface to external sign-in providers, and their shared parts. (OAuth 2.0 with PKCE, RFC 6749 and 7636.) */
import { Context, Data, Effect, Predicate } from "effect"
import * as client from "openid-client"
import type { EmailAddress, Provider } from "../../../schema/people/Person.ts"

/** An account at a provider. The provider has verified its email address. */
export interface Account {
  readonly provider: Provider
  /** The account's permanent id at the provider. */
  readonly subject: string
  readonly email: EmailAddress
  readonly name: string | null
}

/** Random values that bind the callback to the browser that started the sign-in. */
export interface Attempt {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The sign-in failed. `message` is for the person; `reason` is for the log, a code without secrets. */
export class ProviderRefused extends Data.TaggedError("NotVouched")<{
  readonly message: string
  readonly reason: string
}> {}

export interface SignInProvider {
  /** The origin that browsers are sent to: scheme, host and port. */
  readonly origin: string
  readonly begin: (attempt: Attempt) => Effect.Effect<URL, ProviderRefused>
  /** Reads the account, given the callback URL that the browser returned to. */
  readonly finish: (cameBack: URL, attempt: Attempt) => Effect.Effect<Account, ProviderRefused>
}

export class SignInProviders extends Context.Reference<SignInProviders>()("belltower/SignInProviders", {
  defaultValue: (): Readonly<Partial<Record<Provider, SignInProvider>>> => ({})
}) {}

/** The callback path; it must be registered with the provider. */
export const callbackPath = (provider: Provider): string => `/auth/${provider}/callback`

/** Timeout of each request to a provider, in seconds. */
export const providerTimeoutSec = 10

/** The parameters of the authorization request; state and PKCE bind the callback to this browser. */
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

/** Treats a person's refusal separately from errors, and never repeats text from the provider. */
const messageOf = (name: string, cause: unknown): string => {
  if (Predicate.hasProperty(cause, "error") && cause.error === "access_denied") return `You declined the sign-in at ${name}.`
  return `Sign-in with ${name} failed. Try again, or sign in by email.`
}

const reasonOf = (cause: unknown): string => {
  const codes = ["error", "code", "name"].map((name) => (Predicate.hasProperty(cause, name) ? cause[name] : null))
  return codes.filter((word) => Predicate.isString(word) && /^[\w.-]{1,60}$/.test(word)).join(" ")
}

export const asking = <A>(name: string, ask: () => Promise<A>): Effect.Effect<A, ProviderRefused> =>
  Effect.tryPromise({
    try: ask,
    catch: (cause) => new ProviderRefused({ message: messageOf(name, cause), reason: reasonOf(cause) })
  })

/** Plain HTTP is allowed only if the operator configured an http URL. */
export const allowPlainHttp = (url: string) => (url.startsWith("http:") ? [client.allowInsecureRequests] : [])
