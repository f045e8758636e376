/**
 * Sends due mails, a few at a time, urgent ones first. Each is retried until the mail server accepts it, rejects it for good, or
 * it expires.
 */
import { DateTime, Duration, Effect, FiberSet, Option, Schedule } from "effect"
import { judgeMail } from "../../domain/alert/DeliveryVerdict.ts"
import { mailSlots } from "../../domain/mail/MailSlots.ts"
import { longestFallback } from "../../domain/tools/time/FallbackPause.ts"
import { awaitEnd } from "../../loops/AwaitEnd.ts"
import { type HeldMail, type MailOutcome, MailQueue } from "../../store/mail/MailQueue.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { mails as mailCounter } from "../Metrics.ts"
import type { MailServer } from "./MailServer.ts"

/** Time limit for releasing mails at shutdown. If the database does not respond, their leases expire instead. */
const releaseLimit = Duration.seconds(1)

/** Writing an outcome is retried for about two minutes: what was sent is not repeated because the database was slow for a while. */
const patiently = { schedule: Schedule.spaced("1 second"), times: 120 }

/** Mails that are held for no longer than this get another lease while their attempts last. */
const renewBefore = Duration.minutes(1)

const results = { Sent: "sent", Again: "retry", Dead: "dead" } as const satisfies Record<MailOutcome["_tag"], string>

const tooLate: MailOutcome = { _tag: "Dead", error: "Expired before it could be sent" }
const noServer = { responseCode: null, command: null, reason: "No mail server is set" } as const
const empty: MailOutcome = { _tag: "Dead", error: "The content has been deleted" }

/** Attempts a mail and writes the outcome. If the write fails, the mail is due again after its lease. */
const makeDeliver = Effect.fnUntraced(function*(server: MailServer["Type"]) {
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
          const next = verdict._tag === "Again" ? `; retrying at ${DateTime.formatIso(verdict.at)}` : " for good"
          yield* Effect.logWarning(`Mail ${mail.id} failed${next}: ${verdict.error}`)
          return verdict
        }))
    )
  })

  /** `current` is the mail with its present lease. */
  return Effect.fn("MailWorker.deliver")(function*(mail: HeldMail, current: () => HeldMail) {
    const outcome = yield* attempt(mail)
    yield* Effect.sync(() => mailCounter.inc({ result: results[outcome._tag] }))
    const settle = Effect.flatMap(now, (at) => queue.settle(current(), outcome, at))
    yield* settle.pipe(Effect.sandbox, Effect.retry(patiently))
  }, (work, mail) =>
    // After the lease expires, the mail is attempted again.
    Effect.catchAllCause(work, (cause) =>
      Effect.logWarning(`Mail ${mail.id} failed with an internal error; it is retried after its lease expires`, cause)))
})

/**
 * `onRoom` runs after each attempt, when a slot is free again. Attempts end with the scope; mails in flight are then due again
 * immediately.
 */
export const makeMailWorker = Effect.fn("MailWorker.make")(function*(server: MailServer["Type"], onRoom: Effect.Effect<void>) {
  const queue = yield* MailQueue
  const clock = yield* DatabaseClock
  const deliver = yield* makeDeliver(server)
  const held = new Map<HeldMail["id"], HeldMail>()
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => queue.release([...held.values()], DateTime.unsafeMake(clock.estimate()))).pipe(
      Effect.sandbox,
      Effect.ignore,
      Effect.disconnect,
      Effect.timeoutOption(releaseLimit),
      Effect.when(() => held.size > 0)
    )
  )
  const attempts = yield* FiberSet.make()
  yield* Effect.addFinalizer(() => awaitEnd(() => held.size))

  const start = (mail: HeldMail) => {
    const isUnderWay = held.has(mail.id)
    held.set(mail.id, mail)
    // Its lease had expired: this process stood still, or the database was slow.
    if (isUnderWay) return Effect.void
    // An interruption leaves the mails that are held to the finalizer.
    const end = Effect.zipRight(Effect.sync(() => held.delete(mail.id)), onRoom)
    return FiberSet.run(attempts, Effect.zipRight(deliver(mail, () => held.get(mail.id) ?? mail), end))
  }

  const renew = Effect.fnUntraced(function*(now: DateTime.Utc) {
    const soon = DateTime.addDuration(now, renewBefore)
    const old = [...held.values()].filter(({ heldUntil }) => DateTime.lessThanOrEqualTo(heldUntil, soon))
    if (old.length === 0) return
    const heldUntil = yield* queue.renew(old, now)
    for (const mail of old) if (held.has(mail.id)) held.set(mail.id, { ...mail, heldUntil })
  })

  /** Starts due mails and returns how long to wait until the next step. */
  const step = Effect.gen(function*() {
    // The clock that all runners share decides which mails are due and how long they are held.
    const now = yield* clock.now
    yield* renew(now)
    if (held.size >= mailSlots) return longestFallback
    yield* queue.recall(now)
    const due = (yield* server) === null ? [] : yield* queue.claim(now, [...held.values()].map(({ priority }) => priority))
    yield* Effect.forEach(due, start, { discard: true })
    // Due mails that were not claimed wait for a free slot, and `onRoom` starts that step.
    return Option.match(yield* queue.nextDueAt(now), {
      onNone: () => longestFallback,
      onSome: (at) => Duration.min(longestFallback, Duration.millis(DateTime.distance(now, at)))
    })
  }).pipe(Effect.withSpan("MailWorker.step"))

  return { step }
})
