/** The verdict on a connection and its certificate, for the kinds that open one without an HTTP chain. */
import type { Certificate } from "../../schema/check/Check.ts"
import type { TlsTarget } from "../../schema/monitor/TlsSettings.ts"
import { describeCertificate, expiryWarning, outdatedTls } from "../domain/check/answer/Certificates.ts"
import {
  type CheckVerdict,
  expiryProblem,
  failing,
  outdatedTlsProblem,
  type Problem
} from "../domain/check/answer/CheckVerdict.ts"
import type { ConnectionFacts } from "../egress/Connection.ts"
import { causeOf } from "../egress/EgressGuard.ts"

export const failureVerdict = ({ failure }: ConnectionFacts): CheckVerdict | null =>
  failure === null ? null : failing(causeOf(failure), failure.message)

interface ConnectionTarget extends TlsTarget {
  readonly sslExpiryDays: number | null
}

export const tlsProblems = (
  { path, tlsVersion }: ConnectionFacts,
  host: string,
  { sslExpiryDays, tlsVerify = true }: ConnectionTarget,
  now: number
): ReadonlyArray<Problem | null> => [
  expiryProblem(path === null ? null : expiryWarning(path, host, sslExpiryDays, now)),
  outdatedTlsProblem(tlsVerify ? outdatedTls(tlsVersion, host) : null)
]

export const certificateEvidence = (
  { certificate, distrust, tlsVersion }: ConnectionFacts,
  now: number
): Certificate | null => certificate === null ? null : describeCertificate(certificate, distrust, tlsVersion, now)
