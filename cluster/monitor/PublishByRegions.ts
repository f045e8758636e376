/** Publishes lines of the outbox in groups for the same regions: one whose topic takes no messages holds up no other. */
import { Array as Arr, Cause, Clock, Duration, Effect, Fiber, FiberSet } from "effect"
import { makeOutage, type Outage, reasonOf } from "../../src/loops/Outage.ts"
import type { OutboxLine } from "../../src/store/monitor/Assignments.ts"

/** The next lines wait for a group so long. */
const longestWait = "5 seconds"
/** The pause before the lines of a group that failed are tried again. */
const pause = Duration.toMillis("5 seconds")

/** A group that is on its way or has failed, and the lines that wait for it. */
interface Group {
  readonly sequences: Set<number>
  readonly outage: Outage
  /** When it may be tried again, ms since 1970; infinite while it is on its way. */
  until: number
}

/** `publish` gets lines that go to the same regions. The groups end with the scope. */
export const makePublishByRegions = Effect.fnUntraced(function*<L extends OutboxLine>(
  what: string,
  publish: (lines: ReadonlyArray<L>) => Effect.Effect<void, unknown>
) {
  const groups = new Map<string, Group>()
  const fibers = yield* FiberSet.make<void>()
  const start = yield* FiberSet.runtime(fibers)<never>()

  const attempt = (regions: string, group: Group, lines: ReadonlyArray<L>) =>
    publish(lines).pipe(
      Effect.zipRight(Effect.suspend(() => {
        groups.delete(regions)
        return group.outage.worked
      })),
      Effect.catchAllCause((cause) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          group.until = now + pause
          return group.outage.failed(reasonOf(Cause.squash(cause)))
        })
      )
    )

  /** The fiber of a new group; null if the lines have to wait for an earlier one. */
  const begin = (now: number, regions: string, lines: ReadonlyArray<L>) => {
    const before = groups.get(regions)
    if (before !== undefined && before.until > now) {
      for (const { sequence } of lines) before.sequences.add(sequence)
      return null
    }
    const outage = before?.outage ?? makeOutage(`${what} in ${regions}`)
    const group: Group = { sequences: new Set(lines.map(({ sequence }) => sequence)), outage, until: Infinity }
    groups.set(regions, group)
    const fiber = start(attempt(regions, group, lines))
    return before === undefined ? fiber : null
  }

  return {
    /** The lines that are on their way, or wait for their regions. */
    except: Effect.map(
      Clock.currentTimeMillis,
      (now) => [...groups.values()].flatMap(({ sequences, until }) => until > now ? [...sequences] : [])
    ),
    /** Returns when the lines are published, or wait for their regions. */
    send: (lines: ReadonlyArray<L>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const byRegions = Object.entries(Arr.groupBy(lines, ({ regions }) => [...new Set(regions)].sort().join(", ")))
        const begun = byRegions.flatMap(([regions, theirs]) => begin(now, regions, theirs) ?? [])
        return Effect.asVoid(Effect.timeoutOption(Fiber.awaitAll(begun), longestWait))
      })
  }
})
