/** Sends due mails, a few at a time, urgent ones first. Each is retried until the mail server accepts it, rejects it for good, or it expires. */
import { DateTime, Effect, Option, Schedule } from "effect"
import { judgeMail } from "../../domain/alert/MailVerdict.ts"
import { mailSlots } from "../../domain/mail/MailSlots.ts"
import { type HeldMail, type MailOutcome, MailQueue } from "../../store/mail/MailQueue.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makeLeasedWork } from "../LeasedWork.ts"
import { mails as mailCounter } from "../Metrics.ts"
import type { MailServer } from "./MailServer.ts"

/** Writing an outcome is retried for as long as the lease certainly lasts. */
const untilLeaseEnds = { schedule: Schedule.spaced("1 second"), times: 30 }

export interface MailWorkerOptions {
  readonly server: MailServer["Type"]
  /** Runs after each attempt, when a slot is free again. */
  readonly onRoom: Effect.Effect<void>
}

const results = { Sent: "sent", Again: "retry", Dead: "dead" } as const satisfies Record<MailOutcome["_tag"], string>

const tooLate: MailOutcome = { _tag: "Dead", error: "Expired before it could be sent" }
const noServer = { responseCode: null, command: null, reason: "No mail server is set" } as const
const empty: MailOutcome = { _tag: "Dead", error: "The content has been deleted" }

/** Attempts end with the scope; mails in flight are then due again immediately. */
export const makeMailWorker = Effect.fn("MailWorker.make")(function*({ onRoom, server }: MailWorkerOptions) {
  const mails = yield* Mails
  const queue = yield* MailQueue
  const clock = yield* DatabaseClock
  const now = Effect.sync(() => DateTime.unsafeMake(clock.estimate()))

  const attempt = Effect.fn("MailWorker.attempt")(function*(mail: HeldMail) {
    const { expiresAt } = mail
    if (expiresAt !== null && DateTime.lessThanOrEqualTo(expiresAt, yield* now)) return tooLate
    const content = yield* mails.contentOf(mail)
    if (Option.isNone(content)) return empty
    const current = yield* server
    // It was removed since the claim.
    if (current === null) return judgeMail(noServer, mail.attempts + 1, yield* now, expiresAt)
    return yield* current.sendQueued(mail, content.value).pipe(
      Effect.as<MailOutcome>({ _tag: "Sent" }),
      Effect.catchTag("SendFailed", ({ failure }) =>
        Effect.gen(function*() {
          const verdict = judgeMail(failure, mail.attempts + 1, yield* now, expiresAt)
          yield* Effect.logWarning(`Mail ${mail.id} failed: ${verdict.error}`)
          return verdict
        }))
    )
  })

  const deliver = Effect.fn("MailWorker.deliver")(function*(mail: HeldMail) {
    const outcome = yield* attempt(mail)
    yield* Effect.sync(() => mailCounter.inc({ result: results[outcome._tag] }))
    yield* queue.settle(mail, outcome, yield* now).pipe(Effect.sandbox, Effect.retry(untilLeaseEnds))
  }, (work, mail) =>
    // After the lease expires, the mail is attempted again.
    Effect.catchAllCause(work, (cause) =>
      Effect.logWarning(`Mail ${mail.id} failed with an internal error; it is retried after its lease expires`, cause)))

  return yield* makeLeasedWork<HeldMail>({
    name: "MailWorker",
    maxInFlight: mailSlots,
    recall: queue.recall,
    claim: (now, held) =>
      Effect.flatMap(
        server,
        (current) => current === null ? Effect.succeed([]) : queue.claim(now, held.map(({ priority }) => priority))
      ),
    nextDueAt: queue.nextDueAt,
    release: queue.release,
    attempt: deliver,
    onRoom
  })
})
