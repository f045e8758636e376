/**
 * Deliveries under way, of alerts and of broadcasts: each starts when it has a slot, and its result is handed on. Mails are no
 * configuration of it: they have one receiver, the mail server, with a few slots of its own.
 */
import { DateTime, Duration, Effect, Runtime, type Scope } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { DeliveryLimits } from "../../domain/alert/DeliveryLimits.ts"
import type { Lane } from "../../domain/tools/Lanes.ts"
import { makeSlotPool } from "../../domain/tools/SlotPool.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { type Job, makeDeliverySlots } from "./DeliverySlots.ts"
import type { KnownDeliveries } from "./KnownDeliveries.ts"
import { makeRunningTime } from "./RunningTime.ts"

/** How often the leases of long attempts are renewed. */
const renewEvery = Duration.seconds(5)
/** How often attempts are judged slow and hosts get their next deliveries. */
const tickEvery = Duration.millis(25)
/** Time to write a result before the lease expires, ms. */
const writingMs = 5000
/** The share of a worker that has lost its part of the work, so that the deliveries it holds still go. */
const smallestShare = 1 / 100
/** The share of the fast slots that must be free before a full worker claims again, so that claims come in batches. */
const worthClaiming = 1 / 8
/** Time limit for giving deliveries back at shutdown. If the database does not respond, their leases expire instead. */
const releaseLimit = "1 second"

/** Deliveries that were claimed together, and what belongs to all of them. */
interface Claimed<Delivery, Group> {
  readonly deliveries: ReadonlyArray<Delivery>
  readonly group: Group
}

interface Course<Delivery, Group> extends Job {
  readonly delivery: Delivery & Job["delivery"]
  readonly group: Group
  /** Monotonic ms after which an attempt could outlive the lease. */
  readonly startBy: number
  /** Monotonic ms after which its lease is renewed while its attempt lasts. */
  renewAt: number
  /** Its index among the held deliveries. */
  place: number
  abandon: () => void
}

/** The options that a worker passes on. */
export type WorkerOptions = Pick<EngineOptions<never, never, never, never>, "limits" | "share" | "timeoutMs" | "wake">

/** Starts an attempt. It calls `done` once, unless the returned function abandons it first. */
export type StartAttempt<Delivery, Result> = (delivery: Delivery, done: (result: Result) => void) => () => void

interface EngineOptions<Delivery, Group, Result, R> {
  /** The name in log lines: "deliveries". */
  readonly of: string
  readonly limits: DeliveryLimits
  /** This worker's part of the work of all, from 0 to 1: the parts of all workers together never exceed 1. */
  readonly share: () => number
  /** The limits of one attempt and of a lease, ms. */
  readonly timeoutMs: number
  readonly leaseMs: number
  /** How many attempts may start in one turn of the event loop, and how many when one ends. */
  readonly starts: { readonly perTurn: number; readonly perEnd: number }
  readonly hostOf: (delivery: Delivery) => string
  readonly known: KnownDeliveries<Delivery>
  /** Holds deliveries for another lease, because their attempts last long. */
  readonly renew: (courses: ReadonlyArray<{ readonly delivery: Delivery; readonly group: Group }>) => Effect.Effect<void>
  /** A delivery that finds no place waits at least so long, ms. */
  readonly shortestWaitMs: number
  /** Fibers of attempts end with the scope. */
  readonly attempts: Effect.Effect<StartAttempt<Delivery, Result>, never, R | Scope.Scope>
  readonly ended: (delivery: Delivery, result: Result, group: Group, isSlow: boolean) => void
  /** The delivery was not attempted, and is due again at that time. */
  readonly postponed: (delivery: Delivery, at: DateTime.Utc, group: Group) => void
  /** Writes all results; runs at shutdown. */
  readonly flush: Effect.Effect<unknown, unknown>
  readonly wake: Effect.Effect<void>
}

const nothing = (): void => {}

const courseOf = <Delivery extends Job["delivery"], Group>(
  delivery: Delivery,
  group: Group,
  host: string,
  lane: Lane,
  { renewAt, startBy }: Pick<Course<Delivery, Group>, "startBy" | "renewAt">
): Course<Delivery, Group> => ({
  delivery,
  group,
  host,
  startBy,
  renewAt,
  place: 0,
  abandon: nothing,
  lane,
  stage: "spread",
  moving: false,
  begun: 0
})

const makeHeld = <One extends { place: number }>() => {
  const pool = makeSlotPool<One>()
  let size = 0
  return {
    put: (one: One): void => {
      one.place = pool.put(one)
      size++
    },
    leave: ({ place }: One): void => {
      pool.free(place)
      size--
    },
    all: pool.all,
    size: () => size
  }
}

/** An attempt can end synchronously. The guard makes the loop start the next one; recursion would nest thousands deep. */
const makePump = <One>(next: () => One | undefined, start: (one: One) => void) => {
  let isStarting = false
  return (most: number): void => {
    if (isStarting) return
    isStarting = true
    for (let begun = 0; begun < most; begun++) {
      const one = next()
      if (one === undefined) break
      start(one)
    }
    isStarting = false
  }
}

