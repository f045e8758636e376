/** Tells the probes and the actors of every edit of a monitor: works off the outbox, on one runner at a time. */
import { Singleton } from "@effect/cluster"
import { Effect, Schedule, Stream } from "effect"
import { Bus, type BusUnavailable } from "../src/bus/Bus.ts"
import { persevere } from "../src/bus/Persevere.ts"
import { Assignments, type MonitorKey, type OutboxLine } from "../src/store/Assignments.ts"
import { assignmentsChannel } from "../src/store/Monitors.ts"
import { Wakeups } from "../src/store/Wakeups.ts"
import { entityId, MonitorEntity } from "./monitor/MonitorProtocol.ts"

const pageSize = 1000
const batchSize = 500

export const AssignmentPublisher = Singleton.make(
  "AssignmentPublisher",
  Effect.gen(function*() {
    const bus = yield* Bus
    const assignments = yield* Assignments
    const wakeups = yield* Wakeups
    const monitor = yield* MonitorEntity.client

    const currentOf = (lines: ReadonlyArray<MonitorKey>) =>
      Effect.map(assignments.of(lines), (found) => new Map(found.map((assignment) => [assignment.monitorId, assignment])))

    /**
     * Sends what the rows say, and reads them once more: a runner that hung in between, and whose place another took, must
     * not leave what was true before as the last word.
     */
    const tell = (lines: ReadonlyArray<MonitorKey>): Effect.Effect<void, BusUnavailable> =>
      Effect.gen(function*() {
        const sent = yield* currentOf(lines)
        yield* bus.assign(lines.map(({ monitorId }) => ({ monitorId, assignment: sent.get(monitorId) ?? null })))
        const now = yield* currentOf(lines)
        const moved = lines.filter(({ monitorId }) => sent.get(monitorId)?.revision !== now.get(monitorId)?.revision)
        if (moved.length > 0) yield* tell(moved)
      })

    /** Everything once: a topic that is new or was lost is whole again, and what probes know already changes nothing. */
    const tellAll = (after: string): Effect.Effect<void> =>
      Effect.gen(function*() {
        const page = yield* assignments.page(after, pageSize)
        yield* tell(page)
        const last = page.at(-1)
        return page.length === pageSize ? last : undefined
      }).pipe(
        (page) => persevere("Telling the probes all assignments", page),
        Effect.flatMap((last) => last === undefined ? Effect.void : tellAll(last.monitorId))
      )

    /** The actor takes the edit over; a deleted monitor's checks go. */
    const settle = (line: OutboxLine) =>
      Effect.gen(function*() {
        yield* Effect.timeout(monitor(entityId(line.workspaceId, line.monitorId)).Reload(), "10 seconds")
        if (!(yield* assignments.exists(line))) yield* assignments.forget(line)
      })

    const workOff: Effect.Effect<void> = Effect.gen(function*() {
      const lines = yield* assignments.waiting(batchSize)
      if (lines.length === 0) return false
      yield* tell(lines)
      yield* Effect.forEach(lines, settle, { concurrency: 32, discard: true })
      yield* assignments.told(lines)
      return true
    }).pipe(
      (batch) => persevere("Telling the probes of edits", batch),
      Effect.flatMap((more) => more ? workOff : Effect.void)
    )

    yield* tellAll("")
    yield* wakeups.listen(assignmentsChannel).pipe(
      Stream.merge(Stream.repeatEffectWithSchedule(Effect.void, Schedule.spaced("2 seconds"))),
      Stream.buffer({ capacity: 1, strategy: "sliding" }),
      Stream.runForEach(() => workOff)
    )
  })
)
