/** Decides whether to retry a mail after a failed attempt to submit it to the mail server. */
import { DateTime, Option } from "effect"
import { maxAttempts, nextAttemptAt } from "./RetrySchedule.ts"

/** Why an attempt failed: the mail server's reply, or a connection error. */
export interface MailFailure {
  /** The server's reply code (RFC 5321, section 4.2); null when it gave none. */
  readonly responseCode: number | null
  /** The command that failed: `RCPT TO`, `DATA`, `AUTH PLAIN`; null before any command. */
  readonly command: string | null
  /** A readable sentence without secrets. */
  readonly reason: string
}

export type MailVerdict =
  | { readonly _tag: "Again"; readonly at: DateTime.Utc; readonly error: string }
  | { readonly _tag: "Dead"; readonly error: string }

/**
 * A permanent rejection of this mail or its recipient: a 5xx reply to the envelope or the content. An earlier rejection, such as
 * a wrong password, is a configuration error that the operator may fix while the mail waits.
 */
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
    onNone: () => ({ _tag: "Dead", error: `${failure.reason}; gave up after ${maxAttempts} attempts` }),
    onSome: (at) =>
      expiresAt !== null && DateTime.greaterThanOrEqualTo(at, expiresAt)
        ? { _tag: "Dead", error: `${failure.reason}; a retry would arrive too late` }
        : { _tag: "Again", at, error: failure.reason }
  })
}
