/** The verdict on a connection and its certificate, for the kinds that open one without an HTTP chain. */
import type { Certificate } from "../../schema/check/Check.ts"
import { describeCertificate, expiryWarning, explainDistrust } from "../domain/check/answer/Certificates.ts"
import { distrustProblem, expiryProblem, failing, type Problem, unasked, type Verdict } from "../domain/check/answer/Verdict.ts"
import type { ConnectionFacts } from "../egress/Connection.ts"
import { type BlockedTarget, causeOf, type RequestFailed } from "../egress/EgressGuard.ts"

type Facts = Pick<ConnectionFacts, "certificate" | "distrust">

const distrustOf = ({ certificate, distrust }: Facts, host: string): string | null =>
  distrust === null ? null : explainDistrust(distrust, host, certificate)

/** The verdict on a request that was held back, because the certificate is not trusted. */
export const heldBack = (distrust: string): Verdict =>
  unasked("certificate", `${distrust}. Nothing was sent, because the request may hold secrets`)

/** The verdict if the exchange failed, else null. */
export const failureVerdict = (
  exchange: Facts & { readonly failure: BlockedTarget | RequestFailed | null },
  host: string,
  isAnswered: boolean
): Verdict | null => {
  const { failure } = exchange
  if (failure === null) return null
  const distrust = distrustOf(exchange, host)
  return distrust !== null && !isAnswered && causeOf(failure) === "tls_error"
    ? heldBack(distrust)
    : failing(causeOf(failure), failure.message)
}

export const certificateProblems = (
  facts: Facts,
  host: string,
  sslExpiryDays: number | null,
  now: number
): ReadonlyArray<Problem | null> => [
  distrustProblem(distrustOf(facts, host)),
  expiryProblem(facts.certificate === null ? null : expiryWarning(facts.certificate, host, sslExpiryDays, now))
]

export const certificateEvidence = ({ certificate, distrust }: Facts, now: number): Certificate | null =>
  certificate === null ? null : describeCertificate(certificate, distrust, now)
