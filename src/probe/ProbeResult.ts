/** The result of a check: the verdict, the times, and the evidence, which most checks never assemble. */
import { Effect } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import type { AssertionResult, Cause, Evidence, Timings } from "../../schema/check/Check.ts"
import type { CheckVerdict } from "../domain/check/answer/CheckVerdict.ts"
import { storable } from "../domain/tools/text/Storable.ts"
import type { ConnectionFacts } from "../egress/Connection.ts"

export interface ProbeResult extends Pick<CheckResult, "outcome" | "statusCode" | "latencyMs" | "error" | "cause" | "timings"> {
  readonly evidence: Effect.Effect<Evidence | null>
  /** The address that answered; null or missing if none did, or for kinds that do not say. */
  readonly reached?: string | null
  readonly manifest?: CheckResult["manifest"]
}

/** The result of a check that got no response from its target. */
export const unanswered = (cause: Cause, error: string): ProbeResult => ({
  outcome: "down",
  cause,
  error,
  statusCode: null,
  latencyMs: null,
  timings: null,
  evidence: Effect.succeed(null)
})

/** Times are stored to a tenth of a millisecond. */
export const tenths = (ms: number): number => Math.round(ms * 10) / 10
const tenthsOrNull = (ms: number | null): number | null => (ms === null ? null : tenths(ms))

/** The times of a check, as far as its protocol has these phases. */
interface Timed extends Partial<Pick<ConnectionFacts, "dnsMs" | "connectMs" | "tlsMs">> {
  readonly firstByteMs?: number | null
  readonly totalMs: number
}

/** `unneededMs` of the total are left out. */
export const timingsOf = (
  { connectMs = null, dnsMs = null, firstByteMs = null, tlsMs = null, totalMs }: Timed,
  unneededMs = 0
): Timings => ({
  dnsMs: tenthsOrNull(dnsMs),
  connectMs: tenthsOrNull(connectMs),
  tlsMs: tenthsOrNull(tlsMs),
  firstByteMs: tenthsOrNull(firstByteMs),
  totalMs: tenths(totalMs - unneededMs)
})

interface Measured extends Pick<ProbeResult, "latencyMs" | "reached"> {
  readonly statusCode?: number | null
  readonly timed: Timed | null
  readonly evidence: () => Evidence
}

/** The result of a judged check; `clean` masks secrets in its error. */
export const resultOf = (
  { cause, error, outcome }: CheckVerdict,
  { evidence, latencyMs, statusCode = null, timed, ...measured }: Measured,
  clean: (text: string) => string = storable
): ProbeResult => ({
  outcome,
  cause,
  error: error === null ? null : clean(error),
  statusCode,
  latencyMs: tenthsOrNull(latencyMs),
  timings: timed === null ? null : timingsOf(timed),
  ...measured,
  evidence: Effect.sync(evidence)
})

/** Evidence with nothing but the request; each kind adds what it observed. */
export const bareEvidence = (method: string, url: string, seen: Partial<Omit<Evidence, "request">> = {}): Evidence => ({
  request: { method, url: storable(url) },
  remoteAddress: null,
  responseHeaders: {},
  body: null,
  bodyTruncated: false,
  redirects: [],
  certificate: null,
  assertions: [],
  ...seen
})

/** Assertion results with texts that can be stored; `clean` masks secrets. */
export const cleanResults = (
  results: ReadonlyArray<AssertionResult>,
  clean: (text: string) => string = storable
): ReadonlyArray<AssertionResult> =>
  results.map((result) => ({
    ...result,
    actual: result.actual === null ? null : clean(result.actual),
    message: clean(result.message)
  }))
