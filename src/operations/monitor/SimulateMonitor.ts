/** Replays the stored checks of a monitor under proposed settings, a part at a time, so that no turn of the event loop is long. */
import { Clock, DateTime, Effect, Option } from "effect"
import { instant } from "../../../schema/Fields.ts"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { SimulatedCourse, Simulation, SimulationInput } from "../../../schema/monitor/Simulation.ts"
import { makeRunningChecks } from "../../domain/check/probe/RunningChecks.ts"
import {
  type CourseSpan,
  type CourseSummary,
  makeReplay,
  type Outage,
  type Replay,
  summarize
} from "../../domain/monitor/Replay.ts"
import type { SpanState, Window } from "../../domain/monitor/Uptime.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { Checks } from "../../store/check/Checks.ts"
import { Monitors, type MonitorWithState } from "../../store/monitor/Monitors.ts"
import { Spans } from "../../store/monitor/Spans.ts"
import { requireMonitor } from "../NoSuch.ts"
import { takePlace } from "../Places.ts"

const dayMs = 86_400_000

/** The longest period, ms: raw checks are kept for 30 days. */
const longest = 31 * dayMs
const defaultPeriod = 7 * dayMs

/** Checks of one call, and about how many are read and replayed in one turn. */
const mostChecks = 50_000
const perTurn = 1000

/** Simulations that one workspace may have under way in one process. */
const perWorkspace = 2

const mostOutages = 100

const outageOf = ({ cause, checkId, from, ms, state, to }: Outage): SimulatedCourse["outages"][number] => ({
  state,
  from: instant(from),
  to: to === null ? null : instant(to),
  durationSec: Math.round(ms / 1000),
  cause,
  checkId
})

const courseOf = ({ alerts, degradations, downMs, outages }: CourseSummary): SimulatedCourse => ({
  alerts,
  degradations,
  downSec: Math.round(downMs / 1000),
  outages: outages.slice(0, mostOutages).map(outageOf)
})

const stateAt = (spans: ReadonlyArray<CourseSpan>, at: number): SpanState =>
  spans.findLast(({ startedAt }) => startedAt <= at)?.state ?? "pending"

/** The period as asked; refuses one that is empty or too long. */
const windowOf = Effect.fnUntraced(function*({ from, to }: SimulationInput) {
  const now = yield* Clock.currentTimeMillis
  const end = Math.min(now, Option.getOrElse(Option.map(Option.fromNullable(to), DateTime.toEpochMillis), () => now))
  const start = Option.getOrElse(Option.map(Option.fromNullable(from), DateTime.toEpochMillis), () => end - defaultPeriod)
  if (start >= end) return yield* validationFailure([{ path: "from", message: "Expected a time before `to` and before now" }])
  if (end - start > longest) return yield* validationFailure([{ path: "from", message: "Expected at most 31 days before `to`" }])
  return { from: start, to: end } satisfies Window
})

const refuseUnfit = (monitor: MonitorWithState, { intervalSec }: SimulationInput) => {
  if (monitor.kind === "heartbeat") {
    return validationFailure([{ path: "monitorId", message: "A heartbeat reports by itself: there are no checks to replay" }])
  }
  return intervalSec !== undefined && intervalSec < monitor.intervalSec
    ? validationFailure([{
      path: "intervalSec",
      message: `Expected at least ${monitor.intervalSec}, the monitor's interval: no results are stored in between`
    }])
    : Effect.void
}

const rulesOf = (monitor: MonitorWithState, proposed: SimulationInput) => ({
  ...monitor,
  intervalSec: proposed.intervalSec ?? monitor.intervalSec,
  failureThreshold: proposed.failureThreshold ?? monitor.failureThreshold,
  recoveryThreshold: proposed.recoveryThreshold ?? monitor.recoveryThreshold,
  failureRate: proposed.failureRate === undefined ? monitor.failureRate : proposed.failureRate,
  regions: proposed.regions ?? monitor.regions
})

export class SimulateMonitor extends Effect.Service<SimulateMonitor>()("belltower/SimulateMonitor", {
  effect: Effect.gen(function*() {
    const monitors = yield* Monitors
    const checks = yield* Checks
    const spans = yield* Spans
    const running = makeRunningChecks(perWorkspace, "simulations")

    /** The monitor's stored states since an instant, ms. */
    const pastOf = (workspaceId: WorkspaceId, id: MonitorId, from: number) =>
      Effect.orDie(Effect.map(
        Effect.flatMap(Clock.currentTimeMillis, (now) => spans.observed(workspaceId, [id], instant(from), now)),
        (found) => (found.get(id) ?? []).map((span): CourseSpan => ({ ...span, cause: null, checkId: null }))
      ))

    /** Feeds the checks of the period part by part until there are too many. Returns their number and the end of what was fed. */
    const feed = Effect.fnUntraced(
      function*(workspaceId: WorkspaceId, monitor: MonitorWithState, replay: Replay, window: Window) {
        const part = perTurn * monitor.intervalSec * 1000 / Math.max(1, monitor.regions.length)
        let [fed, at] = [0, window.from]
        while (at < window.to && fed < mostChecks) {
          const end = Math.min(window.to, at + part)
          const found = yield* checks.between(workspaceId, monitor.id, at, end)
          replay.feed(found)
          fed += found.length
          at = end
        }
        return { fed, end: at }
      }
    )

    const simulate = Effect.fn("SimulateMonitor.simulate")(function*(workspaceId: WorkspaceId, input: SimulationInput) {
      const monitor = yield* requireMonitor(monitors, workspaceId, input.monitorId)
      yield* refuseUnfit(monitor, input)
      const window = yield* windowOf(input)
      yield* takePlace(running, workspaceId)
      const past = yield* pastOf(workspaceId, monitor.id, window.from)
      const replay = makeReplay({
        monitorId: monitor.id,
        rules: rulesOf(monitor, input),
        intervalSec: monitor.intervalSec,
        degradedAfterMs: input.degradedAfterMs,
        state: stateAt(past, window.from),
        start: window.from
      })
      const { end, fed } = yield* feed(workspaceId, monitor, replay, window)
      const replayed = { from: window.from, to: end }
      return {
        monitorId: monitor.id,
        from: instant(window.from),
        to: instant(end),
        complete: end >= window.to,
        checks: fed,
        simulated: courseOf(summarize(replay.finish(end), replayed)),
        actual: courseOf(summarize(past, replayed))
      } satisfies Simulation
    }, Effect.scoped)

    return { simulate }
  })
}) {}
