/** Publishes every edit of a monitor to the probes and to its actor: drains the outbox, on one runner at a time. */
import { Singleton } from "@effect/cluster"
import { Array as Arr, Cause, Clock, Duration, Effect, Schedule, Stream } from "effect"
import type { MonitorId } from "../../schema/Ids.ts"
import { Bus, type BusUnavailable } from "../../src/bus/Bus.ts"
import { reasonOf } from "../../src/loops/Outage.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import { Assignments, type MonitorKey, type OutboxLine } from "../../src/store/monitor/Assignments.ts"
import { assignmentsSignal } from "../../src/store/monitor/Monitors.ts"
import { Wakeups } from "../../src/store/postgres/Wakeups.ts"
import { entityId, MonitorEntity } from "./MonitorProtocol.ts"

const pageSize = 1000
const batchSize = 500
/** Shorter than the time after which a silent runner counts as gone. */
const reloadTimeout = "10 seconds"
/** The pause before a failed line is tried again; it doubles with each failure. */
const backoff = { first: Duration.toMillis("500 millis"), longest: Duration.toMillis("1 minute") }
/** Fewer failures of a line are normal while a runner is replaced. */
const tolerated = 3

/** The lines that failed and wait for their next attempt, so that the others do not wait for them. */
const makeHeldBack = () => {
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

/** Publishes what the rows of some monitors say. */
const makePublish = Effect.gen(function*() {
  const bus = yield* Bus
  const assignments = yield* Assignments

  const currentOf = (lines: ReadonlyArray<MonitorKey>) =>
    Effect.map(assignments.of(lines), (found) => ({
      unreadable: new Set(found.unreadable),
      assignments: new Map(found.assignments.map((assignment) => [assignment.monitorId, assignment]))
    }))

  /**
   * Sends the rows and reads them again: a runner that hung in between and was replaced must not leave an old revision as the
   * last message. Returns the monitors whose rows cannot be read; nothing is published for those, because probes would stop
   * checking a monitor that is published as gone.
   */
  const publish = (lines: ReadonlyArray<MonitorKey>): Effect.Effect<ReadonlySet<MonitorId>, BusUnavailable> =>
    Effect.gen(function*() {
      const { assignments: sent, unreadable } = yield* currentOf(lines)
      const readable = lines.filter(({ monitorId }) => !unreadable.has(monitorId))
      yield* bus.assign(readable.map(({ monitorId }) => ({ monitorId, assignment: sent.get(monitorId) ?? null })))
      const { assignments: now } = yield* currentOf(readable)
      const moved = readable.filter(({ monitorId }) => sent.get(monitorId)?.revision !== now.get(monitorId)?.revision)
      return moved.length === 0 ? unreadable : new Set([...unreadable, ...(yield* publish(moved))])
    })
  return publish
})

export const AssignmentPublisher = Singleton.make(
  "AssignmentPublisher",
  Effect.gen(function*() {
    const assignments = yield* Assignments
    const wakeups = yield* Wakeups
    const monitor = yield* MonitorEntity.client
    const publish = yield* makePublish
    const heldBack = makeHeldBack()

    /** Publishes every assignment once, which repairs a topic that is new or was lost. Probes ignore what they already know. */
    const publishAll = (after: string): Effect.Effect<void> =>
      Effect.gen(function*() {
        const page = yield* assignments.page(after, pageSize)
        const unreadable = yield* publish(page)
        if (unreadable.size > 0) {
          yield* Effect.logError(`The settings of ${unreadable.size} monitors cannot be read: ${[...unreadable].join(", ")}`)
        }
        const last = page.at(-1)
        return page.length === pageSize ? last : undefined
      }).pipe(
        (page) => retryForever("Publishing all assignments", page),
        Effect.flatMap((last) => last === undefined ? Effect.void : publishAll(last.monitorId))
      )

    /** Has the actor reload the edit, and deletes the checks of a deleted monitor. */
    const settle = (line: OutboxLine) =>
      Effect.gen(function*() {
        yield* Effect.timeout(monitor(entityId(line.workspaceId, line.monitorId)).Reload(), reloadTimeout)
        if (!(yield* assignments.exists(line))) yield* assignments.forget(line)
        heldBack.worked(line)
        return true
      }).pipe(
        Effect.catchAllCause((cause) => Effect.as(heldBack.failed(line, reasonOf(Cause.squash(cause))), false))
      )

    const drainOutbox: Effect.Effect<void> = Effect.gen(function*() {
      const lines = yield* assignments.waiting(batchSize, heldBack.at(yield* Clock.currentTimeMillis))
      if (lines.length === 0) return false
      const unreadable = yield* publish(lines)
      const [readable, broken] = Arr.partition(lines, ({ monitorId }) => unreadable.has(monitorId))
      yield* Effect.forEach(broken, (line) => heldBack.failed(line, "Its settings cannot be read"), { discard: true })
      yield* assignments.told(yield* Effect.filter(readable, settle, { concurrency: 32 }))
      return true
    }).pipe(
      (batch) => retryForever("Publishing edits of monitors", batch),
      Effect.flatMap((more) => more ? drainOutbox : Effect.void)
    )

    const follow = wakeups.listen(assignmentsSignal).pipe(
      Stream.merge(Stream.repeatEffectWithSchedule(Effect.void, Schedule.spaced("2 seconds"))),
      Stream.buffer({ capacity: 1, strategy: "sliding" }),
      Stream.runForEach(() => drainOutbox)
    )
    return yield* restartForever("Publishing assignments", Effect.zipRight(publishAll(""), follow))
  })
)
