/** The plan of an http check, or of the http request that another kind makes first. Cached for the lifetime of the assignment. */
import { Either, Schema, Struct } from "effect"
import { RequestSecrets } from "../../schema/monitor/Monitor.ts"
import type { TlsTarget } from "../../schema/monitor/TlsSettings.ts"
import { type Expectations, readExpectations } from "../domain/check/answer/HttpVerdict.ts"
import type { Hop } from "../domain/check/answer/Redirect.ts"
import { headerProblem, sendable } from "../domain/check/answer/RequestHeaders.ts"
import { secretsOf } from "../domain/check/answer/SecretMask.ts"
import { secretsIn } from "../domain/secret/HeldSecrets.ts"
import { urlSecrets } from "../domain/secret/UrlSecrets.ts"
import { unseal } from "../domain/tools/Sealed.ts"
import type { TlsSettings } from "../egress/TlsTrust.ts"
import { userAgent } from "./HttpChain.ts"
import type { AssignmentOf, ProbeExit } from "./Probe.ts"
import { unanswered } from "./ProbeResult.ts"

export interface HttpPlan {
  readonly first: Hop
  readonly expectations: Expectations
  /** Texts to mask in evidence. */
  readonly secrets: ReadonlyArray<string>
  readonly tls: TlsSettings
}

type HttpAssignment = AssignmentOf<"http">

const decodeSecrets = Schema.decodeUnknownEither(Schema.parseJson(RequestSecrets))

const openSecrets = (key: Uint8Array, sealed: string | null): Either.Either<RequestSecrets, string> =>
  sealed === null
    ? Either.right({ headers: {}, body: null, clientKey: null })
    : Either.try(() => unseal(key, sealed)).pipe(
      Either.flatMap(decodeSecrets),
      // The original errors are dropped: they could contain the secrets.
      Either.mapLeft(() =>
        "The probe cannot decrypt the monitor's secrets. Set the same BELLTOWER_SECRET on the probe and the server."
      )
    )

const tlsOf = (
  { clientCertificate = null, tlsCa = null, tlsVerify = true }: TlsTarget,
  { clientKey }: RequestSecrets
): TlsSettings => ({
  verify: tlsVerify,
  authorities: tlsCa,
  identity: clientCertificate === null || clientKey === null ? null : { certificate: clientCertificate, key: clientKey }
})

/** The `user:password@` part of a URL as an Authorization header. */
const basicAuth = (url: URL): Readonly<Record<string, string>> =>
  url.username === "" && url.password === ""
    ? {}
    : {
      authorization: `Basic ${
        Buffer.from(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`).toString("base64")
      }`
    }

const readPlan = ({ sealed, target }: HttpAssignment, key: Uint8Array): Either.Either<HttpPlan, string> =>
  Either.gen(function*() {
    const secrets = yield* openSecrets(key, sealed)
    const url = yield* Either.try({ try: () => new URL(target.url), catch: () => `"${target.url}" is not a valid URL` })
    const auth = yield* Either.try({
      try: () => basicAuth(url),
      catch: () => "The URL's user name or password is not valid percent-encoding"
    })
    const own = sendable(secrets.headers)
    const wrong = Object.entries(own).map(([name, value]) => headerProblem(name, value)).find((problem) => problem !== null)
    if (wrong !== undefined) return yield* Either.left(wrong)
    const password = decodeURIComponent(url.password)
    url.username = ""
    url.password = ""
    const inUrl = urlSecrets(target.url)
    return {
      first: {
        url,
        method: target.method,
        headers: { "user-agent": userAgent, accept: "*/*", ...auth, ...own },
        body: secrets.body
      },
      expectations: readExpectations(target),
      tls: tlsOf(target, secrets),
      secrets: [
        ...secretsOf({ ...auth, ...own }),
        password,
        ...inUrl,
        ...secrets.body === null ? [] : secretsIn(secrets.body)
      ]
    }
  })

const plans = new WeakMap<HttpAssignment, Either.Either<HttpPlan, string>>()

/** The assignment's plan. Left: why the check cannot run. */
const planOf = (assignment: HttpAssignment, key: Uint8Array): Either.Either<HttpPlan, string> => {
  const known = plans.get(assignment)
  if (known !== undefined) return known
  const plan = readPlan(assignment, key)
  plans.set(assignment, plan)
  return plan
}

const startWith = <Plan>(
  planned: Either.Either<Plan, string>,
  done: (seen: ProbeExit) => void,
  start: (plan: Plan) => () => void
): () => void =>
  Either.match(planned, {
    onLeft: (problem) => {
      done(Either.right(unanswered("internal_error", problem)))
      return () => {}
    },
    onRight: start
  })

/** Starts a check by the assignment's plan; without one, the check ends with `internal_error`. Returns a function that cancels. */
export const withPlan = (
  assignment: HttpAssignment,
  key: Uint8Array,
  done: (seen: ProbeExit) => void,
  start: (plan: HttpPlan) => () => void
): () => void => startWith(planOf(assignment, key), done, start)

/** The same, for kinds that need only the TLS settings of a plan. */
export const withTls = (
  { sealed, target }: { readonly sealed: string | null; readonly target: TlsTarget },
  key: Uint8Array,
  done: (seen: ProbeExit) => void,
  start: (tls: TlsSettings) => () => void
): () => void => startWith(Either.map(openSecrets(key, sealed), (secrets) => tlsOf(target, secrets)), done, start)

const requests = new WeakMap<object, AssignmentOf<"http">>()

/** The http request that another kind makes first. The same object for the same assignment, because plans are cached by it. */
export const httpRequestOf = (
  assignment: Omit<AssignmentOf<"http">, "target"> & { readonly target: object },
  { degradedAfterMs, sslExpiryDays, url, ...rest }:
    & Pick<HttpAssignment["target"], "degradedAfterMs" | "sslExpiryDays" | "url">
    & TlsTarget
): AssignmentOf<"http"> => {
  const known = requests.get(assignment)
  if (known !== undefined) return known
  const request: AssignmentOf<"http"> = {
    ...assignment,
    target: {
      kind: "http",
      url,
      method: "GET",
      followRedirects: true,
      expectedStatus: "200-299",
      keyword: null,
      keywordAbsent: null,
      degradedAfterMs,
      sslExpiryDays,
      assertions: [],
      ...Struct.pick(rest, "tlsVerify", "tlsCa", "clientCertificate")
    }
  }
  requests.set(assignment, request)
  return request
}
