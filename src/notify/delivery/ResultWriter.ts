/**
 * Writes the results of attempts in bulk, those of many workspaces together. A workspace whose rows somebody has locked, such as a plan
 * or its deletion, waits apart and holds up nobody else's results.
 */
import { Array as Arr, Cause, Effect, Queue, Schedule } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { isLockNotAvailable } from "../../store/postgres/LockNotAvailable.ts"

/** How long results wait for others. */
const linger = "20 millis"
/** How long a write waits for locks, ms: of many workspaces, and of one. */
const patience = { together: 100, apart: 500 } as const
/** The pause of a workspace whose rows are locked. */
const rest = "1 second"
/** How often writing is tried: for as long as the leases certainly last. */
const tries = 15
/** How many workspaces are written apart at a time. */
const concurrency = 4

export interface ResultWriter<A> {
  readonly add: (result: A) => void
  /** Writes the waiting results now. Returns after writes that are under way: at shutdown, they would end with their loop. */
  readonly flush: Effect.Effect<void>
}

interface ResultsOf<A> {
  /** The name of the results in the log: "deliveries". */
  readonly of: string
  readonly workspaceOf: (result: A) => WorkspaceId
  /** Fails, or dies, if it waits for a lock for longer than `patienceMs`; then nothing is written. */
  readonly write: (results: ReadonlyArray<A>, patienceMs: number) => Effect.Effect<void, unknown>
}

interface Locked<A> {
  results: Array<A>
  tried: number
}

// The leases expire, and the deliveries are attempted again.
const giveUp = (of: string, results: ReadonlyArray<unknown>, cause: Cause.Cause<unknown>) =>
  Effect.logWarning(`Results of ${results.length} ${of} not written; they are repeated after their lease`, cause)

/** Whether they are done with; false if somebody has locked rows. */
const makeTryToWrite =
  <A>({ of, write }: ResultsOf<A>) => (results: ReadonlyArray<A>, patienceMs: number): Effect.Effect<boolean> => {
    const isLocked = (cause: Cause.Cause<unknown>) => isLockNotAvailable(Cause.squash(cause))
    return write(results, patienceMs).pipe(
      Effect.sandbox,
      Effect.retry({ schedule: Schedule.spaced(rest), times: tries, while: (cause) => !isLocked(cause) }),
      Effect.as(true),
      Effect.catchAll((cause) => isLocked(cause) ? Effect.succeed(false) : Effect.as(giveUp(of, results, cause), true))
    )
  }

export const makeResultWriter = Effect.fnUntraced(function*<A>(options: ResultsOf<A>) {
  const { of, workspaceOf } = options
  const tryToWrite = makeTryToWrite(options)
  const signal = yield* Queue.sliding<void>(1)
  const someLocked = Effect.unsafeMakeLatch(false)
  const oneWrite = Effect.unsafeMakeSemaphore(1).withPermits(1)
  const oneRound = Effect.unsafeMakeSemaphore(1).withPermits(1)
  const locked = new Map<WorkspaceId, Locked<A>>()
  let waiting: Array<A> = []

  const add = (result: A): void => {
    waiting.push(result)
    Queue.unsafeOffer(signal, undefined)
  }

  const writeApart = (results: Arr.NonEmptyReadonlyArray<A>) =>
    Effect.map(tryToWrite(results, patience.apart), (isDone) => {
      if (isDone) return
      locked.set(workspaceOf(results[0]), { results: [...results], tried: 1 })
      someLocked.unsafeOpen()
    })

  const writePrompt = oneWrite(Effect.suspend(() => {
    const prompt: Array<A> = []
    for (const result of waiting) (locked.get(workspaceOf(result))?.results ?? prompt).push(result)
    waiting = []
    if (prompt.length === 0) return Effect.void
    return Effect.flatMap(
      tryToWrite(prompt, patience.together),
      (isDone) =>
        isDone
          ? Effect.void
          : Effect.forEach(Object.values(Arr.groupBy(prompt, workspaceOf)), writeApart, { concurrency, discard: true })
    )
  }))

  const tryAgain = ([workspaceId, one]: readonly [WorkspaceId, Locked<A>]) =>
    Effect.gen(function*() {
      const { results } = one
      one.results = []
      const isDone = yield* tryToWrite(results, patience.apart)
      if (!isDone && ++one.tried < tries) {
        one.results.unshift(...results)
        return
      }
      if (!isDone) yield* giveUp(of, results, Cause.fail("Somebody has locked their rows"))
      locked.delete(workspaceId)
      one.results.forEach(add)
    })
  const tryLocked = oneRound(Effect.suspend(() => {
    if (locked.size === 0) someLocked.unsafeClose()
    return Effect.forEach([...locked], tryAgain, { concurrency, discard: true })
  }))

  const loop = Queue.take(signal).pipe(Effect.zipRight(Effect.sleep(linger)), Effect.zipRight(writePrompt), Effect.forever)
  yield* Effect.forkScoped(restartForever(`Writing results of ${of}`, loop))
  const again = someLocked.await.pipe(Effect.zipRight(Effect.sleep(rest)), Effect.zipRight(tryLocked), Effect.forever)
  yield* Effect.forkScoped(restartForever(`Writing results of ${of} of locked workspaces`, again))

  // `tryLocked` returns new results of workspaces that are free again to the prompt ones.
  const writer: ResultWriter<A> = { add, flush: Effect.all([writePrompt, tryLocked, writePrompt], { discard: true }) }
  return writer
})
