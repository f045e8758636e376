/**
 * Publishes the edits of monitors: each to the probes first, then to the monitor's actor. The actor of a new monitor starts with its
 * first check.
 */
import { Array as Arr, Cause, Clock, Duration, Effect, FiberSet } from "effect"
import type { MonitorId } from "../../schema/Ids.ts"
import { reasonOf } from "../../src/loops/Outage.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import { Assignments, type EditLine, type OutboxLine } from "../../src/store/monitor/Assignments.ts"
import { makeMonitorCalls } from "./MonitorCalls.ts"
import { entityId, MonitorEntity } from "./MonitorProtocol.ts"
import type { PublishAssignments } from "./PublishAssignments.ts"
import { makePublishByRegions } from "./PublishByRegions.ts"

const batch = { lines: 500, bytes: 4 * 1024 * 1024 }
/** Shorter than the time after which a silent runner counts as gone. */
const reloadTimeout = "10 seconds"
const reloadsAtOnce = 32
/** Lines whose actors have not answered, at most; beyond it, publishing waits for them. */
const mostUnanswered = 2000

/** The pause before a failed line is tried again; it doubles with each failure. */
const backoff = { first: Duration.toMillis("500 millis"), longest: Duration.toMillis("1 minute") }
/** Fewer failures of a line are normal while a runner is replaced. */
const tolerated = 3

/** The lines that failed and wait for their next attempt, so that the others do not wait for them. */
const makeHeldBackLines = () => {
  const lines = new Map<MonitorId, { readonly sequence: number; readonly times: number; readonly until: number }>()
  return {
    /** The sequence numbers held back at `now`. A later edit has a new number and is published immediately. */
    at: (now: number): ReadonlyArray<number> =>
      [...lines.values()].flatMap(({ sequence, until }) => until > now ? [sequence] : []),
    worked: ({ monitorId }: OutboxLine): void => void lines.delete(monitorId),
    failed: ({ monitorId, sequence }: OutboxLine, reason: string): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const times = (lines.get(monitorId)?.times ?? 0) + 1
        lines.set(monitorId, { sequence, times, until: now + Math.min(backoff.longest, backoff.first * 2 ** (times - 1)) })
        return times === tolerated
          ? Effect.logError(`Publishing the last edit of monitor ${monitorId} failed ${times} times; retrying: ${reason}`)
          : Effect.void
      })
  }
}

/** An effect that publishes all edits that wait. Edits do not wait for the actors of others, which may hang. */
export const makePublishEdits = Effect.fnUntraced(function*(publish: PublishAssignments) {
  const assignments = yield* Assignments
  const monitor = yield* MonitorEntity.client
  const calls = yield* makeMonitorCalls
  const heldBack = makeHeldBackLines()
  const room = yield* Effect.makeSemaphore(reloadsAtOnce)
  const unanswered = new Set<number>()
  const reloads = yield* FiberSet.make()
  const start = yield* FiberSet.runtime(reloads)<never>()

  const askActor = ({ monitorId, workspaceId }: EditLine) =>
    room.withPermits(1)(Effect.timeout(monitor(entityId(workspaceId, monitorId)).Reload(), reloadTimeout))
  /** Most edits change no state, and need no actor where the monitor is on this runner. */
  const ask = (line: EditLine) =>
    Effect.flatMap(
      Effect.timeout(calls.tryReload(line.workspaceId, line.monitorId), reloadTimeout),
      (isTaken) => isTaken ? Effect.void : askActor(line)
    )

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
      Effect.flatMap((done) => retryForever("Removing published edits", assignments.published(done))),
      Effect.ensuring(Effect.sync(() => lines.forEach(({ sequence }) => unanswered.delete(sequence))))
    )

  const byRegions = yield* makePublishByRegions(
    "Publishing edits of monitors",
    (lines: ReadonlyArray<EditLine>) =>
      Effect.gen(function*() {
        const unreadable = yield* publish(lines)
        const [readable, broken] = Arr.partition(lines, ({ monitorId }) => unreadable.has(monitorId))
        yield* Effect.forEach(broken, (line) => heldBack.failed(line, "Its settings cannot be read"), { discard: true })
        for (const { sequence } of readable) unanswered.add(sequence)
        start(settle(readable))
      })
  )

  const publishBatch = Effect.gen(function*() {
    const except = [...heldBack.at(yield* Clock.currentTimeMillis), ...yield* byRegions.except, ...unanswered]
    const lines = yield* assignments.waiting(batch, except)
    if (lines.length === 0) return false
    yield* byRegions.send(lines)
    if (unanswered.size > mostUnanswered) yield* FiberSet.awaitEmpty(reloads)
    return true
  })

  const publishAll: Effect.Effect<void> = Effect.flatMap(
    retryForever("Publishing edits of monitors", publishBatch),
    (more) => more ? publishAll : Effect.void
  )
  return publishAll
})
