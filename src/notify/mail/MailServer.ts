/** Sends mails to the deployment's mail server over SMTP. */
import { Context, Data, DateTime, Effect, Layer, Predicate, Redacted } from "effect"
import { createTransport } from "nodemailer"
import type { MailFailure } from "../../domain/alert/MailVerdict.ts"
import { mailSlots } from "../../domain/mail/MailSlots.ts"
import type { HeldMail } from "../../store/mail/MailQueue.ts"
import type { MailContent } from "../../store/mail/Mails.ts"

/** The mail server was unreachable or did not accept the mail. */
class SendFailed extends Data.TaggedError("SendFailed")<{ readonly failure: MailFailure }> {}

export interface MailServerOptions {
  /** `smtp://user:password@host:port` or `smtps://`. */
  readonly url: Redacted.Redacted
  /** `Belltower <belltower@example.com>`, or only the address. */
  readonly from: string
}

/** Milliseconds. Generous, because no caller waits, but a silent server must not block a slot for long. */
const connectionTimeouts = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 30_000, dnsTimeout: 10_000 }

/** Mail content must not make nodemailer read files or fetch URLs. */
const noExternalContent = { disableFileAccess: true, disableUrlAccess: true }

const stringField = (value: unknown, name: string): string | null => {
  const found = Predicate.hasProperty(value, name) ? value[name] : undefined
  return Predicate.isString(found) ? found : null
}

/** Drops the server's own text: a spam filter may quote the mail, including its secret link. */
const failureOf = (cause: unknown): MailFailure => {
  const code = Predicate.hasProperty(cause, "responseCode") ? cause.responseCode : null
  const responseCode = Predicate.isNumber(code) ? code : null
  const command = stringField(cause, "command")
  const reason = responseCode !== null
    ? `The mail server answered ${responseCode}${command === null ? "" : ` to ${command}`}`
    : `The mail server is unreachable (${stringField(cause, "code") ?? "unknown"})`
  return { responseCode, command, reason }
}

const domainOf = (from: string): string => /@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? "localhost"

/** What the server needs to know of a mail beside its content. */
export type MailEnvelope = Pick<HeldMail, "id" | "recipient" | "subject" | "createdAt">

/** Connections that mails to many recipients share. */
const pool = { pool: true, maxConnections: 10, maxMessages: 100 } as const

/**
 * Those of queued mails: one for each slot, so that no mail waits for a connection while its lease runs. They close after 10 s without
 * a mail, before a server closes them. A mail whose connection is closed before its first byte goes over another one.
 */
const queuePool = { ...pool, maxConnections: mailSlots, idleTimeout: 10_000 } as const

const transportOf = (url: Redacted.Redacted, options: object) =>
  Effect.acquireRelease(
    Effect.sync(() => createTransport({ url: Redacted.value(url), ...options, ...connectionTimeouts, ...noExternalContent })),
    (transport) => Effect.sync(() => transport.close())
  )

const make = ({ from, url }: MailServerOptions) =>
  Effect.map(
    Effect.all([transportOf(url, {}), transportOf(url, pool), transportOf(url, queuePool)]),
    ([single, pooled, queued]) => {
      const sendBy =
        (transport: typeof single) =>
        (mail: MailEnvelope, { headers, html, text }: MailContent): Effect.Effect<void, SendFailed> =>
          Effect.tryPromise({
            try: (signal) =>
              transport.sendMail({
                from,
                // An object is always one address; a string would be parsed as a list.
                to: { name: "", address: mail.recipient },
                subject: mail.subject,
                text,
                html,
                date: DateTime.toDateUtc(mail.createdAt),
                // Identical at every attempt, so that receivers can detect duplicates.
                messageId: `<${mail.id}@${domainOf(from)}>`,
                // RFC 3834, section 5: suppresses automatic replies.
                headers: { "Auto-Submitted": "auto-generated", ...headers },
                ...noExternalContent,
                signal
              }),
            catch: (cause) => new SendFailed({ failure: failureOf(cause) })
          }).pipe(Effect.asVoid)
      return {
        /** On a connection of its own. */
        send: sendBy(single),
        /** For mails to many recipients: they share a few connections, and wait for one. */
        sendPooled: sendBy(pooled),
        /** For mails of the queue, of which a worker has no more in flight than there are connections. */
        sendQueued: sendBy(queued)
      }
    }
  )

/** The deployment's mail server; null if none is configured. */
export class MailServer extends Context.Reference<MailServer>()("belltower/MailServer", {
  defaultValue: (): Effect.Effect.Success<ReturnType<typeof make>> | null => null
}) {
  static readonly layer = (options: MailServerOptions) => Layer.scoped(MailServer, make(options))
}
