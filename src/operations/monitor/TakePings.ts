/** Stores pings in batches: pings that arrive during a write share the next one. Each is answered once stored. */
import { Cause, Effect, Exit, Schedule } from "effect"
import { liveChecksSignal } from "../../../schema/check/Check.ts"
import { type NotFound, type RateLimited, Unavailable } from "../../../schema/Errors.ts"
import { mask } from "../../../schema/Mask.ts"
import type { HeartbeatReceipt } from "../../../schema/monitor/Heartbeat.ts"
import type { PingReport } from "../../domain/monitor/job/JobSignal.ts"
import { maskUrls } from "../../domain/secret/UrlSecrets.ts"
import { byHalves } from "../../loops/ByHalves.ts"
import { makeOutage, reasonOf } from "../../loops/Outage.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { makeTogetherQueue } from "../../loops/TogetherThenApart.ts"
import { forCallers, urgently } from "../../loops/WorkPriority.ts"
import { makeCheckIds } from "../../probe/CheckIds.ts"
import { isTokenShaped } from "../../store/monitor/Heartbeats.ts"
import type { Ping } from "../../store/monitor/Ping.ts"
import { PingLog } from "../../store/monitor/PingLog.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { refusesContent } from "../../store/postgres/PostgresErrors.ts"
import { Signals } from "../../store/postgres/Signals.ts"
import { tokenHash } from "../../store/Vault.ts"
import { makeKeepListening } from "./KeepListening.ts"
import { type Answer, makePingAnswers, type PingAnswers, unknownToken, type Waiting } from "./PingAnswers.ts"
import { makeRefusedPings } from "./RefusedPings.ts"

/** Pings per SQL statement. */
const maxBatch = 1000
/** Above this the database is not keeping up; further pings get `unavailable`. */
const maxWaiting = 20_000
/** Characters of logs that wait with their pings; further pings are taken without. */
const mostWaitingLogs = 16 * 1024 * 1024
/** A transient failure, such as a database restart, is retried before the pings are rejected. */
const retries = Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(2))

const busy = Exit.fail(
  new Unavailable({ message: "Too many pings are waiting to be stored", hint: "Try again in a few seconds" })
)

/** The error of a ping that is not up and has no message. */
const unexplained = { up: null, degraded: "The job reported that it is degraded", down: "The job reported a failure" } as const

const errorOf = ({ message, signal, status = "up" }: PingReport): string | null => {
  if (status === "up") return null
  if (message) return maskUrls(message)
  const code = signal?.exitCode ?? 0
  return code === 0 ? unexplained[status] : `The job exited with code ${code}`
}

/** A job that traces its commands prints the address that it pings. */
const withoutToken = (report: PingReport, token: string): PingReport => {
  const { signal } = report
  if (signal === undefined || signal.log === null) return report
  return { ...report, signal: { ...signal, log: signal.log.replaceAll(token, mask) } }
}

/** Stores batches and answers their pings. Never fails: a batch that cannot be stored is answered with `unavailable`. */
const makeWrite = (answers: PingAnswers, mintId: ReturnType<typeof makeCheckIds>) =>
  Effect.gen(function*() {
    const log = yield* PingLog
    const signals = yield* Signals
    const clock = yield* DatabaseClock
    const outage = makeOutage("Storing pings")

    /** Sets the arrival time to now; used when the clock has jumped since the pings arrived. */
    const restamped = (batch: ReadonlyArray<Waiting>): ReadonlyArray<Waiting> => {
      const at = clock.estimate()
      return batch.map(({ answer, ping }) => ({ answer, ping: { ...ping, at, checkId: mintId(at, null) } }))
    }

    /** Each client gets an error: any of its pings may or may not be stored. The log gets one line per batch. */
    const refuse = (batch: ReadonlyArray<Waiting>, cause: Cause.Cause<unknown>) =>
      Effect.zipRight(outage.failed(reasonOf(Cause.squash(cause))), Effect.sync(() => answers.refuse(batch)))

    /** Returns the pings that wait because another transaction has locked their heartbeat's row, such as a plan. */
    const store = Effect.fn("TakePings.store")(function*(taken: ReadonlyArray<Waiting>, isApart: boolean) {
      const batch = clock.isDoubtful()
        ? yield* Effect.map(Effect.exit(Effect.timeout(clock.now, "1 second")), () => restamped(taken))
        : taken
      const now = clock.estimate()
      const pings = batch.map(({ ping }) => ping)
      const written = yield* log.write(pings, now, isApart).pipe(
        // A row locked by another transaction must not fail the other pings.
        Effect.catchAll((error) =>
          refusesContent(Cause.fail(error)) ? Effect.fail(error) : Effect.retry(log.write(pings, now, true), retries)
        ),
        Effect.exit
      )
      if (Exit.isFailure(written)) {
        if (refusesContent(written.cause)) return yield* Effect.failCause(written.cause)
        yield* refuse(batch, written.cause)
        return []
      }
      const isLocked = ({ ping }: Waiting) => written.value(ping.tokenHash)?.locked === true
      // Stored pings must not be stored again because of what follows.
      yield* Effect.catchAllCause(
        Effect.gen(function*() {
          yield* outage.worked
          const frames = answers.settle(batch.filter((one) => !isLocked(one)), written.value, now)
          yield* Effect.forEach(frames, (frame) => signals.send(liveChecksSignal, frame), { discard: true })
        }),
        (cause) => Effect.logError("A batch of pings was accepted but not answered", cause)
      )
      return taken.filter(isLocked)
    })

    const write = Effect.fn("TakePings.write")(function*(taken: ReadonlyArray<Waiting>, isApart: boolean) {
      const locked: Array<Waiting> = []
      // A ping that the database refuses must not fail the others.
      yield* byHalves(taken, {
        work: (part) => Effect.map(store(part, isApart), (waiting) => locked.push(...waiting)),
        isTheirFault: refusesContent,
        leaveOut: (one, cause) => refuse([one], cause)
      })
      return locked
    })
    return write
  })

