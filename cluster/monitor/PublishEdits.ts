/** Publishes the edits of monitors: each to the probes first, then to the monitor's actor. That of a new one starts with its first check. */
import { Array as Arr, Cause, Clock, Effect, FiberSet } from "effect"
import { reasonOf } from "../../src/loops/Outage.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import { Assignments, type EditLine } from "../../src/store/monitor/Assignments.ts"
import { makeHeldBackLines } from "./HeldBackLines.ts"
import { entityId, MonitorEntity } from "./MonitorProtocol.ts"
import type { PublishAssignments } from "./PublishAssignments.ts"

const batch = { lines: 500, bytes: 4 * 1024 * 1024 }
/** Shorter than the time after which a silent runner counts as gone. */
const reloadTimeout = "10 seconds"
const reloadsAtOnce = 32
/** Lines whose actors have not answered, at most; beyond it, publishing waits for them. */
const mostUnanswered = 2000

/** An effect that publishes all edits that wait. Edits do not wait for the actors of others, which may hang. */
export const makePublishEdits = Effect.fnUntraced(function*(publish: PublishAssignments) {
  const assignments = yield* Assignments
  const monitor = yield* MonitorEntity.client
  const heldBack = makeHeldBackLines()
  const room = yield* Effect.makeSemaphore(reloadsAtOnce)
  const unanswered = new Set<number>()
  const reloads = yield* FiberSet.make()
  const start = yield* FiberSet.runtime(reloads)<never>()

  const ask = (line: EditLine) =>
    room.withPermits(1)(Effect.timeout(monitor(entityId(line.workspaceId, line.monitorId)).Reload(), reloadTimeout))

  const reload = (line: EditLine) =>
    (line.isNew ? Effect.void : ask(line)).pipe(
      Effect.map(() => {
        heldBack.worked(line)
        return true
      }),
      Effect.catchAllCause((cause) => Effect.as(heldBack.failed(line, reasonOf(Cause.squash(cause))), false))
    )

  /** Has the actors load the edits, and removes the lines of those that did. */
  const settle = (lines: ReadonlyArray<EditLine>) =>
    Effect.filter(lines, reload, { concurrency: "unbounded" }).pipe(
      Effect.flatMap((done) => retryForever("Removing published edits", assignments.told(done))),
      Effect.ensuring(Effect.sync(() => lines.forEach(({ sequence }) => unanswered.delete(sequence))))
    )

  const publishBatch = Effect.gen(function*() {
    const except = [...heldBack.at(yield* Clock.currentTimeMillis), ...unanswered]
    const lines = yield* assignments.waiting(batch, except)
    if (lines.length === 0) return false
    const unreadable = yield* publish(lines)
    const [readable, broken] = Arr.partition(lines, ({ monitorId }) => unreadable.has(monitorId))
    yield* Effect.forEach(broken, (line) => heldBack.failed(line, "Its settings cannot be read"), { discard: true })
    for (const { sequence } of readable) unanswered.add(sequence)
    start(settle(readable))
    if (unanswered.size > mostUnanswered) yield* FiberSet.awaitEmpty(reloads)
    return true
  })

  const publishAll: Effect.Effect<void> = Effect.flatMap(
    retryForever("Publishing edits of monitors", publishBatch),
    (more) => more ? publishAll : Effect.void
  )
  return publishAll
})
