/** The domain rules of heartbeat monitors. */
import { Either } from "effect"
import type { HeartbeatTarget } from "../../../../schema/monitor/kinds/heartbeat.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import { type MonitorKindSpec, orBefore } from "../MonitorKindSpec.ts"

/** A tenth of the period, between a minute and an hour: jobs take time, and cron starts late. */
const defaultGrace = (periodSec: number): number => Math.min(3600, Math.max(60, Math.round(periodSec / 10)))

const wordsOf = (given: string | null | undefined, before: string | null | undefined): string | null =>
  orBefore(given, before)?.trim() || null

const settle = (input: MonitorUpdate, base: HeartbeatTarget | null): Either.Either<HeartbeatTarget, Refusal> => {
  const periodSec = input.periodSec ?? base?.periodSec
  if (periodSec === undefined) {
    return Either.left({
      path: "periodSec",
      message: "periodSec is required for heartbeat monitors",
      hint: "Set the number of seconds between pings, 30 to 2678400"
    })
  }
  const maxRunSec = orBefore(input.maxRunSec, base?.maxRunSec)
  const degradedAfterMs = orBefore(input.degradedAfterMs, base?.degradedAfterMs)
  const mailStart = wordsOf(input.mailStart, base?.mailStart)
  const mailSuccess = wordsOf(input.mailSuccess, base?.mailSuccess)
  const mailFailure = wordsOf(input.mailFailure, base?.mailFailure)
  return Either.right({
    kind: "heartbeat",
    periodSec,
    graceSec: input.graceSec ?? base?.graceSec ?? defaultGrace(periodSec),
    ...(maxRunSec === null ? {} : { maxRunSec }),
    ...(degradedAfterMs === null ? {} : { degradedAfterMs }),
    ...(mailStart === null ? {} : { mailStart }),
    ...(mailSuccess === null ? {} : { mailSuccess }),
    ...(mailFailure === null ? {} : { mailFailure })
  })
}

export const heartbeat: MonitorKindSpec<"heartbeat"> = {
  inferredFrom: ["periodSec"],
  settle,
  masked: (target) => target,
  confidentialTexts: () => []
}
