/** Takes check results off the bus: asks each monitor's actor at once, has the rows written in bulk after. */
import { Clock, Effect, Exit, Layer, Option, Schedule } from "effect"
import type { CheckResult } from "../schema/Bus.ts"
import type { Snapshot } from "../schema/Machine.ts"
import type { RegionId } from "../schema/Region.ts"
import { Bus } from "../src/bus/Bus.ts"
import { persevere } from "../src/bus/Persevere.ts"
import { type LastSeen, lonelyRegions } from "../src/domain/LonelyFailures.ts"
import { sightingOf } from "../src/domain/MonitorView.ts"
import type { CountedResult } from "../src/store/Checks.ts"
import { Regions } from "../src/store/Regions.ts"
import { CheckWriter } from "./CheckWriter.ts"
import { asking } from "./LeanContext.ts"
import { LiveChecks } from "./LiveChecks.ts"
import { AwakeActors } from "./monitor/AwakeActors.ts"
import { entityId, MonitorEntity, type Observed } from "./monitor/MonitorProtocol.ts"
import { RoundClock } from "./RoundClock.ts"

/** Looks older than this say nothing about a region's health, ms. */
const fresh = 180_000
/** Each ask under way holds memory that outlives the next collection of garbage; 32 keep a remote runner busy, too. */
const asksAtOnce = 32
/** An ask that takes longer is asked again: its runner may be gone. */
const patience = "15 seconds"

/** What a region saw last of a monitor; kept up to date in place, since each check brings a new one. */
interface Look {
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
  const monitor = yield* MonitorEntity.client

  const seen = new Map<string, Map<RegionId, Look>>()
  let lonely: ReadonlySet<RegionId> = new Set()

  const note = (result: CheckResult) => {
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
    const views: Iterable<LastSeen> = seen.values()
    const before = lonely
    lonely = lonelyRegions(views, now, fresh)
    const fallen = [...lonely].filter((region) => !before.has(region))
    return Effect.zipRight(
      Effect.when(regions.foundAlone(lonely), () => lonely.size > 0),
      fallen.length === 0 ? Effect.void : Effect.logWarning(
        `Region ${fallen.join(", ")} alone sees most of its targets fail: its results are kept, but not counted`
      )
    )
  })

  /** Asks until the actor has answered: the result stays in hand meanwhile. */
  const insist = <E>(question: Effect.Effect<Observed, E>): Effect.Effect<Observed> =>
    persevere("Asking a monitor", Effect.timeout(question, patience))

  const isTrusted = (result: CheckResult) => result.trusted && !lonely.has(result.region)

  const idOf = (result: CheckResult) => entityId(result.workspaceId, result.monitorId)

  const observe = (result: CheckResult) => monitor(idOf(result)).Observe(sightingOf(result, isTrusted(result)))
  const observeForSure = (result: CheckResult) => insist(observe(result))

  /**
   * Most checks change nothing, and most actors they are for are awake in this process: a loop serves those. What is left
   * takes a message, and so does what comes after it of the same monitor.
   */
  const takeIn = (batch: ReadonlyArray<CheckResult>, now: number, harvest: Harvest): ReadonlyArray<Line> => {
    const lines = new Map<string, Line>()
    for (const result of batch) {
      const line = lines.get(result.monitorId)
      const observed = line === undefined ? awake.takeIn(idOf(result), sightingOf(result, isTrusted(result)), now) : null
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
    const done = yield* Effect.forEach(lines, (line) => Effect.exit(askLine(line, harvest, observe)), { concurrency: asksAtOnce }).pipe(
      Effect.timeoutOption(patience),
      Effect.map(Option.exists((exits) => exits.every(Exit.isSuccess)))
    )
    if (done) return
    yield* Effect.forEach(lines, (line) => askLine(line, harvest, observeForSure), { concurrency: asksAtOnce, discard: true })
  })

  const handle = Effect.fnUntraced(function*(batch: ReadonlyArray<CheckResult>) {
    batch.forEach(note)
    const harvest = makeHarvest()
    const lines = takeIn(batch, yield* Clock.currentTimeMillis, harvest)
    if (lines.length > 0) yield* askLines(lines, harvest)
    yield* live.relay(harvest.counted)
    return yield* writer.add(harvest.counted, harvest.snapshots, harvest.moved())
  })

  const closeDue = Effect.gen(function*() {
    const due = yield* rounds.due
    const snapshots: Array<Snapshot> = []
    yield* Effect.forEach(
      due,
      (id) =>
        Effect.map(insist(monitor(id).CloseDue()), ({ snapshot }) => {
          if (snapshot !== null) snapshots.push(snapshot)
        }),
      { concurrency: 32, discard: true }
    )
    if (snapshots.length > 0) yield* writer.add([], snapshots, true)
  })

  yield* Effect.forkScoped(Effect.repeat(persevere("Judging the regions", judgeRegions), Schedule.spaced("5 seconds")))
  yield* Effect.forkScoped(Effect.repeat(closeDue, Schedule.spaced("500 millis")))
  yield* bus.results((batch) => asking(handle(batch)))
}))
