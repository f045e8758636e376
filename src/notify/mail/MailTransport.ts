/** Connections to a mail server by its settings. */
import { Predicate, Redacted } from "effect"
import { createTransport } from "nodemailer"
import type { MailServerSettings } from "../../../schema/mail/MailServer.ts"
import type { MailContent } from "../../store/mail/Mails.ts"
import type { MailSource } from "../../store/mail/MailSetup.ts"

/** Milliseconds. Generous, because no caller waits, but a silent server must not block a slot for long. */
const connectionTimeouts = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 30_000, dnsTimeout: 10_000 }

/** Mail content must not make nodemailer read files or fetch URLs. */
const noExternalContent = { disableFileAccess: true, disableUrlAccess: true }

/** TLS as nodemailer calls it. */
const tlsOptions = {
  implicit: { secure: true },
  starttls: { secure: false, requireTLS: true },
  none: { secure: false, ignoreTLS: true }
} as const satisfies Record<MailServerSettings["tls"], object>

const connectionOf = (source: MailSource) => {
  if (source._tag === "Url") return { url: Redacted.value(source.url) }
  const { host, password, port, tls, user } = source.settings
  return { host, port, ...tlsOptions[tls], ...(user === null ? {} : { auth: { user, pass: password ?? "" } }) }
}

/** A text in an error of nodemailer. */
export const textField = (error: unknown, name: string): string | null => {
  const found = Predicate.hasProperty(error, name) ? error[name] : undefined
  return Predicate.isString(found) ? found : null
}

export const transportOf = (source: MailSource, options: object) =>
  createTransport({ ...connectionOf(source), ...options, ...connectionTimeouts, ...noExternalContent })

/** A mail for nodemailer. */
export const messageOf = (from: string, address: string, subject: string, { headers, html, text }: MailContent) => ({
  from,
  // An object is always one address; a string would be parsed as a list.
  to: { name: "", address },
  subject,
  text,
  html,
  // RFC 3834, section 5: suppresses automatic replies.
  headers: { "Auto-Submitted": "auto-generated", ...headers },
  ...noExternalContent
})

const signInOf = (source: MailSource): { readonly user: string; readonly password: string } => {
  if (source._tag === "Settings") return { user: source.settings.user ?? "", password: source.settings.password ?? "" }
  const { password, username } = new URL(Redacted.value(source.url))
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) }
}

const base64 = (text: string): string => Buffer.from(text).toString("base64")

/** The password in all forms in which it goes over the wire (RFC 4616, and AUTH LOGIN). */
export const secretsOf = (source: MailSource): ReadonlyArray<string> => {
  const { password, user } = signInOf(source)
  return password === "" ? [] : [base64(`\u0000${user}\u0000${password}`), base64(password), password]
}
