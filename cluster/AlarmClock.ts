/** Wakes the actors whose alarms are due. Every runner takes a share; an alarm whose actor failed comes due again. */
import { Cause, DateTime, Duration, Effect, Exit, Layer, Option, Queue } from "effect"
import { type AlarmSlotLimits, makeAlarmSlots } from "../src/domain/tools/queues/AlarmSlots.ts"
import { longestFallback } from "../src/domain/tools/time/FallbackPause.ts"
import { makeOutage, reasonOf } from "../src/loops/Outage.ts"
import { repeatForever, restartForever } from "../src/loops/RestartForever.ts"
import { urgently, withEmptyContext } from "../src/loops/WorkPriority.ts"
import { wakeableLoop } from "../src/services/WakeableLoop.ts"
import { AlarmClaims } from "../src/store/AlarmClaims.ts"
import { type Alarm, type AlarmKind, Alarms, alarmsSignal } from "../src/store/Alarms.ts"
import { DatabaseClock, makeSetBackWatch } from "../src/store/postgres/DatabaseClock.ts"
import { type AlarmHandler, makeAlarmHandlers } from "./AlarmHandlers.ts"
import { alarmKey, type ClaimedAlarm, makeClaimedAlarms } from "./ClaimedAlarms.ts"
import { DueWork } from "./DueWork.ts"

/** Asks at a time, of all and of one workspace. Monitors share transactions; other actors hold a connection for most of their turn. */
const asksAtOnce = { monitors: { slots: 192, mostPerOwner: 64 }, others: { slots: 6, mostPerOwner: 5 } }
/** Shorter than an alarm's lease: after a timeout the runner may be gone, and the alarm comes due again. */
const wakeTimeout = "10 seconds"
/** The minimum pause: an alarm that another runner holds looks due and must not cause a busy loop. */
const shortestPause = Duration.millis(100)
/** The pause between claims while more is due than a runner holds: a claim in turns of workspaces costs more than one by age. */
const crowdedPause = "200 millis"
/** A few failed asks are normal while a runner is replaced. */
const tolerated = 10
/** This many failures of the same actor in a row are not normal: that actor is broken. */
const tries = 3
const mostFailing = 1000
/** How often leases are renewed: three times within each, so that a long batch does not come due again. */
const renewEvery = "10 seconds"

/** Logs an outage of all actors, and each actor that keeps failing while the others work. */
const makeFailures = () => {
  const outage = makeOutage("Waking actors", tolerated)
  const failing = new Map<string, number>()
  return {
    worked: (key: string) =>
      Effect.suspend(() => {
        failing.delete(key)
        return outage.worked
      }),
    failed: (key: string, reason: string) =>
      Effect.suspend(() => {
        const times = (failing.get(key) ?? 0) + 1
        if (failing.has(key) || failing.size < mostFailing) failing.set(key, times)
        const logged = times === tries
          ? Effect.logWarning(`Waking ${key} failed ${tries} times; retrying: ${reason}`)
          : Effect.void
        return Effect.zipRight(logged, outage.failed(reason))
      })
  }
}

type Handlers = Record<AlarmKind, AlarmHandler>
type ClaimedAlarms = ReturnType<typeof makeClaimedAlarms>

const makeWake = (handlers: Handlers, claimed: ClaimedAlarms) => {
  const failures = makeFailures()
  const end = (one: ClaimedAlarm, answer: "locked" | void) =>
    answer === "locked" ? Effect.as(Effect.sync(() => claimed.postpone(one)), answer) : claimed.release(one)

  return (one: ClaimedAlarm) =>
    Effect.suspend(() => {
      if (!claimed.beginAsk(one)) return Effect.void
      const { alarm } = one
      return Effect.suspend(() => withEmptyContext(Effect.timeout(handlers[alarm.kind].wake(alarm), wakeTimeout))).pipe(
        Effect.tap(failures.worked(alarmKey(alarm))),
        Effect.catchAllCause((cause) => failures.failed(alarmKey(alarm), reasonOf(Cause.squash(cause)))),
        Effect.flatMap((answer) => end(one, answer))
      )
    })
}

/**
 * Workers that wake the actors of claimed alarms, in turns of workspaces. `wake` ends an alarm's turn; it answers "locked" when
 * the alarm must be tried again after a rest of its workspace.
 */
