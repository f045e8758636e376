/** Sends the mails that are due: a few at a time, each until the mail server has taken it or it is of no use any more. */
import { DateTime, Duration, Effect, FiberSet, Option, Schedule } from "effect"
import type { MailId } from "../../schema/Ids.ts"
import { judgeMail } from "../domain/MailVerdict.ts"
import { type HeldMail, type MailOutcome, Mails } from "../store/Mails.ts"
import type { MailServer } from "./MailServer.ts"
import { mails as mailCounter } from "./Metrics.ts"

const mostInFlight = 5

/** However far ahead the next mail seems to be due, another process may have added one. */
const longestPause = Duration.seconds(5)

/** An outcome that cannot be written is tried for as long as the mail is surely still held. */
const untilLeaseEnds = { schedule: Schedule.spaced("1 second"), times: 30 }

/** For giving back what was in flight, when the database does not answer: the lease does it later. */
const releaseLimit = Duration.seconds(1)

export interface MailWorkerOptions {
  readonly server: NonNullable<MailServer["Type"]>
  /** Run whenever an attempt has ended: there is room for another. */
  readonly onRoom: Effect.Effect<void>
}

const results = { Sent: "sent", Again: "retry", Dead: "dead" } as const satisfies Record<MailOutcome["_tag"], string>

const tooLate: MailOutcome = { _tag: "Dead", error: "Too late: what it says is no longer valid" }
const empty: MailOutcome = { _tag: "Dead", error: "There is nothing in it any more" }

/** Attempts end with the scope; what was in flight then is due again at once. */
export const makeMailWorker = Effect.fn("MailWorker.make")(function*({ onRoom, server }: MailWorkerOptions) {
  const mails = yield* Mails
  const held = new Map<MailId, HeldMail>()
  yield* Effect.addFinalizer(() =>
    mails.release([...held.values()]).pipe(
      Effect.sandbox,
      Effect.ignore,
      Effect.disconnect,
      Effect.timeoutOption(releaseLimit),
      Effect.when(() => held.size > 0)
    )
  )
  const attempts = yield* FiberSet.make()

  const attempt = Effect.fn("MailWorker.attempt")(function*(mail: HeldMail) {
    const { expiresAt } = mail
    if (expiresAt !== null && DateTime.lessThanOrEqualTo(expiresAt, yield* DateTime.now)) return tooLate
    const content = yield* mails.contentOf(mail)
    if (Option.isNone(content)) return empty
    return yield* server.send(mail, content.value).pipe(
      Effect.as<MailOutcome>({ _tag: "Sent" }),
      Effect.catchTag("NotTaken", ({ failure }) =>
        Effect.gen(function*() {
          const verdict = judgeMail(failure, mail.attempts + 1, yield* DateTime.now, expiresAt)
          yield* Effect.logWarning(`Mail ${mail.id} was not sent: ${verdict.error}`)
          return verdict
        }))
    )
  })

  const deliver = Effect.fn("MailWorker.deliver")(function*(mail: HeldMail) {
    const outcome = yield* attempt(mail)
    yield* Effect.sync(() => mailCounter.inc({ result: results[outcome._tag] }))
    yield* mails.settle(mail, outcome, yield* DateTime.now).pipe(Effect.sandbox, Effect.retry(untilLeaseEnds))
  }, (work, mail) =>
    work.pipe(
      // The lease sees to what was not written back.
      Effect.catchAllCause((cause) => Effect.logWarning(`Mail ${mail.id} could not be attempted`, cause)),
      // Not when interrupted: what is still held then is given back.
      Effect.zipRight(Effect.sync(() => held.delete(mail.id))),
      Effect.zipRight(onRoom)
    ))

  /** Takes what is due as far as there is room, begins its attempts, and returns how long to wait before the next step. */
  const step = Effect.gen(function*() {
    const room = mostInFlight - held.size
    if (room <= 0) return longestPause
    const now = yield* DateTime.now
    yield* mails.recall(now)
    for (const mail of yield* mails.claim(now, room)) {
      held.set(mail.id, mail)
      yield* FiberSet.run(attempts, deliver(mail))
    }
    // What is due now and was not taken waits for room, not for time.
    const next = yield* mails.nextDueAt(now)
    return Option.match(next, {
      onNone: () => longestPause,
      onSome: (at) => Duration.min(longestPause, Duration.millis(DateTime.distance(now, at)))
    })
  }).pipe(Effect.withSpan("MailWorker.step"))

  return { step }
})
