/** Takes pings in: those that come while a write is under way go together in the next, and each is answered when it is stored. */
import { Cause, Effect, Exit, Queue, Schedule } from "effect"
import { Counter } from "prom-client"
import { frameOf } from "../../../cluster/check/LiveChecks.ts"
import { liveChecksSignal } from "../../../schema/check/LiveCheck.ts"
import { NotFound, RateLimited, Unavailable } from "../../../schema/Errors.ts"
import { instant } from "../../../schema/Fields.ts"
import type { HeartbeatInput, HeartbeatReceipt } from "../../../schema/monitor/Heartbeat.ts"
import { pingCause, pushedCheck } from "../../domain/monitor/Heartbeat.ts"
import { makeOutage, reasonOf } from "../../loops/Outage.ts"
import { unending } from "../../loops/Unending.ts"
import { makeCheckIds } from "../../probe/CheckIds.ts"
import { isTokenShaped } from "../../store/monitor/Heartbeats.ts"
import { Listening, listeningBeat } from "../../store/monitor/Listening.ts"
import { type Fate, type Ping, PingLog, pingsPerMinute } from "../../store/monitor/PingLog.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { Wakeups } from "../../store/postgres/Wakeups.ts"
import { tokenHash } from "../../store/Vault.ts"

/** Pings written in one statement. */
const mostInBatch = 1000
/** With so many waiting the database does not keep up, and a client does better to come back. */
const mostWaiting = 20_000
/** Tokens that are remembered, until the minute is over, to be nobody's. */
const mostUnknown = 10_000
/** A write that fails by chance, such as when the database restarts, is tried again before a ping is given up. */
const again = Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(2))

const minuteMs = 60_000

const pingsTaken = new Counter({
  name: "belltower_pings_total",
  help: "Pings of heartbeats, by what became of them",
  labelNames: ["fate"]
})

const unknownToken = new NotFound({
  message: "No heartbeat monitor has this token",
  hint: "GET /api/v1/monitors shows the pingUrl of each; a deleted monitor's token is gone"
})

const busy = new Unavailable({ message: "Too many pings wait to be written", hint: "Try again in a few seconds" })

const notStored = new Unavailable({ message: "The ping could not be stored", hint: "Send it again in a few seconds" })

const tooMany = (now: number): RateLimited => {
  const retryAfterSec = Math.max(1, Math.ceil((minuteMs - now % minuteMs) / 1000))
  return new RateLimited({
    message: `At most ${pingsPerMinute} pings a minute`,
    hint: `Try again in ${retryAfterSec} s`,
    details: { retryAfterSec }
  })
}

/** What is said of a ping that is not up and brought no message. */
const unexplained = { up: null, degraded: "The job reported that it is degraded", down: "The job reported a failure" } as const

/** What became of a ping. */
type Answer = Exit.Exit<HeartbeatReceipt, NotFound | RateLimited | Unavailable>

interface Waiting {
  readonly ping: Ping
  readonly answer: (answer: Answer) => void
}

/** What a workspace's live streams show of a ping. */
const liveFrame = (ping: Ping, { monitorId, workspaceId }: Fate): ReadonlyArray<string> =>
  monitorId === null || workspaceId === null ? [] : [frameOf({
    counted: true,
    result: {
      ...pushedCheck({ ...ping, monitorId, revision: 0, cause: pingCause(ping.outcome) }),
      workspaceId,
      timings: null,
      evidence: null
    }
  })]

