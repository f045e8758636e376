/** Takes check results off the bus: asks each monitor's actor at once, has the rows written in bulk after. */
import { Cause, Clock, Effect, Exit, Layer, Option, Schedule } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import type { Snapshot } from "../../schema/monitor/Machine.ts"
import { Bus } from "../../src/bus/Bus.ts"
import { observationOf } from "../../src/domain/check/CheckView.ts"
import { isolatedRegions, type RegionOutcomes } from "../../src/domain/check/IsolatedRegions.ts"
import { makeOutage, reasonOf } from "../../src/loops/Outage.ts"
import { persevere } from "../../src/loops/Persevere.ts"
import { unending } from "../../src/loops/Unending.ts"
import type { CountedResult } from "../../src/store/check/Checks.ts"
import { Regions } from "../../src/store/check/Regions.ts"
import { asking } from "../LeanContext.ts"
import { AwakeActors } from "../monitor/AwakeActors.ts"
import { makeInsistentAsk } from "../monitor/InsistentAsk.ts"
import { entityId, MonitorEntity, type Observed } from "../monitor/MonitorProtocol.ts"
import { RoundClock } from "../monitor/RoundClock.ts"
import { CheckWriter } from "./CheckWriter.ts"
import { LiveChecks } from "./LiveChecks.ts"
import { RegionHealth } from "./RegionHealth.ts"

/** Looks older than this say nothing about a region's health, ms. */
const fresh = 180_000
/** Each ask under way holds memory that outlives the next collection of garbage; 32 keep a remote runner busy, too. */
const asksAtOnce = 32
/** An ask that takes longer is asked again: its runner may be gone. */
const askTimeout = "15 seconds"
/** An actor that could not close its round is asked again after this, ms. */
const askAgainAfter = 1000
/** A few failed asks are a runner that is being replaced. */
const toleratedFailures = 10

/** Of a check that its monitor cannot take in. */
const notCounted: Observed = { counted: false, moved: false, snapshot: null }

/** What a region saw last of a monitor; kept up to date in place, since each check brings a new one. */
interface LastSeen {
  outcome: CheckResult["outcome"]
  at: number
}

/** What came of a batch. */
const makeHarvest = () => {
  const counted: Array<CountedResult> = []
  const snapshots: Array<Snapshot> = []
  let moved = false
  const take = (result: CheckResult, observed: Observed): void => {
    counted.push({ result, counted: observed.counted })
    if (observed.snapshot !== null) snapshots.push(observed.snapshot)
    moved ||= observed.moved
  }
  return { counted, snapshots, moved: () => moved, take }
}
type Harvest = ReturnType<typeof makeHarvest>

/** Asks of one monitor, one after another in their order; those of different monitors go side by side. */
type Line = Array<CheckResult>

