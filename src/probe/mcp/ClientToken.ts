/** Access tokens by OAuth client credentials (RFC 6749, section 4.4), kept in the probe until they expire. */
import { Effect, Option, Predicate } from "effect"
import { firstLineOf } from "../../domain/check/answer/BodyExcerpt.ts"
import { memberOf, textIn } from "../../domain/check/answer/mcp/McpMessages.ts"
import { isSameParty } from "../../domain/check/answer/Redirect.ts"
import { headerProblem } from "../../domain/check/answer/RequestHeaders.ts"
import { parseBoundedJson } from "../../domain/tools/json/BoundedJson.ts"
import { cut } from "../../domain/tools/text/TrimText.ts"
import { userAgent } from "../http/HttpChain.ts"
import { type Exchanged, exchangeIn, type McpFailed, mcpFailed, type McpRun } from "./McpRun.ts"

interface Kept {
  readonly token: string
  /** Milliseconds since 1970. */
  readonly until: number
}

const kept = new WeakMap<object, Kept>()

/** The life of a token whose answer does not say it, s. */
const usualLifeSec = 300

/** A token is not used in its last part, so that it does not expire within a check. */
const unusedSec = 60

/** How the client shows its secret: in the header, as every server must accept, or in the form, as some demand. */
type Method = "basic" | "form"

interface Credentials {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

/** As RFC 6749, section 2.3.1, demands: each part is encoded like a value of a form. */
const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1)

const basicOf = ({ clientId, clientSecret }: Credentials): string =>
  Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString("base64")

const formOf = ({ clientId, clientSecret }: Credentials, { plan, target: { scope } }: McpRun, method: Method): string => {
  const { origin, pathname, search } = plan.first.url
  return new URLSearchParams({
    grant_type: "client_credentials",
    ...(scope === null ? {} : { scope }),
    // The server that the token is for (RFC 8707), as the protocol demands of its clients.
    resource: `${origin}${pathname === "/" ? "" : pathname}${search}`,
    ...(method === "form" ? { client_id: clientId, client_secret: clientSecret } : {})
  }).toString()
}

const ask = (run: McpRun, credentials: Credentials, method: Method): Effect.Effect<Exchanged, McpFailed> => {
  const url = new URL(credentials.tokenUrl)
  const { tls } = run.plan
  return exchangeIn(run, {
    what: "the request for an access token",
    hop: {
      url,
      method: "POST",
      headers: {
        "user-agent": userAgent,
        accept: "application/json",
        "content-type": "application/x-www-form-urlencoded",
        ...(method === "basic" ? { authorization: `Basic ${basicOf(credentials)}` } : {})
      },
      body: formOf(credentials, run, method)
    },
    // The client's certificate is for the monitor's own server.
    tls: isSameParty(run.plan.first.url, url) ? tls : { ...tls, identity: null }
  })
}

const isRefused = ({ chain }: Exchanged): boolean => {
  const status = chain.last.response?.statusCode
  return status === 400 || status === 401
}

const read = ({ body, chain }: Exchanged, now: number): Effect.Effect<Kept, McpFailed> => {
  const status = chain.last.response?.statusCode ?? 0
  const answer = Option.getOrNull(Option.getRight(parseBoundedJson(body.text)))
  if (status !== 200) {
    const why = textIn(answer, "error") ?? firstLineOf(body.text)
    const more = textIn(answer, "error_description")
    const text = [why, more].filter((part) => part !== null).map((part) => cut(part, 150)).join(", ")
    return mcpFailed(
      "status",
      `The token endpoint refused the client credentials with status ${status}${text === "" ? "" : `: ${text}`}`
    )
  }
  const token = textIn(answer, "access_token")
  if (token === null || token === "" || headerProblem("authorization", token) !== null) {
    return mcpFailed("protocol_error", "The answer of the token endpoint has no access_token that can be sent")
  }
  const life = memberOf(answer, "expires_in")
  const lifeSec = Predicate.isNumber(life) && life > 0 ? life : usualLifeSec
  return Effect.succeed({ token, until: now + 1000 * Math.max(lifeSec / 2, lifeSec - unusedSec) })
}

const fetchToken = (run: McpRun, credentials: Credentials): Effect.Effect<Kept, McpFailed> =>
  Effect.gen(function*() {
    // An answer that is not understood may hold a token.
    run.showsBody = false
    const first = yield* ask(run, credentials, "basic")
    const token = yield* read(isRefused(first) ? yield* ask(run, credentials, "form") : first, run.now())
    run.showsBody = true
    kept.set(run.owner, token)
    return token
  })

const useToken = (run: McpRun, { token }: Kept): void => {
  run.token = token
  run.secrets = [...run.secrets, token]
}

/** The texts of the credentials that must not be kept. */
export const credentialSecrets = (clientId: string | null, clientSecret: string | null): ReadonlyArray<string> =>
  clientId === null || clientSecret === null
    ? []
    : [clientSecret, formEncoded(clientSecret), basicOf({ tokenUrl: "", clientId, clientSecret })]

/** Gets the token of a check. Returns whether it is one that was kept; does nothing without client credentials. */
export const signIn = (run: McpRun): Effect.Effect<boolean, McpFailed> =>
  Effect.gen(function*() {
    const { clientSecret, target: { clientId, tokenUrl } } = run
    if (tokenUrl === null || clientId === null || clientSecret === null) return false
    const known = kept.get(run.owner)
    const isKnown = known !== undefined && known.until > run.now()
    useToken(run, isKnown ? known : yield* fetchToken(run, { tokenUrl, clientId, clientSecret }))
    return isKnown
  })

/** Forgets a token that the server refused. */
export const forgetToken = (run: McpRun): void => {
  kept.delete(run.owner)
}