export class Pings extends Effect.Service<Pings>()("belltower/Pings", {
  scoped: Effect.gen(function*() {
    const log = yield* PingLog
    const listening = yield* Listening
    const wakeups = yield* Wakeups
    const clock = yield* DatabaseClock
    const mintId = makeCheckIds()
    const queue = yield* Queue.unbounded<Waiting>()
    const outage = makeOutage("Storing pings")
    let waiting = 0

    // Of the present minute: what a flood of pings need not ask the database again.
    let minute = 0
    const spent = new Set<string>()
    const unknown = new Set<string>()
    const turnTo = (now: number) => {
      if (Math.floor(now / minuteMs) === minute) return
      minute = Math.floor(now / minuteMs)
      spent.clear()
      unknown.clear()
    }

    /** Answers the pings of a batch in their order: of each token, as many as were taken. */
    const settle = (batch: ReadonlyArray<Waiting>, fateOf: (tokenHash: string) => Fate | undefined, now: number) => {
      const left = new Map<string, number>()
      const frames: Array<string> = []
      for (const { answer, ping } of batch) {
        const fate = fateOf(ping.tokenHash)
        if (fate === undefined || fate.monitorId === null) {
          if (unknown.size < mostUnknown) unknown.add(ping.tokenHash)
          pingsTaken.inc({ fate: "unknown" })
          answer(Exit.fail(unknownToken))
          continue
        }
        if (fate.held) {
          pingsTaken.inc({ fate: "failed" })
          answer(Exit.fail(notStored))
          continue
        }
        const room = left.get(ping.tokenHash) ?? fate.taken
        left.set(ping.tokenHash, room - 1)
        if (room <= 0) {
          spent.add(ping.tokenHash)
          pingsTaken.inc({ fate: "limited" })
          answer(Exit.fail(tooMany(now)))
          continue
        }
        pingsTaken.inc({ fate: "stored" })
        if (fate.watched) frames.push(...liveFrame(ping, fate))
        answer(Exit.succeed({ ok: true, at: instant(ping.at) }))
      }
      return frames
    }

    /** Pings that were stamped by a clock that has jumped since: they came just now. */
    const restamped = (batch: ReadonlyArray<Waiting>): ReadonlyArray<Waiting> => {
      const at = clock.estimate()
      return batch.map(({ answer, ping }) => ({ answer, ping: { ...ping, at, checkId: mintId(at) } }))
    }

    const write = Effect.fn("Pings.write")(function*(taken: ReadonlyArray<Waiting>) {
      waiting -= taken.length
      const batch = clock.isDoubtful()
        ? yield* Effect.map(Effect.exit(Effect.timeout(clock.now, "1 second")), () => restamped(taken))
        : taken
      const now = clock.estimate()
      const pings = batch.map(({ ping }) => ping)
      const written = yield* log.write(pings, now).pipe(
        // One row that someone else does not let go must not cost the others theirs.
        Effect.catchAll(() => Effect.retry(log.write(pings, now, true), again)),
        Effect.exit
      )
      if (Exit.isFailure(written)) {
        // None of them is known to be stored, and each is told so; the log is told once, not once for each.
        yield* outage.failed(reasonOf(Cause.squash(written.cause)))
        pingsTaken.inc({ fate: "failed" }, batch.length)
        for (const { answer } of batch) answer(Exit.fail(notStored))
        return
      }
      yield* outage.worked
      const frames = settle(batch, written.value, now)
      yield* Effect.forEach(frames, (frame) => Effect.ignore(wakeups.notify(liveChecksSignal, frame)), { discard: true })
    })

    yield* Queue.takeBetween(queue, 1, mostInBatch).pipe(
      Effect.flatMap((batch) => write([...batch])),
      // Whatever went wrong with one batch, the next is to be taken.
      Effect.catchAllCause((cause) => Effect.logError("Pings were taken in but could not be answered", cause)),
      Effect.forever,
      (loop) => unending("Storing pings", loop),
      Effect.forkScoped
    )

    // While nobody says so, no heartbeat is ever late.
    const saying = makeOutage("Saying that pings are taken in", 3)
    const sayListening = Effect.all([listening.beat(), clock.now, saying.worked], { discard: true }).pipe(
      Effect.catchAllCause((cause) => saying.failed(reasonOf(Cause.squash(cause)))),
      Effect.repeat(Schedule.spaced(listeningBeat))
    )
    yield* Effect.forkScoped(unending("Saying that pings are taken in", sayListening))

    const submit = (
      token: string,
      { durationMs, message, status = "up" }: HeartbeatInput,
      answer: (answer: Answer) => void
    ): void => {
      if (!isTokenShaped(token)) return answer(Exit.fail(unknownToken))
      const hash = tokenHash(token).toString("hex")
      const now = clock.estimate()
      turnTo(now)
      if (unknown.has(hash)) return answer(Exit.fail(unknownToken))
      if (spent.has(hash)) return answer(Exit.fail(tooMany(now)))
      if (waiting >= mostWaiting) return answer(Exit.fail(busy))
      waiting++
      const error = status === "up" ? null : message || unexplained[status]
      queue.unsafeOffer({
        ping: { tokenHash: hash, checkId: mintId(now), at: now, outcome: status, latencyMs: durationMs ?? null, error },
        answer
      })
    }

    return {
      /**
       * Records what a job says of itself; done when it is stored. Fails with `not_found` for a token that no monitor has and
       * with `rate_limited` beyond 120 in a clock minute, counted over all processes.
       */
      take: (token: string, report: HeartbeatInput): Effect.Effect<HeartbeatReceipt, NotFound | RateLimited | Unavailable> =>
        Effect.async((resume) => submit(token, report, resume)),
      /** The same without a fiber, for the fast lane. */
      submit
    }
  })
}) {}
