/** Recognises a plain result, as nearly all are, without the schema, whose decoding costs four times the parsing. */
import { Predicate, Schema } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { Outcome } from "../../schema/check/Check.ts"
import { RegionId } from "../../schema/check/Region.ts"

const isRegion = Schema.is(RegionId)
const isOutcome = Schema.is(Outcome)

/** Regions already validated: a lookup is cheaper than a schema, and there are few regions. */
const known = new Set<unknown>()
const mostKnown = 1_000

const isKnownRegion = (value: unknown): boolean => {
  if (known.has(value)) return true
  if (!isRegion(value)) return false
  if (known.size < mostKnown) known.add(value)
  return true
}

const isNumberOrNull = (value: unknown): boolean => value === null || typeof value === "number"

const areTimings = (value: unknown): boolean =>
  value === null ||
  (Predicate.isRecord(value) && isNumberOrNull(value["dnsMs"]) && isNumberOrNull(value["connectMs"]) &&
    isNumberOrNull(value["tlsMs"]) && isNumberOrNull(value["firstByteMs"]) && typeof value["totalMs"] === "number")

/** True only for values that the schema accepts; false for a result with an error, evidence or a manifest, which the schema decodes. */
export const isPlainResult = (value: unknown): value is CheckResult =>
  Predicate.isRecord(value) &&
  typeof value["checkId"] === "string" && typeof value["monitorId"] === "string" && typeof value["workspaceId"] === "string" &&
  Number.isSafeInteger(value["revision"]) && isKnownRegion(value["region"]) && Number.isSafeInteger(value["slot"]) &&
  typeof value["at"] === "number" && isOutcome(value["outcome"]) &&
  (value["statusCode"] === null || Number.isSafeInteger(value["statusCode"])) && isNumberOrNull(value["latencyMs"]) &&
  value["error"] === null && value["cause"] === null && areTimings(value["timings"]) && value["evidence"] === null &&
  value["manifest"] === undefined &&
  (value["attempt"] === undefined || Number.isSafeInteger(value["attempt"])) && typeof value["trusted"] === "boolean" &&
  (value["repeats"] === undefined || typeof value["repeats"] === "string")
