/** The domain check: asks the registry when the registration of a domain ends. */
import { Either } from "effect"
import type { DomainTarget } from "../../../schema/monitor/kinds/domain.ts"
import { judgeDomain } from "../../domain/check/answer/DomainVerdict.ts"
import { lookupName } from "../../domain/monitor/settings/HostSettings.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { evidenceBodyLimit } from "../http/HttpEvidence.ts"
import type { Probe } from "../Probe.ts"
import { bareEvidence, type ProbeResult, resultOf } from "../ProbeResult.ts"
import type { RdapResult } from "../Rdap.ts"

const toProbeResult = (target: DomainTarget, { answer, body, chain, url }: RdapResult, now: number): ProbeResult =>
  resultOf(judgeDomain(target, answer, now), {
    statusCode: chain?.last.response?.statusCode ?? null,
    latencyMs: chain?.totalMs ?? null,
    timed: chain?.last ?? null,
    evidence: () =>
      bareEvidence("GET", url ?? `rdap:${target.host}`, {
        remoteAddress: chain?.last.address ?? null,
        body: body === null ? null : storable(body.slice(0, evidenceBodyLimit)),
        bodyTruncated: body !== null && body.length > evidenceBodyLimit
      })
  })

export const checkDomain: Probe<"domain"> = ({ target, timeoutMs }, { now, rdap }, done) =>
  rdap.query(
    lookupName(target.host) ?? target.host,
    timeoutMs,
    (result) => done(Either.try(() => toProbeResult(target, result, now())))
  )
