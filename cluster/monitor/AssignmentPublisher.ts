/** Tells the probes and the actors of every edit of a monitor: works off the outbox, on one runner at a time. */
import { Singleton } from "@effect/cluster"
import { Array as Arr, Cause, Clock, Duration, Effect, Schedule, Stream } from "effect"
import type { MonitorId } from "../../schema/Ids.ts"
import { Bus, type BusUnavailable } from "../../src/bus/Bus.ts"
import { reasonOf } from "../../src/loops/Outage.ts"
import { persevere } from "../../src/loops/Persevere.ts"
import { unending } from "../../src/loops/Unending.ts"
import { Assignments, type MonitorKey, type OutboxLine } from "../../src/store/monitor/Assignments.ts"
import { assignmentsSignal } from "../../src/store/monitor/Monitors.ts"
import { Wakeups } from "../../src/store/postgres/Wakeups.ts"
import { entityId, MonitorEntity } from "./MonitorProtocol.ts"

const pageSize = 1000
const batchSize = 500
/** Shorter than a runner is given to answer before it counts as gone. */
const reloadTimeout = "10 seconds"
/** A line that failed is left to wait for so long, then for twice as long, and so on. */
const again = { first: Duration.toMillis("500 millis"), longest: Duration.toMillis("1 minute") }
/** Fewer failures of a line are a runner that is being replaced. */
const tolerated = 3

/** The lines that could not be worked off: the others do not wait for them. */
const makeHeldBack = () => {
  const lines = new Map<MonitorId, { readonly sequence: number; readonly times: number; readonly until: number }>()
  return {
    /** An edit that comes after has a line of its own, and is told at once. */
    at: (now: number): ReadonlyArray<number> =>
      [...lines.values()].flatMap(({ sequence, until }) => until > now ? [sequence] : []),
    worked: ({ monitorId }: OutboxLine): void => void lines.delete(monitorId),
    failed: ({ monitorId, sequence }: OutboxLine, reason: string): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const times = (lines.get(monitorId)?.times ?? 0) + 1
        lines.set(monitorId, { sequence, times, until: now + Math.min(again.longest, again.first * 2 ** (times - 1)) })
        return times === tolerated
          ? Effect.logError(
            `The last edit of monitor ${monitorId} could not be told ${times} times and is being tried again: ${reason}`
          )
          : Effect.void
      })
  }
}

export const AssignmentPublisher = Singleton.make(
  "AssignmentPublisher",
  Effect.gen(function*() {
    const bus = yield* Bus
    const assignments = yield* Assignments
    const wakeups = yield* Wakeups
    const monitor = yield* MonitorEntity.client
    const heldBack = makeHeldBack()

    const currentOf = (lines: ReadonlyArray<MonitorKey>) =>
      Effect.map(assignments.of(lines), (found) => ({
        unreadable: new Set(found.unreadable),
        assignments: new Map(found.assignments.map((assignment) => [assignment.monitorId, assignment]))
      }))

    /**
     * Sends what the rows say, and reads them once more: a runner that hung in between, and whose place another took, must
     * not leave what was true before as the last word. Returns those whose rows cannot be read: of them nothing is said, since
     * a monitor that is told to be gone is looked at no more.
     */
    const tell = (lines: ReadonlyArray<MonitorKey>): Effect.Effect<ReadonlySet<MonitorId>, BusUnavailable> =>
      Effect.gen(function*() {
        const { assignments: sent, unreadable } = yield* currentOf(lines)
        const readable = lines.filter(({ monitorId }) => !unreadable.has(monitorId))
        yield* bus.assign(readable.map(({ monitorId }) => ({ monitorId, assignment: sent.get(monitorId) ?? null })))
        const { assignments: now } = yield* currentOf(readable)
        const moved = readable.filter(({ monitorId }) => sent.get(monitorId)?.revision !== now.get(monitorId)?.revision)
        return moved.length === 0 ? unreadable : new Set([...unreadable, ...(yield* tell(moved))])
      })

    /** Everything once: a topic that is new or was lost is whole again, and what probes know already changes nothing. */
    const tellAll = (after: string): Effect.Effect<void> =>
      Effect.gen(function*() {
        const page = yield* assignments.page(after, pageSize)
        const unreadable = yield* tell(page)
        if (unreadable.size > 0) {
          yield* Effect.logError(`The settings of ${unreadable.size} monitors cannot be read: ${[...unreadable].join(", ")}`)
        }
        const last = page.at(-1)
        return page.length === pageSize ? last : undefined
      }).pipe(
        (page) => persevere("Telling the probes all assignments", page),
        Effect.flatMap((last) => last === undefined ? Effect.void : tellAll(last.monitorId))
      )

    /** The actor takes the edit over; a deleted monitor's checks go. */
    const settle = (line: OutboxLine) =>
      Effect.gen(function*() {
        yield* Effect.timeout(monitor(entityId(line.workspaceId, line.monitorId)).Reload(), reloadTimeout)
        if (!(yield* assignments.exists(line))) yield* assignments.forget(line)
        heldBack.worked(line)
        return true
      }).pipe(
        Effect.catchAllCause((cause) => Effect.as(heldBack.failed(line, reasonOf(Cause.squash(cause))), false))
      )

    const workOff: Effect.Effect<void> = Effect.gen(function*() {
      const lines = yield* assignments.waiting(batchSize, heldBack.at(yield* Clock.currentTimeMillis))
      if (lines.length === 0) return false
      const unreadable = yield* tell(lines)
      const [readable, puzzling] = Arr.partition(lines, ({ monitorId }) => unreadable.has(monitorId))
      yield* Effect.forEach(puzzling, (line) => heldBack.failed(line, "Its settings cannot be read"), { discard: true })
      yield* assignments.told(yield* Effect.filter(readable, settle, { concurrency: 32 }))
      return true
    }).pipe(
      (batch) => persevere("Telling the probes of edits", batch),
      Effect.flatMap((more) => more ? workOff : Effect.void)
    )

    const follow = wakeups.listen(assignmentsSignal).pipe(
      Stream.merge(Stream.repeatEffectWithSchedule(Effect.void, Schedule.spaced("2 seconds"))),
      Stream.buffer({ capacity: 1, strategy: "sliding" }),
      Stream.runForEach(() => workOff)
    )
    return yield* unending("Telling the probes", Effect.zipRight(tellAll(""), follow))
  })
)
