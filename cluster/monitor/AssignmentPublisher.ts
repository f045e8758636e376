/** Publishes edits and deletions of monitors to the probes and to their actors, on one runner at a time. Edits go first. */
import { Singleton } from "@effect/cluster"
import { Duration, Effect, FiberMap } from "effect"
import type { RegionId } from "../../schema/check/Region.ts"
import { Bus, type OneRegion, type PartitionCounts } from "../../src/bus/Bus.ts"
import { counted } from "../../src/domain/tools/text/Counted.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import { sharingWakes } from "../../src/loops/SharedWakes.ts"
import { withEmptyContext } from "../../src/loops/WorkPriority.ts"
import { wakeableLoop, wakeSignal } from "../../src/services/WakeableLoop.ts"
import { Regions } from "../../src/store/check/Regions.ts"
import { Assignments, type OutboxLine } from "../../src/store/monitor/Assignments.ts"
import { assignmentsSignal } from "../../src/store/monitor/Monitors.ts"
import { PublishedPartitions } from "../../src/store/monitor/PublishedPartitions.ts"
import { makePublishKeys } from "../probe/PublishKeys.ts"
import { makePublishAssignments, type PublishAssignments, type Republish } from "./PublishAssignments.ts"
import { makePublishByRegions } from "./PublishByRegions.ts"
import { makePublishEdits } from "./PublishEdits.ts"

/** Small, because an edit may have to wait for the batch that is being sent. */
const page = { lines: 200, bytes: 2 * 1024 * 1024 }
const deletionsAtOnce = 500
/** Edits that come this soon after others are published together. A single edit waits for nothing. */
const pace = "50 millis"
/** How soon edits whose signal was lost are found, and those that failed are tried again. */
const pollEvery = Duration.seconds(5)
/** Edits that never end must not stop the work behind them altogether. */
const longestWait = "5 seconds"
/** The pause between two looks at the topics of regions, to which the operator may add partitions. */
const lookEvery = Duration.seconds(30)
/** Longer than workers take to notice new partitions: until then only the old counts reach them. */
const emptyAfter = Duration.minutes(2)

/** Probes ignore assignments that they already know. `turn` completes when no edits wait. */
const makeRepublish = (publish: PublishAssignments, turn: Effect.Effect<void>) =>
  Effect.map(Assignments, (assignments): Republish => {
    const republish = (only: OneRegion | null, after: string): Effect.Effect<void> =>
      Effect.gen(function*() {
        const lines = yield* assignments.page(after, page, only?.region ?? null)
        // An edit takes its monitor out of the regions that it leaves, so none has to be emptied here.
        const unreadable = yield* publish(lines.map((line) => ({ ...line, formerRegions: [] })), only ?? undefined)
        if (unreadable.size > 0) {
          yield* Effect.logError(
            `The settings of ${counted(unreadable.size, "monitor")} cannot be read, so probes do not get them: ` +
              [...unreadable].join(", ")
          )
        }
        return lines.at(-1)
      }).pipe(
        (batch) =>
          Effect.zipRight(turn, retryForever(`Publishing all assignments${only === null ? "" : ` of ${only.region}`}`, batch)),
        Effect.flatMap((last) => last === undefined ? Effect.void : republish(only, last.monitorId))
      )
    return (only) => republish(only, "")
  })

/**
 * Keeps each assignment in one partition of each of its regions. Publishes all assignments when it starts, which repairs topics that
 * were lost, and those of a region whose topics are new or have more partitions: most monitors change partition, and the old
 * one must not keep an assignment that no edit or deletion reaches. A region whose topic takes no messages holds up no other.
 */
