/** The plan of an http check, or of the http request that another kind makes first. Cached for the lifetime of the assignment. */
import { Either, Struct } from "effect"
import type { Assignment } from "../../../schema/check/Bus.ts"
import type { RequestSecrets } from "../../../schema/monitor/Monitor.ts"
import type { TlsTarget } from "../../../schema/monitor/TlsSettings.ts"
import { type Expectations, readExpectations } from "../../domain/check/answer/HttpVerdict.ts"
import type { Hop } from "../../domain/check/answer/Redirect.ts"
import { headerProblem, sendable } from "../../domain/check/answer/RequestHeaders.ts"
import { secretsOf } from "../../domain/check/answer/SecretMask.ts"
import { secretsIn } from "../../domain/secret/HeldSecrets.ts"
import { urlSecrets } from "../../domain/secret/UrlSecrets.ts"
import type { TlsSettings } from "../../egress/TlsTrust.ts"
import type { AssignmentOf, ProbeExit } from "../Probe.ts"
import { unanswered } from "../ProbeResult.ts"
import { userAgent } from "./HttpChain.ts"

export interface HttpPlan {
  readonly first: Hop
  readonly expectations: Expectations
  /** Texts to mask in evidence. */
  readonly secrets: ReadonlyArray<string>
  readonly tls: TlsSettings
}

type HttpAssignment = AssignmentOf<"http">

const noSecrets: RequestSecrets = { headers: {}, body: null, clientKey: null, clientSecret: null }

/** The TLS settings of an assignment. */
export const tlsOf = ({ secrets, target }: Pick<Assignment, "secrets"> & { readonly target: TlsTarget }): TlsSettings => {
  const { clientCertificate = null, tlsCa = null, tlsVerify = true } = target
  const { clientKey } = secrets ?? noSecrets
  return {
    verify: tlsVerify,
    authorities: tlsCa,
    identity: clientCertificate === null || clientKey === null ? null : { certificate: clientCertificate, key: clientKey }
  }
}

/** The `user:password@` part of a URL as an Authorization header. */
const basicAuth = (url: URL): Readonly<Record<string, string>> =>
  url.username === "" && url.password === ""
    ? {}
    : {
      authorization: `Basic ${
        Buffer.from(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`).toString("base64")
      }`
    }

const readPlan = (assignment: HttpAssignment): Either.Either<HttpPlan, string> =>
  Either.gen(function*() {
    const { target } = assignment
    const secrets = assignment.secrets ?? noSecrets
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
      tls: tlsOf(assignment),
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
const planOf = (assignment: HttpAssignment): Either.Either<HttpPlan, string> => {
  const known = plans.get(assignment)
  if (known !== undefined) return known
  const plan = readPlan(assignment)
  plans.set(assignment, plan)
  return plan
}

/** Starts a check by the assignment's plan; without one, the check ends with `internal_error`. Returns a function that cancels. */
export const withPlan = (
  assignment: HttpAssignment,
  done: (seen: ProbeExit) => void,
  start: (plan: HttpPlan) => () => void
): () => void =>
  Either.match(planOf(assignment), {
    onLeft: (problem) => {
      done(Either.right(unanswered("internal_error", problem)))
      return () => {}
    },
    onRight: start
  })

const requests = new WeakMap<object, AssignmentOf<"http">>()

/** The http request that another kind makes first. The same object for the same assignment, because plans are cached by it. */
export const httpRequestOf = (
  assignment: Omit<AssignmentOf<"http">, "target"> & { readonly target: object },
  { assertions = [], degradedAfterMs, sslExpiryDays, url, ...rest }:
    & Pick<HttpAssignment["target"], "degradedAfterMs" | "sslExpiryDays" | "url">
    & Partial<Pick<HttpAssignment["target"], "assertions">>
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
      assertions,
      ...Struct.pick(rest, "tlsVerify", "tlsCa", "clientCertificate")
    }
  }
  requests.set(assignment, request)
  return request
}
