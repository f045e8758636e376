/** Writes AI reports on incidents of monitors. Alerts do not wait for them; one that takes longer than 30 s is not written. */
import { DateTime, Duration, Effect, FiberSet, Layer, Option, Queue, Schema } from "effect"
import { EventCheck } from "../../schema/check/Check.ts"
import { fallbackPause } from "../../src/domain/tools/time/FallbackPause.ts"
import { Ai } from "../../src/external/ai/AiProvider.ts"
import { Links } from "../../src/links/Links.ts"
import { orLog } from "../../src/loops/OrLog.ts"
import { inBackground } from "../../src/loops/WorkPriority.ts"
import { AiTexts } from "../../src/services/ai/AiTexts.ts"
import { KeepReports } from "../../src/services/ai/KeepReports.ts"
import { wakeableLoop, wakeSignal } from "../../src/services/WakeableLoop.ts"
import { aiReportsSignal, reportDeadlineSec, type ReportRequest, ReportRequests } from "../../src/store/ai/ReportRequests.ts"
import { Incidents } from "../../src/store/incident/Incidents.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { sweepHourlyInBatches } from "../../src/store/Sweep.ts"
import { makeHeldShards } from "../HeldShards.ts"

/** Reports that a runner has under way. Each holds a prompt and an answer, and no database connection. */
const slots = 6

const decodeCheck = Schema.decodeUnknownOption(EventCheck)

const makeWriteReport = Effect.gen(function*() {
  const incidents = yield* Incidents
  const texts = yield* AiTexts
  const { keep } = yield* KeepReports
  const links = yield* Links
  const clock = yield* DatabaseClock

  const write = Effect.fn("AiReporter.write")(function*(request: ReportRequest) {
    const { check, eventId, incidentId, phase, workspaceId } = request
    const incident = yield* incidents.find(workspaceId, incidentId, links.incident)
    if (Option.isNone(incident)) return
    const written = yield* texts.report(workspaceId, incident.value, phase, "background", Option.getOrNull(decodeCheck(check)))
    yield* keep(workspaceId, incidentId, written, { eventId, phase })
  })

  /** Failed texts are logged by their writer. No report is written if AI is unavailable or the month's texts are used up. */
  return Effect.fnUntraced(function*(request: ReportRequest) {
    const age = DateTime.distance(request.requestedAt, yield* clock.now)
    const left = Duration.millis(Math.max(0, reportDeadlineSec * 1000 - age))
    const written = write(request).pipe(
      Effect.timeoutOption(left),
      Effect.catchTags({ unavailable: () => Effect.void, plan_limit: () => Effect.void })
    )
    yield* orLog(`The AI report on incident ${request.incidentId}`, written)
  })
})

const reportOnIncidents = Effect.gen(function*() {
  const requests = yield* ReportRequests
  const signal = yield* wakeSignal(aiReportsSignal)
  const { part } = yield* makeHeldShards
  const writeReport = yield* makeWriteReport
  const running = yield* FiberSet.make()

  const step = Effect.gen(function*() {
    const free = slots - (yield* FiberSet.size(running))
    const taken = free > 0 ? yield* requests.take(free) : []
    yield* Effect.forEach(
      taken,
      (request) => FiberSet.run(running, Effect.ensuring(writeReport(request), Queue.offer(signal, undefined))),
      { discard: true }
    )
    return fallbackPause(part())
  })
  yield* wakeableLoop("Writing AI reports", step, signal)
  yield* sweepHourlyInBatches("Requests for AI reports", requests.prune())
})

/** Nothing runs without a provider. */
export const AiReporter = Layer.scopedDiscard(
  Effect.flatMap(Ai, (ai) => ai === null ? Effect.void : Effect.interruptible(inBackground(reportOnIncidents)))
).pipe(Layer.provide([AiTexts.Default, KeepReports.Default, ReportRequests.Default]))
