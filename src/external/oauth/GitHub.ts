/** Sign-in with GitHub: OAuth for authorization, the API for the identity. */
import { Effect, Redacted, Schema } from "effect"
import * as client from "openid-client"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { withoutTrailing } from "../../domain/tools/text/TrimText.ts"
import {
  allowPlainHttp,
  asking,
  callbackPath,
  ProviderRefused,
  providerTimeoutSec,
  requestOf,
  type SignInProvider
} from "./SignInProvider.ts"

interface GitHubSettings {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  /** `https://github.com`, an Enterprise Server, or a compatible server. */
  readonly url: string
}

const User = Schema.Struct({ id: Schema.Int, name: Schema.NullishOr(Schema.String), login: Schema.String })

const Emails = Schema.Array(Schema.Struct({ email: Schema.String, primary: Schema.Boolean, verified: Schema.Boolean }))

const unverified = new ProviderRefused({
  message: "The primary email address of this GitHub account is not verified. Verify it at GitHub, or sign in by email.",
  reason: "unverified address"
})
const unclear = new ProviderRefused({
  message: "GitHub did not return your account. Try again, or sign in by email.",
  reason: "unexpected answer"
})

const publicGitHub = "https://github.com"

export const makeGitHub = (settings: GitHubSettings, baseUrl: string): SignInProvider => {
  const url = withoutTrailing(settings.url, "/")
  // Enterprise Server serves its API under its own URL.
  const api = url === publicGitHub ? "https://api.github.com" : `${url}/api/v3`
  const redirectUri = `${baseUrl}${callbackPath("github")}`
  const config = new client.Configuration(
    { issuer: url, authorization_endpoint: `${url}/login/oauth/authorize`, token_endpoint: `${url}/login/oauth/access_token` },
    settings.clientId,
    undefined,
    client.ClientSecretPost(Redacted.value(settings.clientSecret))
  )
  config.timeout = providerTimeoutSec
  for (const allow of allowPlainHttp(url)) allow(config)

  const read = <A, I>(path: string, token: string, schema: Schema.Schema<A, I>) =>
    asking("GitHub", async () => {
      const headers = new Headers({ accept: "application/vnd.github+json", "user-agent": "Belltower" })
      const response = await client.fetchProtectedResource(config, token, new URL(`${api}${path}`), "GET", undefined, headers)
      const body: unknown = await response.json()
      return body
    }).pipe(Effect.flatMap((body) => Effect.mapError(Schema.decodeUnknown(schema)(body), () => unclear)))

  return {
    origin: new URL(url).origin,
    begin: Effect.fn("GitHub.begin")(function*(attempt) {
      return client.buildAuthorizationUrl(config, yield* requestOf(attempt, redirectUri, "read:user user:email"))
    }),
    finish: Effect.fn("GitHub.finish")(function*(cameBack, attempt) {
      const tokens = yield* asking(
        "GitHub",
        () =>
          client.authorizationCodeGrant(config, cameBack, { expectedState: attempt.state, pkceCodeVerifier: attempt.verifier })
      )
      const user = yield* read("/user", tokens.access_token, User)
      const emails = yield* read("/user/emails", tokens.access_token, Emails)
      const primary = emails.find((one) => one.primary && one.verified)
      if (primary === undefined) return yield* unverified
      const email = yield* Effect.mapError(Schema.decodeUnknown(EmailAddress)(primary.email), () => unverified)
      return { provider: "github", subject: String(user.id), email, name: (user.name ?? user.login).slice(0, 100) }
    })
  }
}