export const CheckConsumer = Layer.scopedDiscard(Effect.gen(function*() {
  const bus = yield* Bus
  const writer = yield* CheckWriter
  const rounds = yield* RoundClock
  const live = yield* LiveChecks
  const awake = yield* AwakeActors
  const regions = yield* Regions
  const health = yield* RegionHealth
  const scope = yield* Effect.scope
  const monitor = yield* MonitorEntity.client
  const insist = yield* makeInsistentAsk

  const seen = new Map<string, Map<RegionId, LastSeen>>()
  let isolated: ReadonlySet<RegionId> = new Set()
  const delivering = new Set<RegionId>()

  const note = (result: CheckResult) => {
    delivering.add(result.region)
    const regions = seen.get(result.monitorId)
    const before = regions?.get(result.region)
    if (before !== undefined) {
      before.outcome = result.outcome
      before.at = result.at
    } else if (regions !== undefined) regions.set(result.region, { outcome: result.outcome, at: result.at })
    else seen.set(result.monitorId, new Map([[result.region, { outcome: result.outcome, at: result.at }]]))
  }

  const judgeRegions = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    for (const [id, regions] of seen) {
      for (const [region, { at }] of regions) if (now - at > fresh) regions.delete(region)
      if (regions.size === 0) seen.delete(id)
    }
    const views: Iterable<RegionOutcomes> = seen.values()
    const before = isolated
    isolated = isolatedRegions(views, now, fresh)
    const fallen = [...isolated].filter((region) => !before.has(region))
    const delivered = [...delivering]
    delivering.clear()
    return Effect.all([
      Effect.when(regions.delivered(delivered), () => delivered.length > 0),
      Effect.when(regions.foundAlone(isolated), () => isolated.size > 0),
      fallen.length === 0 ? Effect.void : Effect.logWarning(
        `Region ${fallen.join(", ")} alone sees most of its targets fail: its results are kept, but not counted`
      )
    ], { discard: true })
  })

  const isTrusted = (result: CheckResult) => result.trusted && !isolated.has(result.region)

  const idOf = (result: CheckResult) => entityId(result.workspaceId, result.monitorId)

  const observe = (result: CheckResult) => monitor(idOf(result)).Observe(observationOf(result, isTrusted(result)))
  /** Asks until the actor has answered: the result stays in hand meanwhile. */
  const observeForSure = (result: CheckResult) =>
    Effect.map(insist(result.monitorId, observe(result)), Option.getOrElse(() => notCounted))

  /** What breaks here is to break alone, in the actor's own answer. */
  const takeInAtOnce = Option.liftThrowable((result: CheckResult, now: number) =>
    awake.takeIn(idOf(result), observationOf(result, isTrusted(result)), now)
  )

  /**
   * Most checks change nothing, and most actors they are for are awake in this process: a loop serves those. What is left
   * takes a message, and so does what comes after it of the same monitor.
   */
  const takeIn = (batch: ReadonlyArray<CheckResult>, now: number, harvest: Harvest): ReadonlyArray<Line> => {
    const lines = new Map<string, Line>()
    for (const result of batch) {
      const line = lines.get(result.monitorId)
      const observed = line === undefined ? Option.getOrNull(takeInAtOnce(result, now)) : null
      if (observed !== null) harvest.take(result, observed)
      else if (line !== undefined) line.push(result)
      else lines.set(result.monitorId, [result])
    }
    return [...lines.values()]
  }

  /** Takes the answered ones out of the line. One timeout for all lines: a timer for each would cost as much as an ask. */
  const askLine = <E>(line: Line, harvest: Harvest, ask: (result: CheckResult) => Effect.Effect<Observed, E>) =>
    Effect.forEach([...line], (result) =>
      Effect.map(ask(result), (observed) => {
        line.shift()
        harvest.take(result, observed)
      }), { discard: true })

  const askLines = Effect.fnUntraced(function*(lines: ReadonlyArray<Line>, harvest: Harvest) {
    const done = yield* Effect.forEach(lines, (line) => Effect.exit(askLine(line, harvest, observe)), { concurrency: asksAtOnce })
      .pipe(
        Effect.timeoutOption(askTimeout),
        Effect.map(Option.exists((exits) => exits.every(Exit.isSuccess)))
      )
    if (done) return
    yield* Effect.forEach(lines, (line) => askLine(line, harvest, observeForSure), { concurrency: asksAtOnce, discard: true })
  })

  const answer = Effect.fnUntraced(function*(batch: ReadonlyArray<CheckResult>, now: number) {
    batch.forEach(note)
    const harvest = makeHarvest()
    const lines = takeIn(batch, now, harvest)
    if (lines.length > 0) yield* askLines(lines, harvest)
    yield* live.relay(harvest.counted)
    return yield* writer.add(harvest.counted, harvest.snapshots, harvest.moved())
  })

  const handle = Effect.fnUntraced(function*(batch: ReadonlyArray<CheckResult>) {
    const now = yield* Clock.currentTimeMillis
    const done = health.takeInHand(batch, now)
    const putDown = Effect.map(Clock.currentTimeMillis, done)
    const written = yield* Effect.onError(answer(batch, now), () => putDown)
    // Whoever brought the batch may not wait for its end: its partition may be another's by then.
    return yield* Effect.as(Effect.forkIn(Effect.ensuring(written, putDown), scope), written)
  })

  const closing = makeOutage("Asking monitors to close their rounds", toleratedFailures)

  /** One that fails comes again: those of all other monitors are not to wait for it. */
  const close = (id: string) =>
    monitor(id).CloseDue().pipe(
      Effect.timeout(askTimeout),
      Effect.tap(closing.worked),
      Effect.map(({ counted, snapshot }) => counted ? snapshot : null),
      Effect.catchAllCause((cause) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          rounds.arm(id, now + askAgainAfter)
          return Effect.as(closing.failed(reasonOf(Cause.squash(cause))), null)
        })
      )
    )

  const closeDue = Effect.gen(function*() {
    const closed = yield* Effect.forEach(yield* rounds.due, close, { concurrency: asksAtOnce })
    const snapshots = closed.filter((snapshot) => snapshot !== null)
    if (snapshots.length > 0) yield* writer.add([], snapshots, true)
  })

  const keepJudging = Effect.repeat(persevere("Judging the regions", judgeRegions), Schedule.spaced("5 seconds"))
  yield* Effect.forkScoped(unending("Judging the regions", keepJudging))
  yield* Effect.forkScoped(unending("Closing rounds that are due", Effect.forever(Effect.delay(closeDue, "500 millis"))))
  yield* bus.results((batch) => asking(handle(batch)))
}))
