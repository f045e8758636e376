/** Decides what follows an attempt of a delivery or a mail: it is delivered, retried, or dead. */
import { Data, DateTime, type Duration, Option } from "effect"
import { STATUS_CODES } from "node:http"
import type { EnhancedStatus } from "./answers/MailAnswer.ts"
import type { Fate } from "./answers/ServiceAnswer.ts"
import { maxAttempts, nextAttemptAt } from "./RetrySchedule.ts"

/** The note on deliveries of mail while no mail server is set. */
export const capturedNotSent = "Captured, not sent: no mail server is set"

/** The result of one attempt. Reasons are readable sentences without secrets. */
export type Answer = Data.TaggedEnum<{
  Answered: {
    readonly statusCode: number
    readonly retryAfter: Option.Option<Duration.Duration>
    /** For a failure: what is wrong, and how to fix it. */
    readonly meaning?: string
    /** The answer's word on retries, where the status does not decide. */
    readonly fate?: Fate
    /** Where the message went instead, if the service said so. */
    readonly moved?: Moved
    /** The service's own name of a page that it took, by which it says later what became of it. */
    readonly reference?: string
  }
  /** By the mail server, which answers with codes of its own; perhaps not for all recipients, as `note` says. */
  Accepted: { readonly note?: string; readonly isProblem?: boolean; readonly reference?: string }
  /** Kept for reading, because no mail server is set. */
  Captured: object
  /** No answer; a retry may succeed. */
  Unanswered: { readonly reason: string }
  /** No retry can succeed: the address is forbidden, or the channel is deleted or disabled. `isGone`: nor can another message. */
  Impossible: { readonly reason: string; readonly isGone?: boolean }
}>
export const Answer = Data.taggedEnum<Answer>()

/** For an attempt that a fault of our own ended. */
export const internalError = Answer.Unanswered({ reason: "Internal error in Belltower; see the server log" })

/** The settings that a service has given a target that it moved, and a sentence about it. */
export interface Moved {
  readonly settings: { readonly chatId: string }
  readonly note: string
}

/** `isProblem`: the channel shows the text until something is delivered again. */
export type DeliveryVerdict = Data.TaggedEnum<{
  Delivered: {
    readonly statusCode: number | null
    readonly note?: string
    readonly isProblem?: boolean
    readonly reference?: string
  }
  /** Final like a delivery, but nobody has received it. */
  Captured: { readonly statusCode: null; readonly error: string }
  Again: { readonly at: DateTime.Utc; readonly statusCode: number | null; readonly error: string; readonly isProblem?: boolean }
  Dead: { readonly statusCode: number | null; readonly error: string; readonly isProblem?: boolean }
}>
export const DeliveryVerdict = Data.taggedEnum<DeliveryVerdict>()

/** The receiver gave no answer, so it may have received nothing. */
export const isUnanswered = (verdict: DeliveryVerdict): boolean =>
  (verdict._tag === "Again" || verdict._tag === "Dead") && verdict.statusCode === null

const describe = (statusCode: number, meaning: string | undefined): string => {
  const answered = `Answered ${statusCode} ${STATUS_CODES[statusCode] ?? ""}`.trimEnd()
  return meaning !== undefined
    ? `${answered}: ${meaning}`
    : statusCode >= 300 && statusCode < 400
    ? `${answered}; redirects are not followed`
    : answered
}

/** A retry cannot fix a client error: any 4xx except 408 and 429. */
const fateOf = (statusCode: number): Fate | "delivered" => {
  if (statusCode >= 200 && statusCode < 300) return "delivered"
  if (statusCode === 410) return "gone"
  return statusCode >= 400 && statusCode < 500 && statusCode !== 408 && statusCode !== 429 ? "final" : "retry"
}

/** A permanent redirect: the receiver is tried again, in case it comes back, but somebody has to change the channel. */
const isMove = (statusCode: number): boolean => statusCode === 301 || statusCode === 308

const gaveUp = (error: string): string => `${error}; gave up after ${maxAttempts} attempts`

const againOrDead = (
  attempts: number,
  now: DateTime.Utc,
  failure: Omit<Data.TaggedEnum.Value<DeliveryVerdict, "Dead">, "_tag">,
  retryAfter: Option.Option<Duration.Duration>
): DeliveryVerdict =>
  Option.match(nextAttemptAt(attempts, now, retryAfter), {
    onNone: () => DeliveryVerdict.Dead({ ...failure, error: gaveUp(failure.error) }),
    onSome: (at) => DeliveryVerdict.Again({ ...failure, at })
  })

const judgeStatus = (
  { fate, meaning, moved, reference, retryAfter, statusCode }: Data.TaggedEnum.Value<Answer, "Answered">,
  attempts: number,
  now: DateTime.Utc
): DeliveryVerdict => {
  const error = describe(statusCode, meaning)
  switch (fate ?? fateOf(statusCode)) {
    case "delivered":
      return DeliveryVerdict.Delivered({
        statusCode,
        ...(moved === undefined ? {} : { note: moved.note }),
        ...(reference === undefined ? {} : { reference })
      })
    case "gone":
      return DeliveryVerdict.Dead({ statusCode, error, isProblem: true })
    case "final":
      return DeliveryVerdict.Dead({ statusCode, error })
    case "retry": {
      const honored = statusCode === 429 || statusCode === 503 || fate === "retry" ? retryAfter : Option.none()
      return againOrDead(attempts, now, { statusCode, error, ...(isMove(statusCode) ? { isProblem: true } : {}) }, honored)
    }
  }
}

/** Decides on the answer to attempt number `attempts` (from 1), received at `now`. */
export const judge = (answer: Answer, attempts: number, now: DateTime.Utc): DeliveryVerdict =>
  Answer.$match(answer, {
    Answered: (answered) => judgeStatus(answered, attempts, now),
    Accepted: ({ _tag, ...accepted }) => DeliveryVerdict.Delivered({ statusCode: null, ...accepted }),
    Captured: () => DeliveryVerdict.Captured({ statusCode: null, error: capturedNotSent }),
    Unanswered: ({ reason }) => againOrDead(attempts, now, { statusCode: null, error: reason }, Option.none()),
    Impossible: ({ isGone, reason }) =>
      DeliveryVerdict.Dead({ statusCode: null, error: reason, ...(isGone === true ? { isProblem: true } : {}) })
  })

/** Why an attempt failed: the mail server's reply, or a connection error. */
export interface MailFailure {
  /** The server's reply code (RFC 5321, section 4.2); null when it gave none. */
  readonly responseCode: number | null
  /** The command that failed: `RCPT TO`, `DATA`, `AUTH PLAIN`; null before any command. */
  readonly command: string | null
  /** The enhanced status of the reply, if it has one. */
  readonly status?: EnhancedStatus | null
  /** A readable sentence without secrets. */
  readonly reason: string
}

type MailVerdict =
  | { readonly _tag: "Again"; readonly at: DateTime.Utc; readonly error: string }
  | { readonly _tag: "Dead"; readonly error: string }

/** A permanent rejection of this mail or its recipient. The operator may fix an earlier one, such as of the password. */
export const isFinal = ({ command, responseCode, status }: MailFailure): boolean =>
  responseCode !== null && responseCode >= 500 && responseCode !== 530 && status?.retries !== true && command !== null &&
  /^(?:RCPT|DATA)/i.test(command)

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
