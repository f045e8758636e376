/** Turns the checks of each past hour into blocks, in small steps; every runner holds a range of monitors at a time. */
import { Cause, Clock, Duration, Effect, Layer } from "effect"
import { Counter } from "prom-client"
import { horizonOf, pauseAfter } from "../../src/domain/check/history/CompactionPace.ts"
import { repeatForever } from "../../src/loops/RestartForever.ts"
import { CompactChecks, type Compacted, type RowTable } from "../../src/store/check/CompactChecks.ts"
import { CompactionRounds, type HeldRange } from "../../src/store/check/CompactionRounds.ts"

const compactedRows = new Counter({
  name: "belltower_checks_compacted_total",
  help: "Rows of checks that were moved into blocks"
})

const brokenRows = new Counter({
  name: "belltower_checks_set_aside_total",
  help: "Rows of checks that could not be encoded, and are kept in checks_set_aside"
})

const reportBroken = (table: string, { broken }: Compacted) => {
  const [first] = broken
  if (first === undefined) return Effect.void
  brokenRows.inc(broken.length)
  const others = broken.length === 1 ? "" : ` (and ${broken.length - 1} more)`
  return Effect.logError(`Check ${first.id}${others} of ${table} cannot be compacted and was set aside: ${first.reason}`)
}

/** The table's rows in this range before `horizon` (ms; null for all). Returns their number; null if the range was lost. */
const makePass = Effect.map(
  CompactChecks,
  (compact) =>
    Effect.fnUntraced(function*(range: HeldRange, table: string, horizon: number | null) {
      let from: string | null = range.first
      let sum = 0
      while (from !== null) {
        const [took, done]: [Duration.Duration, Compacted | null] = yield* Effect.timed(compact.step(range, table, from, horizon))
        if (done === null) return null
        compactedRows.inc(done.rows)
        yield* reportBroken(table, done)
        sum += done.rows
        from = done.next
        if (from !== null) yield* Effect.sleep(pauseAfter(Duration.toMillis(took)))
      }
      return sum
    })
)

/** Compacts range after range until no range is free; the newest hours of a range come first. Returns how many rows moved. */
export const makeCompaction = Effect.gen(function*() {
  const compact = yield* CompactChecks
  const rounds = yield* CompactionRounds
  const pass = yield* makePass

  /** A partition that no check can come into any more is emptied and dropped. */
  const finish = Effect.fnUntraced(function*(range: HeldRange, { attached, name }: RowTable) {
    if (attached) yield* compact.detach(name)
    // Rows that came since the passes of the ranges.
    const rows = yield* pass(range, name, null)
    if (rows !== null) yield* compact.drop(name)
    return rows
  })

  /** Compacts a range of a table; the end range drops finished partitions. */
  const visit = (range: HeldRange, table: RowTable) => {
    if (!range.isEnd) return pass(range, table.name, range.horizon)
    if (table.end === null || table.end > range.horizon) return Effect.succeed(0)
    // The next round tries again to drop a partition in use.
    return Effect.catchAll(
      finish(range, table),
      (error) => Effect.as(Effect.logDebug(`Partition ${table.name} stays for now`, Cause.fail(error)), 0)
    )
  }

  const work = Effect.fnUntraced(function*(range: HeldRange) {
    let sum = 0
    for (const table of yield* compact.tables) {
      if ((table.start ?? -Infinity) >= range.horizon) continue
      const rows = yield* visit(range, table)
      if (rows === null) return sum
      sum += rows
    }
    yield* rounds.complete(range)
    return sum
  })

  return Effect.gen(function*() {
    yield* rounds.begin(horizonOf(yield* Clock.currentTimeMillis))
    let sum = 0
    for (let range = yield* rounds.claim; range !== null; range = yield* rounds.claim) sum += yield* work(range)
    return sum
  })
})

export const CheckCompactor = Layer.scopedDiscard(
  Effect.flatMap(makeCompaction, (compact) => Effect.forkScoped(repeatForever("Compacting checks", "1 minute", compact)))
)
