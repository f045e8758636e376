/** The checks of a monitor around the beginning of an incident: which one shows the failure, and what latencies were before and after. */
import { Array, DateTime, Order } from "effect"
import type { Check } from "../../../schema/check/Check.ts"

const before = { minutes: 30 }
const after = { minutes: 5 }

/** The time around a beginning that is looked at; it ends with `now` at the latest. */
export const around = (startedAt: DateTime.Utc, now: DateTime.Utc) => ({
  from: DateTime.subtract(startedAt, before),
  to: DateTime.min(DateTime.add(startedAt, after), now)
})

type Seen = Pick<Check, "at" | "id" | "region" | "outcome" | "hasEvidence" | "evidenceOmitted" | "latencyMs">

const isAfter = (startedAt: DateTime.Utc) => ({ at }: Pick<Check, "at">): boolean => DateTime.greaterThanOrEqualTo(at, startedAt)

/** The check whose evidence shows the failure: the last one until the beginning, else the first after it; null for none. */
export const showsFailure = (checks: ReadonlyArray<Seen>, startedAt: DateTime.Utc): Check["id"] | null => {
  const failed = checks.filter(({ evidenceOmitted, hasEvidence, outcome }) =>
    outcome !== "up" && (hasEvidence || (evidenceOmitted?.checkId ?? null) !== null)
  ).toSorted(Order.mapInput(DateTime.Order, ({ at }: Seen) => at))
  const until = failed.filter(({ at }) => DateTime.lessThanOrEqualTo(at, startedAt))
  const found = until.at(-1) ?? failed[0]
  return found === undefined ? null : found.hasEvidence ? found.id : found.evidenceOmitted?.checkId ?? null
}

/** The first result of each region from the beginning on, by region. */
export const regionsAtBeginning = <One extends Seen>(checks: ReadonlyArray<One>, startedAt: DateTime.Utc): ReadonlyArray<One> => {
  const first = new Map<string, One>()
  // Newest first: the last one of each region stays.
  for (const check of checks.filter(isAfter(startedAt))) first.set(check.region, check)
  return [...first.values()].toSorted(Order.mapInput(Order.string, ({ region }: One) => region))
}

const medianOf = (values: ReadonlyArray<number>): number | null => {
  const sorted = Array.sort(values, Order.number)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
}

/** Median latencies in ms; null without checks. */
export const medians = (checks: ReadonlyArray<Seen>, startedAt: DateTime.Utc) => {
  const [early, late] = Array.partition(checks, isAfter(startedAt))
  const of = (some: ReadonlyArray<Seen>) => medianOf(some.flatMap(({ latencyMs }) => latencyMs === null ? [] : [latencyMs]))
  return { before: of(early), after: of(late), failed: late.filter(({ outcome }) => outcome !== "up").length }
}
