/** What becomes of a mail after an attempt to hand it to the mail server. */
import { DateTime, Option } from "effect"
import { maxAttempts, nextAttemptAt } from "./RetrySchedule.ts"

/** What a mail server, or the way to it, made of a mail. */
export interface MailFailure {
  /** The server's reply code (RFC 5321, section 4.2); null when it gave none. */
  readonly responseCode: number | null
  /** What was being said to it: `RCPT TO`, `DATA`, `AUTH PLAIN`; null before any command. */
  readonly command: string | null
  /** For people, without secrets. */
  readonly reason: string
}

export type MailVerdict =
  | { readonly _tag: "Again"; readonly at: DateTime.Utc; readonly error: string }
  | { readonly _tag: "Dead"; readonly error: string }

/**
 * A refusal of this very mail or its recipient that will not go away: 5xx to the envelope or the content. What is refused
 * before that, such as a wrong password, is our set-up's fault and may be mended while the mail waits.
 */
const isFinal = ({ command, responseCode }: MailFailure): boolean =>
  responseCode !== null && responseCode >= 500 && responseCode !== 530 &&
  command !== null && /^(?:RCPT|DATA)/i.test(command)

/** Judges the failure of the `attempts`th attempt (from 1) at a mail that is of no use after `expiresAt`. */
export const judgeMail = (
  failure: MailFailure,
  attempts: number,
  now: DateTime.Utc,
  expiresAt: DateTime.Utc | null
): MailVerdict => {
  if (isFinal(failure)) return { _tag: "Dead", error: failure.reason }
  return Option.match(nextAttemptAt(attempts, now, Option.none()), {
    onNone: () => ({ _tag: "Dead", error: `${failure.reason}; given up after ${maxAttempts} attempts` }),
    onSome: (at) =>
      expiresAt !== null && DateTime.greaterThanOrEqualTo(at, expiresAt)
        ? { _tag: "Dead", error: `${failure.reason}; it would come too late now` }
        : { _tag: "Again", at, error: failure.reason }
  })
}
