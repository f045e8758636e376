/** Hands mails to the mail server of the deployment, over SMTP. */
import { Context, Data, DateTime, Effect, Layer, Predicate, Redacted } from "effect"
import { createTransport } from "nodemailer"
import type { MailFailure } from "../../domain/alert/MailVerdict.ts"
import type { HeldMail, MailContent } from "../../store/mail/Mails.ts"

/** A mail that the server did not take. */
export class NotTaken extends Data.TaggedError("NotTaken")<{ readonly failure: MailFailure }> {}

export interface MailServerOptions {
  /** `smtp://user:password@host:port` or `smtps://`. */
  readonly url: Redacted.Redacted
  /** `Belltower <belltower@example.com>`, or the address alone. */
  readonly from: string
}

/** Milliseconds: nobody waits for a mail, but a server that says nothing must not hold one for long. */
const connectionTimeouts = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 30_000, dnsTimeout: 10_000 }

/** What a mail says is what is in it: nothing is fetched for it. */
const contained = { disableFileAccess: true, disableUrlAccess: true }

const word = (value: unknown, name: string): string | null => {
  const found = Predicate.hasProperty(value, name) ? value[name] : undefined
  return Predicate.isString(found) ? found : null
}

/** Of the server's own words nothing is kept: a filter may quote the mail, and with it the link. */
const failureOf = (cause: unknown): MailFailure => {
  const code = Predicate.hasProperty(cause, "responseCode") ? cause.responseCode : null
  const responseCode = Predicate.isNumber(code) ? code : null
  const command = word(cause, "command")
  const reason = responseCode !== null
    ? `The mail server answered ${responseCode}${command === null ? "" : ` to ${command}`}`
    : `The mail server cannot be reached (${word(cause, "code") ?? "unknown"})`
  return { responseCode, command, reason }
}

const domainOf = (from: string): string => /@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? "localhost"

const make = ({ from, url }: MailServerOptions) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => createTransport({ url: Redacted.value(url), ...connectionTimeouts, ...contained })),
      (transport) => Effect.sync(() => transport.close())
    ),
    (transport) => ({
      send: (mail: HeldMail, { html, text }: MailContent): Effect.Effect<void, NotTaken> =>
        Effect.tryPromise({
          try: (signal) =>
            transport.sendMail({
              from,
              // As an object it is one address, whatever is in it.
              to: { name: "", address: mail.recipient },
              subject: mail.subject,
              text,
              html,
              date: DateTime.toDateUtc(mail.createdAt),
              // The same at every attempt, so that one that was taken twice can be told.
              messageId: `<${mail.id}@${domainOf(from)}>`,
              // RFC 3834, section 5: no vacation notes, please.
              headers: { "Auto-Submitted": "auto-generated" },
              ...contained,
              signal
            }),
          catch: (cause) => new NotTaken({ failure: failureOf(cause) })
        }).pipe(Effect.asVoid)
    })
  )

/** The deployment's mail server; null where none is configured. */
export class MailServer extends Context.Reference<MailServer>()("belltower/MailServer", {
  defaultValue: (): Effect.Effect.Success<ReturnType<typeof make>> | null => null
}) {
  static readonly layer = (options: MailServerOptions) => Layer.scoped(MailServer, make(options))
}
