/** Sends a test mail and returns the mail server's own words, which only the operator sees. */
import { Duration, Effect } from "effect"
import type { MailTest } from "../../../schema/mail/MailServer.ts"
import { mask } from "../../../schema/Mask.ts"
import type { EmailAddress } from "../../../schema/people/Person.ts"
import { type MailSource, senderOf } from "../../store/mail/MailSetup.ts"
import { layOut } from "./MailLayout.ts"
import { messageOf, secretsOf, textField, transportOf } from "./MailTransport.ts"

const patienceMs = 20_000

const longestText = 500

const content = layOut({
  title: "Test mail from Belltower",
  paragraphs: ["This mail server sends the mail of Belltower. There is nothing else to do."],
  tone: "good",
  action: null,
  closing: ["The operator of this server asked for this mail."]
})

/** The text in one line, without the secrets of the sign-in, which a server may repeat. */
const shown = (text: string, secrets: ReadonlyArray<string>): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, mask), text)
    .replace(/[\u0000-\u001f\u007f]+/g, " ").trim().slice(0, longestText)

/** The meanings of the codes of nodemailer and Node, and the remedies. */
const meanings: Readonly<Record<string, string>> = {
  EAUTH: "The mail server refused the user name or the password. Check both",
  ENOAUTH: "The mail server requires a user name and a password. Enter them",
  EDNS: "The host name cannot be found. Check it",
  ENOTFOUND: "The host name cannot be found. Check it",
  ETLS: "TLS failed. Check the TLS mode, the port and the server's certificate",
  ETIMEDOUT: "The mail server did not answer in time. Check host, port and TLS mode",
  ECONNECTION: "The connection failed. Check host, port and TLS mode",
  ESOCKET: "The connection failed. Check host, port, TLS mode and the server's certificate",
  EENVELOPE: "The mail server refused the sender or the recipient. Check both",
  EMESSAGE: "The mail server refused the mail"
}

/** The failure, for the operator: the server's words, and what they mean. */
export const mailFailureOf = (cause: unknown, secrets: ReadonlyArray<string>) => {
  const reply = textField(cause, "response")
  const reason = cause instanceof Error ? cause.message : String(cause)
  const meaning = meanings[textField(cause, "code") ?? ""] ?? "The mail server did not take the mail"
  // The message ends with the reply, which stands for itself.
  const detail = reply === null ? shown(reason, secrets) : null
  return {
    accepted: false,
    reply: reply === null ? null : shown(reply, secrets),
    error: detail === null ? `${meaning}.` : `${meaning}: ${detail}`
  }
}

const tooSlow = { accepted: false, reply: null, error: `${meanings["ETIMEDOUT"]}. The test ended after ${patienceMs / 1000} s.` }

export const sendTestMail = Effect.fn("TestMail.send")(function*(source: MailSource, to: EmailAddress) {
  const secrets = secretsOf(source)
  const from = senderOf(source)
  const attempt = Effect.acquireUseRelease(
    Effect.sync(() => transportOf(source, {})),
    (transport) =>
      Effect.tryPromise({
        try: (signal) => transport.send(messageOf(from, to, "Test mail from Belltower", content), signal),
        catch: (cause) => mailFailureOf(cause, secrets)
      }),
    (transport) => Effect.sync(() => transport.close())
  ).pipe(
    Effect.map(({ response }) => ({ accepted: true, reply: shown(response, secrets), error: null })),
    Effect.catchAll(Effect.succeed),
    Effect.disconnect,
    Effect.timeoutTo({ duration: patienceMs, onSuccess: (result) => result, onTimeout: () => tooSlow })
  )
  const [duration, result] = yield* Effect.timed(attempt)
  const test: MailTest = { ...result, durationMs: Math.round(Duration.toMillis(duration)) }
  return test
})
