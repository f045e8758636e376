/** The domain rules of heartbeat monitors. */
import { Either } from "effect"
import type { HeartbeatTarget } from "../../../../schema/monitor/kinds/heartbeat.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import { durationText } from "../../tools/time/Duration.ts"
import { type MonitorKindSpec, orBefore } from "../MonitorKindSpec.ts"
import { scheduleProblem, tidied, type Written } from "../schedule/Schedule.ts"
import { type ScheduleShape, shapeOf } from "../schedule/ScheduleShape.ts"

/** A tenth of the period, between a minute and an hour: jobs take time, and cron starts late. */
const defaultGrace = (periodSec: number): number => Math.min(3600, Math.max(60, Math.round(periodSec / 10)))

const wordsOf = (given: string | null | undefined, before: string | null | undefined): string | null =>
  orBefore(given, before)?.trim() || null

/** As of a period. */
const closestSec = 30

const refused = (path: string, message: string, hint?: string) =>
  Either.left<Refusal>({ path, message, ...(hint === undefined ? {} : { hint }) })

const vetted = (written: Written): Either.Either<ScheduleShape, Refusal> => {
  const problem = scheduleProblem(written)
  if (problem !== null) {
    return refused(
      "schedule",
      `schedule is no line of cron and no calendar expression of systemd: ${problem}`,
      "Write it as 30 2 * * * or as Mon..Fri 18:00, and the zone in timezone"
    )
  }
  const shape = shapeOf(written)
  if (shape === null) return refused("schedule", "The times of this schedule never come", "Check its days, months and years")
  return shape.shortestSec >= closestSec ? Either.right(shape) : refused(
    "schedule",
    `The times of a schedule must be at least ${closestSec} s apart; some of these are ${durationText(shape.shortestSec)} apart`
  )
}

const scheduled = (
  input: MonitorUpdate,
  base: HeartbeatTarget | null,
  schedule: string
): Either.Either<HeartbeatTarget, Refusal> => {
  const written = { schedule: tidied(schedule), timezone: orBefore(input.timezone, base?.timezone) ?? "UTC" }
  return Either.flatMap(vetted(written), ({ longestSec, shortestSec }) => {
    // A plan repeats what is stored.
    if ((input.periodSec ?? longestSec) !== longestSec) {
      return refused("schedule", "A heartbeat has either periodSec or schedule, not both", "Leave one of them out")
    }
    const graceSec = input.graceSec ?? base?.graceSec ?? defaultGrace(shortestSec)
    return Either.right({ kind: "heartbeat" as const, periodSec: longestSec, graceSec, ...written })
  })
}

/** When pings are expected. */
const settleRhythm = (input: MonitorUpdate, base: HeartbeatTarget | null): Either.Either<HeartbeatTarget, Refusal> => {
  if (input.schedule) return scheduled(input, base, input.schedule)
  const before = base?.schedule ?? null
  if (before !== null && input.schedule === undefined && (input.periodSec ?? null) === null) return scheduled(input, base, before)
  const kept = before === null && input.periodSec !== null ? base?.periodSec : null
  const periodSec = input.periodSec ?? kept ?? null
  if (periodSec === null) {
    return refused(
      "periodSec",
      "periodSec or schedule is required for heartbeat monitors",
      "Set the number of seconds between pings, 30 to 2678400, or a schedule such as 30 2 * * *"
    )
  }
  if (input.timezone) {
    return refused("timezone", "timezone is the zone of a schedule, and this heartbeat has none", "Set schedule, too")
  }
  return Either.right({ kind: "heartbeat", periodSec, graceSec: input.graceSec ?? base?.graceSec ?? defaultGrace(periodSec) })
}

const settle = (input: MonitorUpdate, base: HeartbeatTarget | null): Either.Either<HeartbeatTarget, Refusal> => {
  const maxRunSec = orBefore(input.maxRunSec, base?.maxRunSec)
  const degradedAfterMs = orBefore(input.degradedAfterMs, base?.degradedAfterMs)
  const mailStart = wordsOf(input.mailStart, base?.mailStart)
  const mailSuccess = wordsOf(input.mailSuccess, base?.mailSuccess)
  const mailFailure = wordsOf(input.mailFailure, base?.mailFailure)
  return Either.map(settleRhythm(input, base), (rhythm) => ({
    ...rhythm,
    ...(maxRunSec === null ? {} : { maxRunSec }),
    ...(degradedAfterMs === null ? {} : { degradedAfterMs }),
    ...(mailStart === null ? {} : { mailStart }),
    ...(mailSuccess === null ? {} : { mailSuccess }),
    ...(mailFailure === null ? {} : { mailFailure })
  }))
}

export const heartbeat: MonitorKindSpec<"heartbeat"> = {
  inferredFrom: [["periodSec"], ["schedule"]],
  settle,
  masked: (target) => target,
  confidentialTexts: () => []
}
