/** Sign-in with Google through OpenID Connect. */
import { Effect, Predicate, Redacted, Schema } from "effect"
import * as client from "openid-client"
import { EmailAddress } from "../../../schema/people/Person.ts"
import {
  allowPlainHttp,
  asking,
  callbackPath,
  ProviderRefused,
  providerTimeoutSec,
  requestOf,
  type SignInProvider
} from "./SignInProvider.ts"

interface GoogleSettings {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  /** `https://accounts.google.com`, or a compatible server. */
  readonly issuer: string
}

const Claims = Schema.Struct({
  sub: Schema.NonEmptyString,
  email: EmailAddress,
  email_verified: Schema.Union(Schema.Literal(true), Schema.Literal("true"))
})

const unverified = new ProviderRefused({
  message: "The email address of this Google account is not verified. Verify it at Google, or sign in by email.",
  reason: "unverified address"
})

export const makeGoogle = (settings: GoogleSettings, baseUrl: string): SignInProvider => {
  const redirectUri = `${baseUrl}${callbackPath("google")}`
  let known: client.Configuration | null = null

  /** Cached after the first success; after a failure, the next sign-in tries again. */
  const configuration = Effect.gen(function*() {
    if (known !== null) return known
    const found = yield* asking("Google", () => {
      const authentication = client.ClientSecretPost(Redacted.value(settings.clientSecret))
      return client.discovery(new URL(settings.issuer), settings.clientId, undefined, authentication, {
        timeout: providerTimeoutSec,
        execute: [...allowPlainHttp(settings.issuer), client.enableNonRepudiationChecks]
      })
    })
    known = found
    return found
  })

  return {
    origin: new URL(settings.issuer).origin,
    begin: Effect.fn("Google.begin")(function*(attempt) {
      const config = yield* configuration
      const request = yield* requestOf(attempt, redirectUri, "openid email profile")
      return client.buildAuthorizationUrl(config, { ...request, nonce: attempt.nonce, prompt: "select_account" })
    }),
    finish: Effect.fn("Google.finish")(function*(cameBack, attempt) {
      const config = yield* configuration
      const tokens = yield* asking("Google", () =>
        client.authorizationCodeGrant(config, cameBack, {
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          pkceCodeVerifier: attempt.verifier,
          idTokenExpected: true
        }))
      const claims = tokens.claims()
      const { email, sub } = yield* Effect.mapError(Schema.decodeUnknown(Claims)(claims), () => unverified)
      const name = claims?.["name"]
      return { provider: "google", subject: sub, email, name: Predicate.isString(name) ? name.slice(0, 100) : null }
    })
  }
}
