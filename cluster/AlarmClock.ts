/** Wakes the actors whose alarms are due: every runner takes a share, and an alarm that came to nothing comes again. */
import { Cause, DateTime, Duration, Effect, Layer, Option, Queue } from "effect"
import { makeOutage, reasonOf } from "../src/loops/Outage.ts"
import { unending } from "../src/loops/Unending.ts"
import { type Alarm, type AlarmKind, Alarms, alarmsSignal, longestPause } from "../src/store/Alarms.ts"
import { DatabaseClock } from "../src/store/postgres/DatabaseClock.ts"
import { componentWaker } from "./component/ComponentWaker.ts"
import { asking } from "./LeanContext.ts"
import { monitorWaker } from "./monitor/MonitorWaker.ts"
import { wakeableLoop, wakeSignal } from "./WakeableLoop.ts"
import type { Waker } from "./Waker.ts"

/** Alarms in hand at once; a burst beyond that waits in the table. */
const most = 1000
/** Each holds a connection of the pool for most of its time, and others need some, too. */
const asksAtOnce = 6
/** Shorter than an alarm is held: its runner may be gone, and then it comes again. */
const wakeTimeout = "10 seconds"
/** What is due and held by another runner is not asked for again at once. */
const shortestPause = Duration.millis(100)
/** A few failed asks are a runner that is being replaced. */
const tolerated = 10
/** A clock that goes back further than this was wrong before, not corrected by a little. */
const setBack = Duration.seconds(10)
/** So many of the same actor, one after another, are not: something is wrong with it, and it is as good as gone until then. */
const tries = 3
/** Actors whose failures are counted. */
const mostFailing = 1000

/** Where an alarm in hand is: what comes while its actor is at work may be too late for that turn. */
type Stage = "waiting" | "asked" | "asked, and due again"

const keyOf = (alarm: Alarm): string => `${alarm.kind}/${alarm.id}`

export const AlarmClock = Layer.scopedDiscard(Effect.gen(function*() {
  const alarms = yield* Alarms
  const clock = yield* DatabaseClock
  const wakers = {
    monitor: yield* monitorWaker,
    component: yield* componentWaker
  } satisfies Record<AlarmKind, Waker>

  const bell = yield* wakeSignal(alarmsSignal)
  const outage = makeOutage("Waking actors", tolerated)
  const held = new Map<string, Stage>()
  const failing = new Map<string, number>()
  const inHand = yield* Queue.unbounded<Alarm>()
  /** More was due than there was room for. */
  let crowded = false
  let latest: DateTime.Utc | null = null

  const letGo = (alarm: Alarm) =>
    Effect.suspend(() => {
      const isDueAgain = held.get(keyOf(alarm)) === "asked, and due again"
      if (isDueAgain) {
        held.set(keyOf(alarm), "waiting")
        return Queue.offer(inHand, alarm)
      }
      held.delete(keyOf(alarm))
      if (!crowded || held.size > most / 2) return Effect.void
      crowded = false
      return Queue.offer(bell, undefined)
    })

  const worked = (alarm: Alarm) =>
    Effect.suspend(() => {
      failing.delete(keyOf(alarm))
      return outage.worked
    })

  /** One actor that always fails among others that work is no outage, and must not go unnoticed. */
  const failed = (alarm: Alarm, reason: string) =>
    Effect.suspend(() => {
      const key = keyOf(alarm)
      const times = (failing.get(key) ?? 0) + 1
      if (failing.has(key) || failing.size < mostFailing) failing.set(key, times)
      const told = times === tries
        ? Effect.logWarning(`Waking ${key} has failed ${tries} times and is being tried again: ${reason}`)
        : Effect.void
      return Effect.zipRight(told, outage.failed(reason))
    })

  const wake = (alarm: Alarm) =>
    Effect.suspend(() => {
      held.set(keyOf(alarm), "asked")
      return asking(Effect.timeout(wakers[alarm.kind].wake(alarm), wakeTimeout))
    }).pipe(
      Effect.zipRight(worked(alarm)),
      Effect.catchAllCause((cause) => failed(alarm, reasonOf(Cause.squash(cause)))),
      Effect.zipRight(letGo(alarm))
    )

  // Not a fiber for each alarm behind a semaphore: that resumes all who wait for it whenever one leaves.
  const worker = Queue.take(inHand).pipe(Effect.flatMap(wake), Effect.forever)
  yield* Effect.replicateEffect(Effect.forkScoped(unending("Waking actors", worker)), asksAtOnce, { discard: true })

  const answer = Effect.fn("AlarmClock.answer")(function*(kind: AlarmKind, due: ReadonlyArray<Alarm>) {
    for (const alarm of yield* wakers[kind].sift(due)) {
      const key = keyOf(alarm)
      const stage = held.get(key)
      if (stage === "asked") held.set(key, "asked, and due again")
      if (stage !== undefined) continue
      held.set(key, "waiting")
      yield* Queue.offer(inHand, alarm)
    }
  })

  /** Takes what is due as far as there is room, has it answered, and returns how long to wait before the next step. */
  const step = Effect.gen(function*() {
    const room = most - held.size
    if (room <= 0) return longestPause
    const now = yield* clock.now
    if (latest !== null && DateTime.lessThan(now, DateTime.subtractDuration(latest, setBack))) yield* alarms.recall(now)
    latest = now
    const due = yield* alarms.claim(now, room)
    crowded = due.length === room
    const kinds = new Set(due.map(({ kind }) => kind))
    yield* Effect.forEach(kinds, (kind) => answer(kind, due.filter((alarm) => alarm.kind === kind)), { discard: true })
    // A ring that came in between, with room again, is not to be waited for.
    if (crowded) return held.size > most / 2 ? longestPause : Duration.zero
    return Option.match(yield* alarms.nextDueAt, {
      onNone: () => longestPause,
      onSome: (at) =>
        Duration.clamp(Duration.millis(DateTime.distance(now, at)), { minimum: shortestPause, maximum: longestPause })
    })
  }).pipe(Effect.withSpan("AlarmClock.step"))

  yield* wakeableLoop("Waking actors that are due", step, bell)
}))
