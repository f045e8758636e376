/** Simulates Google and GitHub on loopback: they confirm any identity that the test sets (OpenID Connect Core; RFC 7636). */
import { Effect } from "effect"
import { createHash, createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto"
import { createServer } from "node:http"
import { withBody } from "./WithBody.ts"

export interface LocalAccount {
  readonly subject: string
  readonly email: string
  readonly verified: boolean
  readonly name: string | null
}

/** The fault of the next id token. */
export type Flaw = "none" | "nonce" | "signature" | "audience" | "expired" | "issuer" | "unsigned" | "symmetric"

const clientId = "belltower-client"
const clientSecret = "belltower-client-secret"

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

export const localProvider = Effect.gen(function*() {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const codes = new Map<string, URLSearchParams>()
  const tokens = new Map<string, LocalAccount>()
  let account: LocalAccount = { subject: "1", email: "ada@example.com", verified: true, name: "Ada" }
  let flaw: Flaw = "none"
  let denies = false
  let url = ""

  const idToken = (nonce: string | null) => {
    const now = Math.floor(Date.now() / 1000)
    const body = [
      base64url({ alg: flaw === "unsigned" ? "none" : flaw === "symmetric" ? "HS256" : "RS256", kid: "k1", typ: "JWT" }),
      base64url({
        iss: flaw === "issuer" ? "https://accounts.evil.example" : url,
        sub: account.subject,
        email: account.email,
        email_verified: account.verified,
        name: account.name,
        aud: flaw === "audience" ? "somebody-else" : clientId,
        nonce: flaw === "nonce" ? "another" : nonce,
        iat: flaw === "expired" ? now - 7200 : now,
        exp: flaw === "expired" ? now - 3600 : now + 300
      })
    ].join(".")
    if (flaw === "unsigned") return `${body}.`
    if (flaw === "symmetric") return `${body}.${createHmac("sha256", clientSecret).update(body).digest("base64url")}`
    const key = flaw === "signature" ? stranger.privateKey : privateKey
    return `${body}.${sign("RSA-SHA256", Buffer.from(body), key).toString("base64url")}`
  }

  /** Redirects the browser back with a code, as after consent. */
  const authorize = (query: URLSearchParams): string => {
    const back = new URL(query.get("redirect_uri") ?? "")
    back.searchParams.set("state", query.get("state") ?? "")
    if (denies) {
      back.searchParams.set("error", "access_denied")
      return back.href
    }
    const code = randomUUID()
    codes.set(code, query)
    back.searchParams.set("code", code)
    return back.href
  }

  const redeem = (form: URLSearchParams, isGoogle: boolean) => {
    const asked = codes.get(form.get("code") ?? "")
    codes.delete(form.get("code") ?? "")
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url")
    const good = asked !== undefined && asked.get("code_challenge") === challenge &&
      asked.get("code_challenge_method") === "S256" &&
      form.get("client_id") === clientId && form.get("client_secret") === clientSecret &&
      form.get("redirect_uri") === asked.get("redirect_uri")
    if (!good) return { status: 400, body: { error: "invalid_grant" } }
    const token = randomUUID()
    tokens.set(token, account)
    return {
      status: 200,
      body: {
        access_token: token,
        token_type: "bearer",
        ...(isGoogle ? { expires_in: 300, id_token: idToken(asked.get("nonce")) } : { scope: "user:email" })
      }
    }
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", url)
    const json = (body: unknown, status = 200) => {
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(JSON.stringify(body))
    }
    const who = tokens.get((request.headers.authorization ?? "").replace(/^Bearer /i, ""))
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return json({
          issuer: url,
          authorization_endpoint: `${url}/authorize`,
          token_endpoint: `${url}/token`,
          jwks_uri: `${url}/jwks`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
          code_challenge_methods_supported: ["S256"]
        })
      case "/jwks":
        return json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k1", use: "sig", alg: "RS256" }] })
      case "/authorize":
      case "/login/oauth/authorize":
        return void response.writeHead(302, { location: authorize(searchParams) }).end()
      case "/token":
      case "/login/oauth/access_token":
        return withBody(request, (body) => {
          const { body: answer, status } = redeem(new URLSearchParams(body), pathname === "/token")
          json(answer, status)
        })
      case "/api/v3/user":
        return who === undefined ? json({}, 401) : json({ id: Number(who.subject), login: "ada", name: who.name, email: null })
      case "/api/v3/user/emails":
        return who === undefined ? json({}, 401) : json([
          { email: "old@example.com", primary: false, verified: true },
          { email: who.email, primary: true, verified: who.verified }
        ])
      default:
        return json({}, 404)
    }
  })
  yield* Effect.acquireRelease(
    Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`

  return {
    url,
    /** The identity that it confirms from now on. */
    become: (next: LocalAccount) => {
      account = next
    },
    spoil: (next: Flaw) => {
      flaw = next
    },
    deny: (next: boolean) => {
      denies = next
    },
    /** A browser's visit to the provider, including the redirect back. */
    visit: (location: string) =>
      Effect.promise((signal) => fetch(location, { redirect: "manual", signal })).pipe(
        Effect.map((response) => response.headers.get("location") ?? "")
      ),
    environment: {
      BELLTOWER_GOOGLE_CLIENT_ID: clientId,
      BELLTOWER_GOOGLE_CLIENT_SECRET: clientSecret,
      BELLTOWER_GOOGLE_ISSUER: url,
      BELLTOWER_GITHUB_CLIENT_ID: clientId,
      BELLTOWER_GITHUB_CLIENT_SECRET: clientSecret,
      BELLTOWER_GITHUB_URL: url
    }
  }
})
export type LocalProvider = Effect.Effect.Success<typeof localProvider>
