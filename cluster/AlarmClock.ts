/** Wakes the actors whose alarms are due. Every runner takes a share; an alarm whose actor failed comes due again. */
import { Cause, DateTime, Duration, Effect, Layer, Option, Queue } from "effect"
import { fallbackPause } from "../src/domain/FallbackPause.ts"
import { makeOutage, reasonOf } from "../src/loops/Outage.ts"
import { restartForever } from "../src/loops/RestartForever.ts"
import { urgently } from "../src/loops/WorkLane.ts"
import { type Alarm, type AlarmKind, Alarms, alarmsSignal } from "../src/store/Alarms.ts"
import { DatabaseClock } from "../src/store/postgres/DatabaseClock.ts"
import type { AlarmHandler } from "./AlarmHandler.ts"
import { alarmKey, type ClaimedAlarm, makeClaimedAlarms } from "./ClaimedAlarms.ts"
import { componentAlarms } from "./component/ComponentAlarms.ts"
import { makeHeldShards } from "./HeldShards.ts"
import { incidentAlarms } from "./incident/IncidentAlarms.ts"
import { withEmptyContext } from "./MinimalContext.ts"
import { monitorAlarms } from "./monitor/MonitorAlarms.ts"
import { subscriberAlarms } from "./subscriber/SubscriberAlarms.ts"
import { wakeableLoop, wakeSignal } from "./WakeableLoop.ts"

/**
 * Asks at a time. Most actors hold a database connection for most of their turn, and other work needs connections, too; monitors
 * share the transactions of their turns, the more at a time the fewer.
 */
const asksAtOnce = { monitors: 64, others: 6 }
/** Shorter than an alarm's lease: after a timeout the runner may be gone, and the alarm comes due again. */
const wakeTimeout = "10 seconds"
/** The minimum pause: an alarm that another runner holds looks due and must not cause a busy loop. */
const shortestPause = Duration.millis(100)
/** A few failed asks are normal while a runner is replaced. */
const tolerated = 10
/** This many failures of the same actor in a row are not normal: that actor is broken. */
const tries = 3
/** Actors whose failures are counted. */
const mostFailing = 1000
/** A clock that goes back further than this was wrong before, not merely adjusted. */
const setBack = Duration.seconds(10)
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

/** Not a fiber per alarm behind a semaphore: each release would resume all fibers that wait for it. */
const startWorkers = (
  queue: Queue.Dequeue<ClaimedAlarm>,
  wake: (one: ClaimedAlarm) => Effect.Effect<void>,
  atOnce: number
) => {
  const worker = Queue.take(queue).pipe(Effect.flatMap(wake), Effect.forever)
  return Effect.replicateEffect(Effect.forkScoped(restartForever("Waking actors", worker)), atOnce, { discard: true })
}

export const AlarmClock = Layer.scopedDiscard(urgently(Effect.gen(function*() {
  const alarms = yield* Alarms
  const clock = yield* DatabaseClock
  const { part } = yield* makeHeldShards
  const handlers = {
    monitor: yield* monitorAlarms,
    component: yield* componentAlarms,
    incident: yield* incidentAlarms,
    subscriber: yield* subscriberAlarms
  } satisfies Record<AlarmKind, AlarmHandler>

  const signal = yield* wakeSignal(alarmsSignal)
  const failures = makeFailures()
  const queues = { monitors: yield* Queue.unbounded<ClaimedAlarm>(), others: yield* Queue.unbounded<ClaimedAlarm>() }
  const queueOf = ({ alarm }: ClaimedAlarm) => alarm.kind === "monitor" ? queues.monitors : queues.others
  const claimed = makeClaimedAlarms((one) => Queue.offer(queueOf(one), one), signal)
  let latest: DateTime.Utc | null = null

  const wake = (one: ClaimedAlarm) =>
    Effect.suspend(() => {
      if (!claimed.beginAsk(one)) return Effect.void
      const { alarm } = one
      return Effect.suspend(() => withEmptyContext(Effect.timeout(handlers[alarm.kind].wake(alarm), wakeTimeout))).pipe(
        Effect.zipRight(failures.worked(alarmKey(alarm))),
        Effect.catchAllCause((cause) => failures.failed(alarmKey(alarm), reasonOf(Cause.squash(cause)))),
        Effect.zipRight(claimed.release(one))
      )
    })

  yield* startWorkers(queues.monitors, wake, asksAtOnce.monitors)
  yield* startWorkers(queues.others, wake, asksAtOnce.others)

  const renew = Effect.gen(function*() {
    const held = claimed.held()
    const leases = held.map(({ alarm: { id, kind }, heldUntil }) => ({ kind, id, heldUntil }))
    const { heldUntil, kept } = yield* alarms.renew(yield* clock.now, leases)
    yield* claimed.renewed(held, new Set(kept.map(alarmKey)), heldUntil)
  }).pipe(Effect.delay(renewEvery), Effect.forever)
  yield* Effect.forkScoped(restartForever("Renewing the leases of alarms", renew))

  const handle = Effect.fn("AlarmClock.handle")(function*(kind: AlarmKind, due: ReadonlyArray<Alarm>) {
    for (const alarm of yield* handlers[kind].settleInBulk(due)) yield* claimed.add(alarm)
  })

  /** Claims the due alarms that there is room for, queues them for the workers, and returns the pause before the next step. */
  const step = Effect.gen(function*() {
    const longestPause = fallbackPause(part())
    const room = claimed.room()
    if (room <= 0) return longestPause
    const now = yield* clock.now
    if (latest !== null && DateTime.lessThan(now, DateTime.subtractDuration(latest, setBack))) yield* alarms.recall(now)
    latest = now
    const due = yield* alarms.claim(now, room)
    claimed.setCrowded(due.length === room)
    const kinds = new Set(due.map(({ kind }) => kind))
    yield* Effect.forEach(kinds, (kind) => handle(kind, due.filter((alarm) => alarm.kind === kind)), { discard: true })
    // If room came free meanwhile, its signal may already be consumed: continue without a pause.
    if (claimed.isCrowded()) return claimed.isHalfFull() ? longestPause : Duration.zero
    return Option.match(yield* alarms.nextDueAt, {
      onNone: () => longestPause,
      onSome: (at) =>
        Duration.clamp(Duration.millis(DateTime.distance(now, at)), { minimum: shortestPause, maximum: longestPause })
    })
  }).pipe(Effect.withSpan("AlarmClock.step"))

  yield* wakeableLoop("Waking actors that are due", step, signal)
})))
