/** The settings of a mail server: those of an input beside the stored ones, and those that its operator sees. */
import { Either } from "effect"
import type { MailServerInput, MailServerSettings, ShownServer } from "../../../schema/mail/MailServer.ts"
import { mask } from "../../../schema/Mask.ts"
import type { Refusal } from "../Refusal.ts"

/** An empty text is none. */
const filled = (given: string | null | undefined): string | null => (given === undefined || given === "" ? null : given)

/** The stored password is used for the same server alone: a stolen session of the operator must not send it to another one. */
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

/** A mail server as its operator sees it: without the password. */
export const shownSettings = ({ password, ...server }: MailServerSettings): ShownServer => ({
  ...server,
  password: password === null ? null : mask
})

const isLocal = (hostname: string): boolean => hostname === "localhost" || /^127(?:\.\d{1,3}){3}$|^\[::1\]$/.test(hostname)

/**
 * How connections by an SMTP_URL are encrypted; its parameters are nodemailer's. Somebody on the way can hide that a server offers
 * TLS, so a password goes over a connection without it only on this machine, or where the URL says so.
 */
export const tlsOfUrl = ({ hostname, password, protocol, searchParams }: URL): ShownServer["tls"] => {
  if (protocol === "smtps:") return "implicit"
  if (searchParams.get("ignoreTLS") === "true") return "none"
  const chosen = searchParams.get("requireTLS")
  return chosen === "true" || (chosen === null && password !== "" && !isLocal(hostname)) ? "starttls" : "opportunistic"
}

/** The server of an SMTP_URL; the ports are nodemailer's defaults. */
export const shownUrl = (url: string, from: string): ShownServer => {
  const server = new URL(url)
  const { hostname, password, port, username } = server
  const tls = tlsOfUrl(server)
  return {
    host: hostname,
    port: port === "" ? (tls === "implicit" ? 465 : 587) : Number(port),
    tls,
    user: username === "" ? null : decodeURIComponent(username),
    password: password === "" ? null : mask,
    from
  }
}
