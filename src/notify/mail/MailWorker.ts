/** Sends the mails that are due: a few at a time, each until the mail server has taken it or it is of no use any more. */
import { DateTime, Effect, Option, Schedule } from "effect"
import { judgeMail } from "../../domain/alert/MailVerdict.ts"
import { type HeldMail, type MailOutcome, Mails } from "../../store/mail/Mails.ts"
import { makeLeasedWork } from "../LeasedWork.ts"
import { mails as mailCounter } from "../Metrics.ts"
import type { MailServer } from "./MailServer.ts"

const mostInFlight = 5

/** An outcome that cannot be written is tried for as long as the mail is surely still held. */
const untilLeaseEnds = { schedule: Schedule.spaced("1 second"), times: 30 }

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
    // The lease sees to what was not written back.
    Effect.catchAllCause(work, (cause) => Effect.logWarning(`Mail ${mail.id} could not be attempted`, cause)))

  return yield* makeLeasedWork<HeldMail>({
    name: "MailWorker",
    most: mostInFlight,
    recall: mails.recall,
    claim: mails.claim,
    nextDueAt: mails.nextDueAt,
    release: mails.release,
    attempt: deliver,
    onRoom
  })
})
