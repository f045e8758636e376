/** Decides what follows an attempt of a delivery or a mail: it is delivered, retried, or dead. */
import { Data, DateTime, type Duration, Option } from "effect"
import { STATUS_CODES } from "node:http"
import { maxAttempts, nextAttemptAt } from "./RetrySchedule.ts"

/** The note on deliveries of mail while no mail server is set. */
const capturedNotSent = "Captured, not sent: no mail server is set"

/** The result of one attempt. Reasons are readable sentences without secrets and without text from the receiver. */
export type Answer = Data.TaggedEnum<{
  Answered: {
    readonly statusCode: number
    readonly retryAfter: Option.Option<Duration.Duration>
    /** For a failure: the meaning of the status at this service, and how to fix it. */
    readonly meaning?: string
  }
  /** By the mail server, which answers with codes of its own. */
  Accepted: object
  /** Kept for reading, because no mail server is set. */
  Captured: object
  /** No answer; a retry may succeed. */
  Unanswered: { readonly reason: string }
  /** No retry can succeed: the address is forbidden, or the channel is deleted or disabled. */
  Impossible: { readonly reason: string }
}>
export const Answer = Data.taggedEnum<Answer>()

export type Verdict = Data.TaggedEnum<{
  Delivered: { readonly statusCode: number | null }
  /** Final like a delivery, but nobody has received it. */
  Captured: { readonly statusCode: null; readonly error: string }
  Again: { readonly at: DateTime.Utc; readonly statusCode: number | null; readonly error: string }
  Dead: { readonly statusCode: number | null; readonly error: string }
}>
export const Verdict = Data.taggedEnum<Verdict>()

const describe = (statusCode: number, meaning: string | undefined): string => {
  const answered = `Answered ${statusCode} ${STATUS_CODES[statusCode] ?? ""}`.trimEnd()
  return meaning !== undefined
    ? `${answered}: ${meaning}`
    : statusCode >= 300 && statusCode < 400
    ? `${answered}; redirects are not followed`
    : answered
}

/** A client error that a retry cannot fix: any 4xx except 408 and 429. */
const isFinalStatus = (statusCode: number): boolean =>
  statusCode >= 400 && statusCode < 500 && statusCode !== 408 && statusCode !== 429

const gaveUp = (error: string): string => `${error}; gave up after ${maxAttempts} attempts`

const againOrDead = (
  attempts: number,
  now: DateTime.Utc,
  statusCode: number | null,
  error: string,
  retryAfter: Option.Option<Duration.Duration>
): Verdict =>
  Option.match(nextAttemptAt(attempts, now, retryAfter), {
    onNone: () => Verdict.Dead({ statusCode, error: gaveUp(error) }),
    onSome: (at) => Verdict.Again({ at, statusCode, error })
  })

/** Decides on the answer to attempt number `attempts` (from 1), received at `now`. */
export const judge = (answer: Answer, attempts: number, now: DateTime.Utc): Verdict =>
  Answer.$match(answer, {
    Answered: ({ meaning, retryAfter, statusCode }) => {
      if (statusCode >= 200 && statusCode < 300) return Verdict.Delivered({ statusCode })
      const error = describe(statusCode, meaning)
      if (isFinalStatus(statusCode)) return Verdict.Dead({ statusCode, error })
      const honored = statusCode === 429 || statusCode === 503 ? retryAfter : Option.none()
      return againOrDead(attempts, now, statusCode, error, honored)
    },
    Accepted: () => Verdict.Delivered({ statusCode: null }),
    Captured: () => Verdict.Captured({ statusCode: null, error: capturedNotSent }),
    Unanswered: ({ reason }) => againOrDead(attempts, now, null, reason, Option.none()),
    Impossible: ({ reason }) => Verdict.Dead({ statusCode: null, error: reason })
  })

/** Why an attempt failed: the mail server's reply, or a connection error. */
export interface MailFailure {
  /** The server's reply code (RFC 5321, section 4.2); null when it gave none. */
  readonly responseCode: number | null
  /** The command that failed: `RCPT TO`, `DATA`, `AUTH PLAIN`; null before any command. */
  readonly command: string | null
  /** A readable sentence without secrets. */
  readonly reason: string
}

type MailVerdict =
  | { readonly _tag: "Again"; readonly at: DateTime.Utc; readonly error: string }
  | { readonly _tag: "Dead"; readonly error: string }

/** A permanent rejection of this mail or its recipient. The operator may fix an earlier one, such as of the password. */
export const isFinal = ({ command, responseCode }: MailFailure): boolean =>
  responseCode !== null && responseCode >= 500 && responseCode !== 530 &&
  command !== null && /^(?:RCPT|DATA)/i.test(command)

/** Decides on the failure of attempt number `attempts` (from 1). The mail is useless after `expiresAt`. */
export const judgeMail = (
  failure: MailFailure,
  attempts: number,
  now: DateTime.Utc,
  expiresAt: DateTime.Utc | null
): MailVerdict => {
  if (isFinal(failure)) return { _tag: "Dead", error: failure.reason }
  return Option.match(nextAttemptAt(attempts, now, Option.none()), {
    onNone: () => ({ _tag: "Dead", error: gaveUp(failure.reason) }),
    onSome: (at) =>
      expiresAt !== null && DateTime.greaterThanOrEqualTo(at, expiresAt)
        ? { _tag: "Dead", error: `${failure.reason}; a retry would arrive too late` }
        : { _tag: "Again", at, error: failure.reason }
  })
}