export const makeKeepPartitions = Effect.fnUntraced(function*(republish: Republish) {
  const bus = yield* Bus
  const published = yield* PublishedPartitions
  const regions = yield* Regions
  const work = yield* FiberMap.make<RegionId, void>()
  const openAll = Effect.flatMap(regions.known, Effect.forEach(({ id }) => bus.open(id), { discard: true }))
  const look = retryForever("Looking at the topics of assignments", Effect.zipRight(openAll, bus.partitions))
  const recorded = retryForever("Reading the partitions of assignments", published.recorded)
  const record = (now: PartitionCounts) => retryForever("Recording the partitions of assignments", published.record(now))

  const emptyOld = (region: RegionId, formerly: number) =>
    Effect.gen(function*() {
      yield* Effect.logInfo(`The assignments of ${region} have more partitions now; all are published again`)
      yield* Effect.sleep(emptyAfter)
      yield* republish({ region, formerly })
    })

  const keepRegion = (region: RegionId, count: number) =>
    Effect.gen(function*() {
      yield* republish({ region })
      const formerly = (yield* recorded).get(region)
      if (formerly === count) return
      if (formerly !== undefined) yield* emptyOld(region, formerly)
      yield* record(new Map([[region, count]]))
    })

  const keep = (kept: PartitionCounts): Effect.Effect<never> =>
    Effect.gen(function*() {
      const now = yield* look
      for (const region of kept.keys()) if (!now.has(region)) yield* FiberMap.remove(work, region)
      for (const [region, count] of now) {
        if (kept.get(region) !== count) yield* FiberMap.run(work, region, keepRegion(region, count))
      }
      yield* Effect.sleep(lookEvery)
      return now
    }).pipe(Effect.flatMap(keep))
  return Effect.zipRight(bus.publishKeys === null ? republish(null) : Effect.void, keep(new Map()))
})

/** Publishes which monitors are gone. Their actors need no message: without a row they commit nothing, and they end unused. */
const makePublishDeletions = (turn: Effect.Effect<void>) =>
  Effect.gen(function*() {
    const assignments = yield* Assignments
    const bus = yield* Bus
    const byRegions = yield* makePublishByRegions("Publishing deletions of monitors", (lines: ReadonlyArray<OutboxLine>) =>
      Effect.zipRight(
        bus.assign(lines.map(({ formerRegions, monitorId }) => ({ monitorId, assignment: null, left: formerRegions }))),
        assignments.published(lines)
      ))
    const batch = Effect.gen(function*() {
      const lines = yield* assignments.gone(deletionsAtOnce, yield* byRegions.except)
      if (lines.length > 0) {
        yield* byRegions.send(lines)
      }
      return lines.length > 0
    })
    const publishAll: Effect.Effect<void> = Effect.flatMap(
      Effect.zipRight(turn, retryForever("Publishing deletions of monitors", batch)),
      (more) =>
        more ? publishAll : Effect.void
    )
    return publishAll
  })

export const AssignmentPublisher = Singleton.make(
  "AssignmentPublisher",
  Effect.gen(function*() {
    const publish = yield* makePublishAssignments
    // Open while no edits wait; closed until the first look at them.
    const calm = yield* Effect.makeLatch(false)
    const turn = Effect.asVoid(Effect.timeoutOption(calm.await, longestWait))

    const following = (what: string, work: Effect.Effect<void>) =>
      Effect.flatMap(
        wakeSignal(assignmentsSignal),
        (signal) => wakeableLoop(what, Effect.as(withEmptyContext(Effect.zipLeft(work, Effect.sleep(pace))), pollEvery), signal)
      )

    const edits = yield* makePublishEdits(publish)
    const republish = yield* makeRepublish(publish, turn)
    const deletions = yield* makePublishDeletions(turn)
    yield* following("Publishing assignments", Effect.zipRight(calm.close, Effect.zipRight(edits, calm.open)))
    yield* following("Publishing deletions", deletions)
    yield* makePublishKeys(republish)
    return yield* restartForever("Publishing all assignments", Effect.scoped(Effect.flatten(makeKeepPartitions(republish))))
  }).pipe(Effect.scoped, sharingWakes)
)
