/** The manifest check: requests a document with an http check and reads the statuses in it. */
import { Effect, Either } from "effect"
import type { ManifestEntry } from "../../../schema/check/Check.ts"
import { readManifest } from "../../domain/check/answer/Manifest.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import type { DecodedBody } from "../../egress/BodyDecoder.ts"
import { checkUrl } from "../http/HttpCheck.ts"
import { httpRequestOf } from "../http/HttpPlan.ts"
import type { Probe } from "../Probe.ts"
import type { ProbeResult } from "../ProbeResult.ts"

const clean = ({ key, message, names, status }: ManifestEntry): ManifestEntry => ({
  key: storable(key),
  names: names.map(storable),
  status,
  message: message === null ? null : storable(message)
})

const withEntries = (seen: ProbeResult, entries: ReadonlyArray<ManifestEntry>): ProbeResult => {
  const manifest = entries.map(clean)
  return {
    ...seen,
    manifest,
    evidence: Effect.map(seen.evidence, (evidence) => (evidence === null ? null : { ...evidence, manifest }))
  }
}

/** The statuses in the document do not decide the monitor's own state: they feed components. */
const read = (seen: ProbeResult, body: DecodedBody | null): ProbeResult => {
  if (seen.outcome === "down" || body === null) return seen
  if (!body.complete) {
    return { ...seen, outcome: "down", cause: "body_too_large", error: "The manifest is larger than 256 KiB" }
  }
  return Either.match(readManifest(body.text), {
    onLeft: (error): ProbeResult => ({ ...seen, outcome: "down", cause: "manifest", error }),
    onRight: (entries) => withEntries(seen, entries)
  })
}

/** Parsing happens on the event loop, which this size keeps short. */
const bodyLimit = 262_144

export const checkManifest: Probe<"manifest"> = (assignment, tools, done) =>
  checkUrl(httpRequestOf(assignment, assignment.target), tools, { bodyLimit, read }, done)
