/** Connections to a mail server by its settings. */
import { Predicate, Redacted } from "effect"
import { createTransport } from "nodemailer"
import type { MailServerSettings } from "../../../schema/mail/MailServer.ts"
import { tlsOfUrl } from "../../domain/mail/SettleMailServer.ts"
import type { MailContent } from "../../store/mail/Mails.ts"
import type { MailSource } from "../../store/mail/MailSetup.ts"

/**
 * How long a server may take to answer the end of a mail, ms (RFC 5321, section 4.5.3.2.6). A mail that is sent again before that
 * arrives twice.
 */
export const longestAnswerMs = 600_000

/** Milliseconds. What precedes the end of a mail has a limit of its own (`MailServer`). */
const connectionTimeouts = {
  connectionTimeout: 15_000,
  greetingTimeout: 15_000,
  socketTimeout: longestAnswerMs + 5000,
  dnsTimeout: 10_000
}

/** Mail content must not make nodemailer read files or fetch URLs. */
const noExternalContent = { disableFileAccess: true, disableUrlAccess: true }

/** TLS as nodemailer calls it. */
const tlsOptions = {
  implicit: { secure: true },
  starttls: { secure: false, requireTLS: true },
  none: { secure: false, ignoreTLS: true }
} as const satisfies Record<MailServerSettings["tls"], object>

const connectionOf = (source: MailSource) => {
  if (source._tag === "Url") {
    const url = Redacted.value(source.url)
    return { url, ...(tlsOfUrl(new URL(url)) === "starttls" ? { requireTLS: true } : {}) }
  }
  const { host, password, port, tls, user } = source.settings
  return { host, port, ...tlsOptions[tls], ...(user === null ? {} : { auth: { user, pass: password ?? "" } }) }
}

/** A text in an error of nodemailer. */
export const textField = (error: unknown, name: string): string | null => {
  const found = Predicate.hasProperty(error, name) ? error[name] : undefined
  return Predicate.isString(found) ? found : null
}

/** Runs when all of a mail has been written to the connection, by the signal that it is sent with. */
const handedOver = new WeakMap<AbortSignal, () => void>()

export const transportOf = (source: MailSource, options: object) => {
  const transport = createTransport({ ...connectionOf(source), ...options, ...connectionTimeouts, ...noExternalContent })
  transport.use("stream", ({ data: { signal }, message }, done) => {
    const run = signal === undefined ? undefined : handedOver.get(signal)
    if (run !== undefined) message.processFunc((content) => content.once("end", run))
    done()
  })
  return {
    /** `onHandedOver` runs when all of the mail has been written: from then on the server may have accepted it. */
    send: (mail: object, signal: AbortSignal, onHandedOver: () => void = () => {}) => {
      handedOver.set(signal, onHandedOver)
      return transport.sendMail({ ...mail, signal })
    },
    /** Connects, encrypts and signs in as for a mail, and sends none. */
    verify: (): Promise<true> => transport.verify(),
    close: (): void => transport.close()
  }
}

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
