/** The verdict on a connection and its certificate, for the kinds that open one without an HTTP chain. */
import type { Certificate } from "../../schema/check/Check.ts"
import { describeCertificate, expiryWarning, explainDistrust } from "../domain/check/answer/Certificates.ts"
import { distrustProblem, expiryProblem, failing, type Problem, unasked, type Verdict } from "../domain/check/answer/Verdict.ts"
import type { ConnectionFacts } from "../egress/Connection.ts"
import { causeOf } from "../egress/EgressGuard.ts"

const distrustOf = ({ certificate, distrust }: ConnectionFacts, host: string): string | null =>
  distrust === null ? null : explainDistrust(distrust, host, certificate)

/** The verdict on a request that was held back, because the certificate is not trusted. */
export const heldBack = (distrust: string): Verdict =>
  unasked("certificate", `${distrust}. Nothing was sent, because the request may hold secrets`)

export const failureVerdict = (facts: ConnectionFacts, host: string, isAnswered: boolean): Verdict | null => {
  const { failure } = facts
  if (failure === null) return null
  const distrust = distrustOf(facts, host)
  return distrust !== null && !isAnswered && causeOf(failure) === "tls_error"
    ? heldBack(distrust)
    : failing(causeOf(failure), failure.message)
}

export const certificateProblems = (
  facts: ConnectionFacts,
  host: string,
  sslExpiryDays: number | null,
  now: number
): ReadonlyArray<Problem | null> => [
  distrustProblem(distrustOf(facts, host)),
  expiryProblem(facts.certificate === null ? null : expiryWarning(facts.certificate, host, sslExpiryDays, now))
]

export const certificateEvidence = ({ certificate, distrust }: ConnectionFacts, now: number): Certificate | null =>
  certificate === null ? null : describeCertificate(certificate, distrust, now)
