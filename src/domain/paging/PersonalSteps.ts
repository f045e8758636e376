/** The pages to one person: which of their ways are tried when, by their rules, and what follows a page that fails. */
import { DateTime } from "effect"
import type { PagingId, WayId } from "../../../schema/Ids.ts"
import type { Impact } from "../../../schema/incident/Incident.ts"
import type { PagingRules, PagingState, PagingStep, Urgency, WayKind, WorkingHours } from "../../../schema/oncall/Way.ts"
import { quietUntil } from "../alert/QuietHours.ts"
import { earliest } from "../tools/time/Earliest.ts"

/** The rules of everybody who has set none: what makes a noise comes first, what costs money later. */
export const defaultRules: PagingRules = {
  high: [
    { by: "push", afterMinutes: 0 },
    { by: "email", afterMinutes: 0 },
    { by: "slack", afterMinutes: 0 },
    { by: "telegram", afterMinutes: 0 },
    { by: "discord", afterMinutes: 0 },
    { by: "sms", afterMinutes: 2 },
    { by: "voice", afterMinutes: 5 },
    { by: "voice", afterMinutes: 10 }
  ],
  low: [
    { by: "push", afterMinutes: 0 },
    { by: "email", afterMinutes: 0 },
    { by: "slack", afterMinutes: 0 },
    { by: "telegram", afterMinutes: 0 },
    { by: "discord", afterMinutes: 0 }
  ],
  workingHours: null,
  isDefault: true
}

/** The end of a page that an acknowledgement or the end of its incident has overtaken. */
export const notNeeded = "The incident was acknowledged or ended before this could be sent"

interface UrgencyFacts {
  /** The urgency that the level of the policy says; null for none. */
  readonly level: Urgency | null
  /** The urgency that the monitor says; null for none. */
  readonly monitor: Urgency | null
  /** Of an incident that a person opened; null for an automatic one, whose impact says what pages show. */
  readonly impact: Impact | null
}

/** The level decides before the monitor, and that before the impact. In doubt it is high. */
export const urgencyOf = ({ impact, level, monitor }: UrgencyFacts): Urgency =>
  level ?? monitor ?? (impact === "none" || impact === "minor" ? "low" : "high")

/** A way that pages can go to now. */
export interface UsableWay {
  /** Null for email. */
  readonly id: WayId | null
  readonly kind: WayKind
  readonly label: string
}

export interface PlannedPage {
  /** From 1, in the order of the times. */
  readonly step: number
  readonly way: UsableWay
  readonly dueAt: DateTime.Utc
}

const isWorking = (hours: WorkingHours | null, at: DateTime.Utc): boolean =>
  hours === null || quietUntil({ ...hours, criticalPasses: false }, at) !== null

const counts = ({ during }: PagingStep, hours: WorkingHours | null, at: DateTime.Utc): boolean =>
  during === undefined || during === "any" || (during === "working") === isWorking(hours, at)

const takes = ({ by, wayId }: PagingStep, way: UsableWay): boolean => way.kind === by && (wayId === undefined || way.id === wayId)

/**
 * The pages to a person who is paged at `at`, in order. The first is due immediately if the rules begin so, whatever ways are missing; if
 * no step of the rules has a way, all ways are tried immediately. Empty only if there is no way.
 */
export const plannedPages = (
  rules: PagingRules,
  urgency: Urgency,
  ways: ReadonlyArray<UsableWay>,
  at: DateTime.Utc
): ReadonlyArray<PlannedPage> => {
  const steps = rules[urgency]
    .filter((step) => counts(step, rules.workingHours, DateTime.add(at, { minutes: step.afterMinutes })))
    .toSorted((one, other) => one.afterMinutes - other.afterMinutes)
  const pairs = steps.flatMap((step) =>
    ways.filter((way) => takes(step, way)).map((way) => ({ way, minutes: step.afterMinutes }))
  )
  const distinct = pairs.filter(({ minutes, way }, index) =>
    pairs.findIndex((one) => one.minutes === minutes && one.way === way) === index
  )
  if (distinct.length === 0) return ways.map((way, index) => ({ step: index + 1, way, dueAt: at }))
  // Steps at the beginning that have no way are not waited for.
  const early = (distinct[0]?.minutes ?? 0) - (steps[0]?.afterMinutes ?? 0)
  return distinct.map(({ minutes, way }, index) => ({
    step: index + 1,
    way,
    dueAt: DateTime.add(at, { minutes: minutes - early })
  }))
}

/** A page as the incident's actor finds it. */
export interface TriedPage {
  readonly id: PagingId
  readonly userId: string
  readonly level: number
  readonly round: number
  readonly state: PagingState
  readonly dueAt: DateTime.Utc
  /** It failed, and the next one was brought forward. */
  readonly followed: boolean
  /** Its mail was stored for reading, because no mail server is set. */
  readonly captured: boolean
}

/**
 * The steps after pages that have failed: `forward` is the next of each person, due now instead of later; `answered` are the failed ones
 * that this settles.
 */
export const afterFailures = (pages: ReadonlyArray<TriedPage>) => {
  const failed = pages.filter(({ captured, followed, state }) => state === "failed" && !followed && !captured)
  const forward = [...new Set(failed.map(({ userId }) => userId))].flatMap((userId) => {
    const planned = pages.filter((page) => page.userId === userId && page.state === "planned")
    const first = earliest(planned.map(({ dueAt }) => dueAt))
    return first === null ? [] : planned.filter(({ dueAt }) => DateTime.Equivalence(dueAt, first)).map(({ id }) => id)
  })
  return { forward, answered: failed.map(({ id }) => id) }
}

/**
 * Whether every page of a level failed and none is left: then the next level is not waited for. False if the level had none, and where
 * mails are stored for reading.
 */
export const reachedNobody = (
  pages: ReadonlyArray<TriedPage>,
  { level, round }: { readonly level: number; readonly round: number }
) => {
  const own = pages.filter((page) => page.level === level && page.round === round)
  return own.length > 0 && own.every(({ captured, state }) => state === "failed" && !captured)
}

/** The level of pages that a hand-over sends. Its rounds count the hand-overs of the incident. */
export const handOverLevel = 0

/** How often the incident was handed over. */
export const handOvers = (pages: ReadonlyArray<Pick<TriedPage, "level" | "round">>): number =>
  pages.reduce((most, { level, round }) => level === handOverLevel ? Math.max(most, round) : most, 0)

/** Whether it has just turned out that the last hand-over reached nobody: then the next level is not waited for, once. */
export const lostHandOver = (pages: ReadonlyArray<TriedPage>): boolean => {
  const handOver = { level: handOverLevel, round: handOvers(pages) }
  return reachedNobody(pages, handOver) &&
    pages.some(({ followed, level, round }) => level === handOver.level && round === handOver.round && !followed)
}
