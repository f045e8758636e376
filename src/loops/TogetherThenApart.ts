/** Processes items of many owners in groups; owners that fail are tried apart, and delay nobody else. */
import { Cause, Clock, Duration, Effect } from "effect"
import { type Group, makeTogetherThenApart, type TogetherLimits } from "../domain/tools/queues/TogetherThenApart.ts"
import { restartForever } from "./RestartForever.ts"

interface TogetherOptions<A> extends TogetherLimits<A> {
  /** The name of the loops in the log: "Storing pings". */
  readonly name: string
  /** Processes the items of a group, and returns those that failed. If it fails or dies, all of them did. */
  readonly work: (items: ReadonlyArray<A>, isApart: boolean) => Effect.Effect<ReadonlyArray<A>, unknown>
  /** Runs for items that were tried too often. */
  readonly gaveUp: (items: ReadonlyArray<A>, reason: unknown) => Effect.Effect<void>
  /** How long items wait for others to share their group. Default: not at all. */
  readonly linger?: Duration.DurationInput
  /** Groups of owners that failed under way at a time. Default: 1. */
  readonly apartAtOnce?: number
}

/** How long a group of many owners, or of those that are tried apart, waits for the locks of others, ms. */
export const lockPatience = (isApart: boolean): number => isApart ? 500 : 100

const leftUndone = "Their rows stayed locked"

/** In ms, by a clock that nobody sets back. */
const monotonic = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))

export const makeTogetherQueue = Effect.fnUntraced(function*<A>(options: TogetherOptions<A>) {
  const { apartAtOnce = 1, gaveUp, linger, name, rest, work } = options
  const turns = makeTogetherThenApart(options)
  const changed = { shared: Effect.unsafeMakeLatch(false), apart: Effect.unsafeMakeLatch(false) }
  const slots = Effect.unsafeMakeSemaphore(1 + apartAtOnce)

  const wake = (): void => {
    if (turns.hasShared()) changed.shared.unsafeOpen()
    if (turns.hasApart()) changed.apart.unsafeOpen()
  }

  const run = (group: Group<A>, isApart: boolean): Effect.Effect<void> =>
    Effect.flatMap(Effect.exit(work(group.items, isApart)), (exit) =>
      Effect.flatMap(monotonic, (now) => {
        const failed = exit._tag === "Failure"
        const givenUp = failed ? turns.failed(group, now) : turns.worked(group, exit.value, now)
        wake()
        return givenUp.length === 0 ? Effect.void : gaveUp(givenUp, failed ? Cause.squash(exit.cause) : leftUndone)
      }))

  const next = { shared: Effect.sync(turns.takeShared), apart: Effect.map(monotonic, turns.takeApart) }
  const lookAgain = Duration.millis(rest.first / 2)

  const step = (kind: "shared" | "apart", idle: Effect.Effect<void>) => {
    const one = Effect.flatMap(
      next[kind],
      (group) => group === null ? Effect.succeed(false) : Effect.as(run(group, kind === "apart"), true)
    )
    return Effect.flatMap(slots.withPermits(1)(one), (worked) => worked ? Effect.void : idle)
  }

  const news = changed.shared.await
  const shared = (linger === undefined ? news : Effect.zipRight(news, Effect.sleep(linger))).pipe(
    Effect.zipRight(step("shared", Effect.sync(() => void (turns.hasShared() || changed.shared.unsafeClose()))))
  )
  const rested = Effect.suspend(() => turns.hasApart() ? Effect.sleep(lookAgain) : changed.apart.close)
  const apart = Effect.zipRight(changed.apart.await, step("apart", rested))
  yield* Effect.forkScoped(restartForever(name, Effect.forever(shared)))
  yield* Effect.forkScoped(restartForever(`${name} of owners that failed`, Effect.forever(apart))).pipe(
    Effect.replicateEffect(apartAtOnce)
  )

  const flushShared = Effect.whileLoop({
    while: turns.hasShared,
    body: () => Effect.flatMap(next.shared, (group) => group === null ? Effect.void : run(group, false)),
    step: () => {}
  })
  const flushApart = Effect.suspend(() => {
    const groups: Array<Group<A>> = []
    for (let group = turns.takeApart(Infinity); group !== null; group = turns.takeApart(Infinity)) groups.push(group)
    return Effect.forEach(groups, (group) => run(group, true), { concurrency: apartAtOnce, discard: true })
  })

  return {
    /** Adds the newest item of its owner. Returns how many items were dropped for it. */
    add: (item: A): number => {
      const dropped = turns.add(item)
      wake()
      return dropped
    },
    waiting: turns.waiting,
    /** Waits for the groups under way, then processes all waiting items once, whether or not their owners have rested: at shutdown. */
    flush: slots.withPermits(1 + apartAtOnce)(Effect.all([flushShared, flushApart, flushShared], { discard: true }))
  }
})
