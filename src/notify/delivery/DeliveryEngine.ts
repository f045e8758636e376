/**
 * Deliveries under way, of alerts and of broadcasts: each starts when it has a slot, and its result is handed on. The queue of mails does
 * not use it: all mails have one receiver, the mail server, with a few slots of its own.
 */
import { Cause, Duration, Effect, Either, Runtime } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Lane } from "../../domain/tools/queues/Lanes.ts"
import { awaitEnd } from "../../loops/AwaitEnd.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { type EngineOptions, makeDeliveryRuns, release, renewedAt, withoutKnown } from "./DeliveryRuns.ts"

/** How often the leases of long attempts are renewed. */
const renewEvery = Duration.seconds(5)
/** How often attempts are judged slow and hosts get their next deliveries. */
const tickEvery = Duration.millis(25)
/** The share of the fast slots that must be free before a full worker claims again, so that claims come in batches. */
const worthClaiming = 1 / 8
/** Time limit for giving deliveries back at shutdown. If the database does not respond, their leases expire instead. */
const releaseLimit = "1 second"

/** The options that a worker passes on. */
export type WorkerOptions = Pick<EngineOptions<never, never, never>, "limits" | "share" | "timeoutMs" | "wake">

/** Ticks while there are deliveries; the latch starts it. */
const makeTicking = (
  of: string,
  runs: { readonly tick: () => void; readonly size: () => number },
  renew: Effect.Effect<void>
) =>
  Effect.gen(function*() {
    const busy = yield* Effect.makeLatch(false)
    const tick = Effect.sync(() => {
      runs.tick()
      if (runs.size() === 0) busy.unsafeClose()
    })
    const regularly = (what: string, every: Duration.Duration, work: Effect.Effect<void>) =>
      Effect.forkScoped(
        restartForever(what, Effect.forever(busy.await.pipe(Effect.zipRight(Effect.sleep(every)), Effect.zipRight(work))))
      )
    yield* regularly(`Watching ${of}`, tickEvery, tick)
    yield* regularly(`Renewing leases of ${of}`, renewEvery, renew)
    return busy
  })

/** Attempts end with the scope; deliveries in flight are then due again immediately. */
export const makeDeliveryEngine = <Delivery extends { readonly workspaceId: WorkspaceId }, Result, R>(
  options: EngineOptions<Delivery, Result, R>
) =>
  Effect.gen(function*() {
    const database = yield* DatabaseClock
    const clock = yield* Effect.clock
    const runtime = yield* Effect.runtime<never>()
    const steady = (): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6
    let isCrowded = false

    const runs = makeDeliveryRuns<Delivery, Result>(options, steady, database.estimate, (run, permits, done) => {
      let isDone = false
      const end = (result: Result): void => {
        isDone = true
        done(result)
        if (!isCrowded || !hasRoom()) {
          return
        }
        isCrowded = false
        Runtime.runFork(runtime)(options.wake)
      }
      return Either.getOrElse(Either.try(() => attempt(run.delivery, end, permits)), (error) => {
        Runtime.runFork(runtime)(
          Effect.logError(`The start of one of the ${options.of} failed with an internal error`, Cause.die(error))
        )
        if (!isDone) end(options.broken(run.delivery))
        return () => {}
      })
    })
    const { slots } = runs
    /** Enough room is free to be worth a claim. */
    const hasRoom = (): boolean => slots.room("fast") >= slots.size("fast") * worthClaiming

    // Flushes also if nothing is held any more: the last results may not be written yet.
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => release(runs, "all")).pipe(
        Effect.zipRight(options.flush),
        Effect.sandbox,
        Effect.ignore,
        Effect.disconnect,
        Effect.timeoutOption(releaseLimit)
      )
    )
    const attempt = yield* options.attempts
    yield* Effect.addFinalizer(() => Effect.zipRight(Effect.sync(() => release(runs, "waiting")), awaitEnd(runs.size)))

    const renew = Effect.suspend(() => {
      const due = renewedAt(runs.all(), steady(), options.leaseMs)
      return due.length === 0 ? Effect.void : options.renew(due)
    })
    const busy = yield* makeTicking(options.of, runs, renew)

    return {
      slots,
      /** Takes deliveries that were claimed at `claimedAt`, monotonic ms. */
      admit: (claimed: ReadonlyArray<Delivery>, lane: Lane, claimedAt: number): void => {
        runs.admit(withoutKnown(options, claimed, database.estimate()), lane, claimedAt)
        if (runs.size() > 0) busy.unsafeOpen()
      },
      hasRoom,
      /** More is due than there are slots: wakes the worker when there is room again. */
      awaitRoom: (): void => {
        isCrowded = true
      },
      /** Monotonic ms. */
      steady
    }
  })
