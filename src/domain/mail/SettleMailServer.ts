/** The settings of a mail server that an input means beside the stored ones. */
import { Either } from "effect"
import type { MailServerInput, MailServerSettings } from "../../../schema/mail/MailServer.ts"
import { mask } from "../../../schema/Mask.ts"
import type { Refusal } from "../Refusal.ts"

/** An empty text is none. */
const filled = (given: string | null | undefined): string | null => (given === undefined || given === "" ? null : given)

/**
 * The stored password is used only where it was: with another host, port, TLS mode or user, a person with a session of the operator could
 * have it sent to a server of their own.
 */
const keptPassword = (next: Omit<MailServerSettings, "password">, stored: MailServerSettings | null): string | null =>
  stored !== null && stored.host === next.host && stored.port === next.port && stored.tls === next.tls &&
    stored.user === next.user
    ? stored.password
    : null

const passwordMissing = (stored: MailServerSettings | null): string =>
  stored !== null && stored.password !== null
    ? "Enter the password again. The stored one is kept only for the same host, port, TLS mode and user."
    : "A password is required with a user. Enter both, or neither."

/** `from` is the sender unless the input says another. */
export const settleMailServer = (
  { from: givenFrom, host, password, port, tls, user }: Omit<MailServerInput, "testTo">,
  stored: MailServerSettings | null,
  from: string
): Either.Either<MailServerSettings, Refusal> => {
  const next = { host, port, tls, user: filled(user), from: givenFrom ?? from }
  const typed = filled(password) === mask ? null : filled(password)
  if (next.user === null) {
    return typed === null
      ? Either.right({ ...next, password: null })
      : Either.left({ path: "user", message: "A user is required with a password. Enter both, or neither." })
  }
  const settled = typed ?? keptPassword(next, stored)
  return settled === null
    ? Either.left({ path: "password", message: passwordMissing(stored) })
    : Either.right({ ...next, password: settled })
}
