/** What becomes of a delivery after an attempt: delivered, attempted again, or dead. */
import { Data, type DateTime, type Duration, Option } from "effect"
import { STATUS_CODES } from "node:http"
import { maxAttempts, nextAttemptAt } from "./RetrySchedule.ts"

/** What came of one attempt. Reasons are sentences for people, without secrets and without the receiver's words. */
export type Answer = Data.TaggedEnum<{
  Answered: { readonly statusCode: number; readonly retryAfter: Option.Option<Duration.Duration> }
  /** No answer now; there may be one later. */
  Unanswered: { readonly reason: string }
  /** There can be no answer: the address is forbidden, the channel gone or switched off. */
  Impossible: { readonly reason: string }
}>
export const Answer = Data.taggedEnum<Answer>()

export type Verdict = Data.TaggedEnum<{
  Delivered: { readonly statusCode: number }
  Again: { readonly at: DateTime.Utc; readonly statusCode: number | null; readonly error: string }
  Dead: { readonly statusCode: number | null; readonly error: string }
}>
export const Verdict = Data.taggedEnum<Verdict>()

const describe = (statusCode: number): string => {
  const answered = `Answered ${statusCode} ${STATUS_CODES[statusCode] ?? ""}`.trimEnd()
  return statusCode >= 300 && statusCode < 400 ? `${answered}; redirects are not followed` : answered
}

/** A client error that will not go away by itself: any 4xx but 408 and 429. */
const isFinal = (statusCode: number): boolean => statusCode >= 400 && statusCode < 500 && statusCode !== 408 && statusCode !== 429

const againOrDead = (
  attempts: number,
  now: DateTime.Utc,
  statusCode: number | null,
  error: string,
  retryAfter: Option.Option<Duration.Duration>
): Verdict =>
  Option.match(nextAttemptAt(attempts, now, retryAfter), {
    onNone: () => Verdict.Dead({ statusCode, error: `${error}; given up after ${maxAttempts} attempts` }),
    onSome: (at) => Verdict.Again({ at, statusCode, error })
  })

/** Judges an answer that came at `now` to the `attempts`th attempt (from 1). */
export const judge = (answer: Answer, attempts: number, now: DateTime.Utc): Verdict =>
  Answer.$match(answer, {
    Answered: ({ retryAfter, statusCode }) => {
      if (statusCode >= 200 && statusCode < 300) return Verdict.Delivered({ statusCode })
      const error = describe(statusCode)
      if (isFinal(statusCode)) return Verdict.Dead({ statusCode, error })
      const heeded = statusCode === 429 || statusCode === 503 ? retryAfter : Option.none()
      return againOrDead(attempts, now, statusCode, error, heeded)
    },
    Unanswered: ({ reason }) => againOrDead(attempts, now, null, reason, Option.none()),
    Impossible: ({ reason }) => Verdict.Dead({ statusCode: null, error: reason })
  })
