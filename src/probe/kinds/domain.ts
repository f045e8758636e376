/** The domain check: asks the registry when the registration of a domain ends. */
import { Effect, Either } from "effect"
import type { DomainTarget } from "../../../schema/monitor/kinds/domain.ts"
import { judgeDomain } from "../../domain/check/answer/DomainVerdict.ts"
import { lookupName } from "../../domain/monitor/settings/HostSettings.ts"
import { storable } from "../../domain/tools/Storable.ts"
import { bareEvidence } from "../BareEvidence.ts"
import { evidenceBodyLimit } from "../HttpEvidence.ts"
import type { Probe, ProbeResult } from "../ProbeResult.ts"
import type { DomainLook } from "../rdap/Rdap.ts"
import { tenths, timingsOf } from "../TimingsOf.ts"

const toProbeResult = (target: DomainTarget, { answer, body, chain, url }: DomainLook, now: number): ProbeResult => {
  const { cause, error, outcome } = judgeDomain(target, answer, now)
  return {
    outcome,
    cause,
    error: error === null ? null : storable(error),
    statusCode: chain?.last.response?.statusCode ?? null,
    latencyMs: chain === null ? null : tenths(chain.totalMs),
    timings: chain === null ? null : timingsOf(chain.last),
    evidence: Effect.sync(() =>
      bareEvidence("GET", url ?? `rdap:${target.host}`, {
        remoteAddress: chain?.last.address ?? null,
        body: body === null ? null : storable(body.slice(0, evidenceBodyLimit)),
        bodyTruncated: body !== null && body.length > evidenceBodyLimit
      })
    )
  }
}

export const checkDomain: Probe<"domain"> = ({ target, timeoutMs }, { now, rdap }, done) =>
  rdap.look(
    lookupName(target.host) ?? target.host,
    timeoutMs,
    (look) => done(Either.try(() => toProbeResult(target, look, now())))
  )
