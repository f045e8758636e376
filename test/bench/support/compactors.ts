/** Compacts in several processes at a time, without the pauses that leave room for other work, and measures each. */
import { Effect, Layer, Redacted } from "effect"
import { fork } from "node:child_process"
import { CompactChecks, type Compacted } from "../../../src/store/check/CompactChecks.ts"
import { CompactionRounds } from "../../../src/store/check/CompactionRounds.ts"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"

/** The work of one process. */
interface Share {
  readonly moved: number
  readonly cpuMs: number
  readonly longestMs: number
}

const compactAll = Effect.gen(function*() {
  const compact = yield* CompactChecks
  const rounds = yield* CompactionRounds
  let [moved, longestMs] = [0, 0]
  for (let range = yield* rounds.claim; range !== null; range = yield* rounds.claim) {
    for (const { name } of range.isEnd ? [] : yield* compact.tables) {
      for (let next: string | null = range.first; next !== null;) {
        const from = performance.now()
        const done: Compacted | null = yield* compact.step(range, name, next, range.horizon)
        longestMs = Math.max(longestMs, performance.now() - from)
        moved += done?.rows ?? 0
        next = done?.next ?? null
      }
    }
    yield* rounds.complete(range)
  }
  return { moved, longestMs }
})

/** The life of one process: says that it is ready, waits for the start, compacts, and says what it did. */
export const compactInChild = async (address: string): Promise<void> => {
  const database = Database.layer(Redacted.make(address), { maxConnections: 2, applicationName: "belltower bench compactor" })
  const layers = Layer.mergeAll(CompactChecks.Default, CompactionRounds.Default).pipe(
    Layer.provideMerge(DatabaseClock.Default),
    Layer.provideMerge(database)
  )
  const started = new Promise<void>((resolve) => process.once("message", () => resolve()))
  await Effect.runPromise(
    Effect.gen(function*() {
      yield* Effect.flatMap(CompactChecks, ({ tables }) => tables)
      process.send?.("ready")
      yield* Effect.promise(() => started)
      const cpu = process.cpuUsage()
      const done = yield* compactAll
      const { system, user } = process.cpuUsage(cpu)
      process.send?.({ ...done, cpuMs: (system + user) / 1000 })
    }).pipe(Effect.provide(layers), Effect.scoped)
  )
  process.disconnect()
}

/** Runs so many processes of this program until all rows of the round are blocks. */
export const compactWith = async (count: number, address: string) => {
  const children = Array.from({ length: count }, () => fork(process.argv[1] ?? "", ["compact", address]))
  const next = (child: (typeof children)[number]) => new Promise<unknown>((resolve) => child.once("message", resolve))
  await Promise.all(children.map(next))
  const from = performance.now()
  const results = children.map(next)
  for (const child of children) child.send("start")
  const shares = (await Promise.all(results)) as ReadonlyArray<Share>
  return { shares, ms: performance.now() - from }
}