const makeAlarmWorkers = Effect.fnUntraced(function*(
  limits: AlarmSlotLimits,
  wake: (one: ClaimedAlarm) => Effect.Effect<"locked" | void>
) {
  const scope = yield* Effect.scope
  const slots = makeAlarmSlots<ClaimedAlarm>(limits)
  const begun = yield* Queue.unbounded<ClaimedAlarm>()
  const begin = (some: ReadonlyArray<ClaimedAlarm>) => Queue.offerAll(begun, some)

  const isUrgent = ({ alarm: { kind } }: ClaimedAlarm): boolean => kind === "incident"
  const offer = (one: ClaimedAlarm) => Effect.suspend(() => begin(slots.offer(one.alarm.workspaceId, one, isUrgent(one))))

  const postpone = (one: ClaimedAlarm) =>
    Effect.suspend(() => {
      const { workspaceId } = one.alarm
      const { begun: others, restMs } = slots.locked(workspaceId, one, isUrgent(one))
      const rested = Effect.suspend(() => begin(slots.rested(workspaceId)))
      const resting = restMs === null ? Effect.void : Effect.forkIn(Effect.delay(rested, Duration.millis(restMs)), scope)
      return Effect.zipRight(resting, begin(others))
    })

  // Not a fiber per alarm behind a semaphore: each release would resume all fibers that wait for it.
  const worker = Queue.take(begun).pipe(
    Effect.flatMap((one) =>
      Effect.flatMap(Effect.exit(wake(one)), (exit) =>
        Exit.isSuccess(exit) && exit.value === "locked"
          ? postpone(one)
          : Effect.suspend(() => begin(slots.worked(one.alarm.workspaceId, one))))
    ),
    Effect.forever
  )
  yield* Effect.replicateEffect(Effect.forkScoped(restartForever("Waking actors", worker)), limits.slots, { discard: true })
  return { offer }
})

/** Claims the due alarms that there is room for, by age or, if more are due, in turns of workspaces. */
const makeClaim = Effect.fnUntraced(function*(handlers: Handlers, claimed: ClaimedAlarms) {
  const claims = yield* AlarmClaims
  let isCrowded = false

  const handleKind = Effect.fn("AlarmClock.handle")(function*(kind: AlarmKind, due: ReadonlyArray<Alarm>) {
    for (const alarm of yield* handlers[kind].settleInBulk(due)) yield* claimed.add(alarm)
  })
  const handle = (due: ReadonlyArray<Alarm>) =>
    Effect.forEach(
      new Set(due.map(({ kind }) => kind)),
      (kind) => handleKind(kind, due.filter((alarm) => alarm.kind === kind)),
      { discard: true }
    )

  const claim = Effect.fn("AlarmClock.claim")(function*(now: DateTime.Utc) {
    if (!isCrowded) {
      const { alarms: due, isCrowded: isMore } = yield* claims.oldest(now, claimed.demand())
      yield* handle(due)
      if (!isMore) return
    }
    const inTurns = yield* claims.inTurns(now, claimed.demand())
    isCrowded = inTurns.isCrowded
    yield* handle(inTurns.alarms)
  })

  return { claim, isCrowded: () => isCrowded }
})

export const AlarmClock = Layer.scopedDiscard(urgently(Effect.gen(function*() {
  const alarms = yield* Alarms
  const clock = yield* DatabaseClock
  const handlers = yield* makeAlarmHandlers

  const signal = yield* (yield* DueWork).signal("alarms", alarmsSignal)
  const claimed = makeClaimedAlarms((one) => Effect.suspend(() => workersOf(one).offer(one)))
  const wasSetBack = makeSetBackWatch()

  const wake = makeWake(handlers, claimed)
  const workers = {
    monitors: yield* makeAlarmWorkers(asksAtOnce.monitors, wake),
    others: yield* makeAlarmWorkers(asksAtOnce.others, wake)
  }
  const workersOf = ({ alarm }: ClaimedAlarm) => alarm.kind === "monitor" ? workers.monitors : workers.others

  const renew = Effect.gen(function*() {
    const held = claimed.held()
    const leases = held.map(({ alarm: { id, kind }, heldUntil }) => ({ kind, id, heldUntil }))
    const { heldUntil, kept } = yield* alarms.renew(yield* clock.now, leases)
    claimed.renewed(held, new Set(kept.map(alarmKey)), heldUntil)
  })
  const renewing = repeatForever("Renewing the leases of alarms", renewEvery, renew)
  yield* Effect.forkScoped(Effect.delay(renewing, renewEvery))

  const { claim, isCrowded } = yield* makeClaim(handlers, claimed)

  /** Claims due alarms, queues them for the workers, and returns the pause before the next step. */
  const step = Effect.gen(function*() {
    // Not the returned pause: every change of an alarm would end it early.
    if (isCrowded()) yield* Effect.sleep(crowdedPause)
    const now = yield* clock.now
    if (wasSetBack(now)) yield* alarms.recall(now)
    yield* claim(now)
    if (isCrowded()) return Duration.zero
    return Option.match(yield* alarms.nextDueAt, {
      onNone: () => longestFallback,
      onSome: (at) =>
        Duration.clamp(Duration.millis(DateTime.distance(now, at)), { minimum: shortestPause, maximum: longestFallback })
    })
  }).pipe(Effect.withSpan("AlarmClock.step"))

  yield* wakeableLoop("Waking actors that are due", step, signal)
}))).pipe(Layer.provide(DueWork.Default))
