/** Examines the mail server of the settings: connection, TLS and sign-in, as for a mail. Sends none. */
import { Effect, Option, Redacted } from "effect"
import { parsedUrl } from "../../schema/UrlText.ts"
import { failed, fine, skipped, warning } from "../domain/health/Diagnosis.ts"
import { shownUrl } from "../domain/mail/SettleMailServer.ts"
import { secretsOf, transportOf } from "../notify/mail/MailTransport.ts"
import { mailFailureOf } from "../notify/mail/TestMail.ts"
import { type Diagnoses, examine, type Patient } from "./Examine.ts"

const advice = "Check SMTP_URL: host, port, user, password, and smtps:// where the server speaks TLS from the start."

const isLocal = (host: string): boolean => host === "localhost" || host.startsWith("127.") || host === "[::1]"

const lookMail = (url: Redacted.Redacted) => {
  const source = { _tag: "Url", url, from: "" } as const
  const { host, port, tls, user } = shownUrl(Redacted.value(url), "")
  return Effect.acquireUseRelease(
    Effect.sync(() => transportOf(source, {})),
    (transport) =>
      Effect.tryPromise({ try: () => transport.verify(), catch: (cause) => mailFailureOf(cause, secretsOf(source)) }),
    (transport) => Effect.sync(() => transport.close())
  ).pipe(Effect.match({
    onFailure: ({ error, reply }) => [failed(`${host}:${port}: ${error}${reply === null ? "" : ` It said: ${reply}`}`, advice)],
    onSuccess: () => {
      const found = `The mail server ${host}:${port} answers${
        user === null ? "" : ", and takes the user and the password"
      } (TLS: ${tls})`
      return (tls === "none" || tls === "opportunistic") && !isLocal(host)
        ? [warning(found, "Links in mails sign people in: append ?requireTLS=true, or use smtps://.")]
        : [fine(found)]
    }
  }))
}

export const examineMail = ({ role, settings: { smtpUrl } }: Patient): Diagnoses =>
  examine(
    "mail",
    advice,
    role === "probe"
      ? Effect.succeed([skipped("A probe sends no mail")])
      : Option.isNone(smtpUrl) || parsedUrl(Redacted.value(smtpUrl.value)) === null
      ? Effect.succeed([skipped("SMTP_URL is not set: the mail server is set and tested in the dashboard, or mail is captured")])
      : lookMail(smtpUrl.value)
  )