/** The deliveries as plain state. `run` starts an attempt, and its caller calls `end` once. */
const makeCourses = <Delivery extends Job["delivery"], Group, Result>(
  options: Omit<EngineOptions<Delivery, Group, Result, never>, "attempts">,
  steady: () => number,
  estimate: () => number,
  run: (course: Course<Delivery, Group>) => () => void
) => {
  type One = Course<Delivery, Group>
  const { ended, hostOf, known, leaseMs, limits, postponed, share, shortestWaitMs, starts, timeoutMs } = options
  const partOf = (): number => Math.max(share(), smallestShare)
  // Read once for many deliveries.
  let part = partOf()
  const slots = makeDeliverySlots<One>(limits, () => part, (course) => crowdedOut(course))
  const held = makeHeld<One>()
  const time = makeRunningTime(steady)

  const postpone = (course: One, waitMs: number): void => {
    held.leave(course)
    known.forget(course.delivery)
    postponed(course.delivery, DateTime.unsafeMake(estimate() + waitMs), course.group)
  }
  const crowdedOut = (course: One): void => postpone(course, Math.max(slots.postpone(course, time.now()), shortestWaitMs))

  const pump = makePump(() => slots.next(time.now()), (course) => {
    if (steady() <= course.startBy) course.abandon = run(course)
    else {
      slots.end(course, time.now())
      postpone(course, 0)
    }
  })

  return {
    slots,
    size: held.size,
    admit: (claimed: ReadonlyArray<Claimed<Delivery, Group>>, lane: Lane, claimedAt: number): void => {
      if (held.size() === 0) time.restart()
      part = partOf()
      const times = { startBy: claimedAt + leaseMs - timeoutMs - writingMs, renewAt: claimedAt + leaseMs / 2 }
      for (const { deliveries, group } of claimed) {
        for (const delivery of deliveries) {
          if (!known.take(delivery)) {
            postponed(delivery, DateTime.unsafeMake(estimate() + leaseMs), group)
            continue
          }
          const course = courseOf(delivery, group, hostOf(delivery), lane, times)
          held.put(course)
          if (!slots.offer(course, time.now())) crowdedOut(course)
        }
      }
      pump(starts.perTurn)
    },
    end: (course: One, result: Result): void => {
      const isSlow = slots.end(course, time.now())
      held.leave(course)
      ended(course.delivery, result, course.group, isSlow)
      pump(starts.perEnd)
    },
    /** The attempts whose leases are to be renewed now. */
    renewing: (): ReadonlyArray<One> => {
      const now = steady()
      const due = held.all().filter(({ renewAt, stage }) => stage === "under_way" && renewAt <= now)
      for (const course of due) course.renewAt = now + leaseMs / 2
      return due
    },
    tick: (): void => {
      time.advance()
      part = partOf()
      slots.tick(time.now())
      pump(starts.perTurn)
    },
    release: (): void => {
      for (const course of held.all()) {
        course.abandon()
        postpone(course, 0)
      }
    }
  }
}

/** Ticks while there are deliveries; the latch starts it. */
const makeTicking = (of: string, courses: { readonly tick: () => void; readonly size: () => number }) =>
  Effect.gen(function*() {
    const busy = yield* Effect.makeLatch(false)
    const tick = Effect.sync(() => {
      courses.tick()
      if (courses.size() === 0) busy.unsafeClose()
    })
    yield* busy.await.pipe(
      Effect.zipRight(Effect.sleep(tickEvery)),
      Effect.zipRight(tick),
      Effect.forever,
      (loop) => restartForever(`Watching ${of}`, loop),
      Effect.forkScoped
    )
    return busy
  })

/** Attempts end with the scope; deliveries in flight are then due again immediately. */
export const makeDeliveryEngine = <Delivery extends { readonly workspaceId: WorkspaceId }, Group, Result, R>(
  options: EngineOptions<Delivery, Group, Result, R>
) =>
  Effect.gen(function*() {
    const database = yield* DatabaseClock
    const clock = yield* Effect.clock
    const runtime = yield* Effect.runtime<never>()
    const steady = (): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6
    let isCrowded = false

    const courses = makeCourses<Delivery, Group, Result>(options, steady, database.estimate, (course) =>
      attempt(course.delivery, (result) => {
        courses.end(course, result)
        if (!isCrowded || !hasRoom()) {
          return
        }
        isCrowded = false
        Runtime.runFork(runtime)(options.wake)
      }))
    const { slots } = courses
    /** Enough room is free to be worth a claim. */
    const hasRoom = (): boolean =>
      slots.room("fast") >= slots.size("fast") * worthClaiming

    // Also if nothing is held any more: the last results may not be written yet.
    yield* Effect.addFinalizer(() =>
      Effect.sync(courses.release).pipe(
        Effect.zipRight(options.flush),
        Effect.sandbox,
        Effect.ignore,
        Effect.disconnect,
        Effect.timeoutOption(releaseLimit)
      )
    )
    const attempt = yield* options.attempts

    const busy = yield* makeTicking(options.of, courses)
    yield* busy.await.pipe(
      Effect.zipRight(Effect.sleep(renewEvery)),
      Effect.zipRight(Effect.suspend(() => {
        const due = courses.renewing()
        return due.length === 0 ? Effect.void : options.renew(due)
      })),
      Effect.forever,
      (loop) =>
        restartForever(`Renewing the leases of ${options.of}`, loop),
      Effect.forkScoped
    )

    return {
      slots,
      /** Takes deliveries that were claimed at `claimedAt`, monotonic ms. */
      admit: (claimed: ReadonlyArray<Claimed<Delivery, Group>>, lane: Lane, claimedAt: number): void => {
        courses.admit(claimed, lane, claimedAt)
        if (courses.size() > 0) {
          busy.unsafeOpen()
        }
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
