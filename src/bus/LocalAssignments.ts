/** The assignments of the in-process bus: each region's monitors go to the worker that subscribed first. */
import { Effect, Queue, Stream } from "effect"
import type { Assignment, AssignmentChange } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import type { MonitorId } from "../../schema/Ids.ts"
import { changedIn, ShareSignal } from "./Bus.ts"

/** The in-process bus has a single partition. */
const partition = 0

/** When a region's worker leaves, the next subscriber takes over. */
export const makeLocalAssignments = () => {
  const latest = new Map<MonitorId, Assignment>()
  const workers = new Map<RegionId, Array<Queue.Enqueue<ShareSignal>>>()

  const replay = (region: RegionId): ReadonlyArray<ShareSignal> => [
    ShareSignal.Owned({ partitions: new Set([partition]), total: 1 }),
    ...Array.from(latest, ([monitorId, assignment]) => changedIn(region, partition, { monitorId, assignment }))
  ]

  const send = (change: AssignmentChange) =>
    Effect.forEach(
      workers,
      ([region, [owner]]) => owner === undefined ? Effect.void : owner.offer(changedIn(region, partition, change))
    )

  const assign = (changes: ReadonlyArray<AssignmentChange>) =>
    Effect.forEach(changes, (change) => {
      if (change.assignment === null) latest.delete(change.monitorId)
      else latest.set(change.monitorId, change.assignment)
      return send(change)
    }, { discard: true }).pipe(Effect.withSpan("LocalBus.assign"))

  const join = (region: RegionId) =>
    Effect.gen(function*() {
      const queue = yield* Queue.unbounded<ShareSignal>()
      const others = workers.get(region) ?? []
      workers.set(region, [...others, queue])
      if (others.length === 0) yield* queue.offerAll(replay(region))
      else yield* queue.offer(ShareSignal.Owned({ partitions: new Set(), total: 1 }))
      return queue
    })

  const leave = (region: RegionId, queue: Queue.Queue<ShareSignal>) =>
    Effect.gen(function*() {
      const before = workers.get(region) ?? []
      const rest = before.filter((other) => other !== queue)
      workers.set(region, rest)
      const successor = rest[0]
      if (before[0] === queue && successor !== undefined) yield* successor.offerAll(replay(region))
      yield* queue.shutdown
    })

  const share = (region: RegionId) =>
    Stream.unwrapScoped(
      Effect.acquireRelease(join(region), (queue) => leave(region, queue)).pipe(
        Effect.map((queue) => Stream.fromQueue(queue))
      )
    )
  return { open: () => Effect.succeed(true), assign, partitions: Effect.succeed(new Map<RegionId, number>()), share }
}