export class TakePings extends Effect.Service<TakePings>()("belltower/TakePings", {
  scoped: Effect.gen(function*() {
    const clock = yield* DatabaseClock
    const mintId = makeCheckIds()
    const refused = makeRefusedPings()
    const answers = makePingAnswers(refused)
    const write = yield* makeWrite(answers, mintId)
    const queue = yield* makeTogetherQueue<Waiting>({
      name: "Storing pings",
      ownerOf: ({ ping }) => ping.tokenHash,
      work: (pings, isApart) => forCallers(write(pings, isApart)),
      mostInGroup: { items: maxBatch, ofOne: maxBatch },
      mostOwnersApart: maxBatch,
      rest: { first: 250, longest: 250 },
      // 10 seconds.
      mostTries: 40,
      gaveUp: (pings) => Effect.sync(() => answers.refuse(pings))
    })
    yield* Effect.forkScoped(urgently(restartForever("Recording that pings are accepted", yield* makeKeepListening(refused))))

    let waitingLogs = 0
    /** The ping with its log where there is room for it; the room is free again when the ping is answered. */
    const withRoom = (ping: Ping, answer: (answer: Answer) => void): Waiting => {
      const { signal } = ping
      const bytes = signal?.log?.length ?? 0
      if (signal === undefined || bytes === 0) return { ping, answer }
      if (waitingLogs + bytes > mostWaitingLogs) return { ping: { ...ping, signal: { ...signal, log: null } }, answer }
      waitingLogs += bytes
      return {
        ping,
        answer: (given) => {
          waitingLogs -= bytes
          answer(given)
        }
      }
    }

    const submitTo = (hash: string, report: PingReport, answer: (answer: Answer) => void): void => {
      const now = clock.estimate()
      const known = answers.known(hash, now)
      if (known !== null) return answer(known)
      const { durationMs: latencyMs = null, signal, status: outcome = "up" } = report
      const bare: Ping = { tokenHash: hash, checkId: mintId(now, null), at: now, outcome, latencyMs, error: errorOf(report) }
      const ping = signal === undefined ? bare : { ...bare, signal }
      if (queue.waiting() < maxWaiting) return void queue.add(withRoom(ping, answer))
      refused.keep(ping)
      answer(busy)
    }

    const submit = (token: string, report: PingReport, answer: (answer: Answer) => void): void => {
      if (!isTokenShaped(token)) return answer(unknownToken)
      submitTo(tokenHash(token).toString("hex"), withoutToken(report, token), answer)
    }

    return {
      /** Completes once the report is stored. Fails with `not_found`, and `rate_limited` above 120 pings a minute. */
      take: (token: string, report: PingReport): Effect.Effect<HeartbeatReceipt, NotFound | RateLimited | Unavailable> =>
        Effect.async((resume) => submit(token, report, resume)),
      /** Like `take` but without a fiber. */
      submit,
      /** Like `submit`, for the heartbeat whose token has this hash (hexadecimal). */
      submitTo
    }
  })
}) {}
