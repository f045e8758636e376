/** The deployment's mail server: what its operator sets, what everybody may know of it, and what a test of it shows. */
import { ParseResult, Schema } from "effect"
import { fromTarget, optional, orNull, text, textLike, whole } from "../Fields.ts"
import { asciiHost } from "../HostName.ts"
import { mask } from "../Mask.ts"
import { EmailAddress } from "../people/Person.ts"

const hostName = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)$/

/** A name in ASCII, as mail servers and certificates know it, or an address; input can have it as people write it. */
const Host = Schema.transformOrFail(Schema.String, text(253), {
  strict: true,
  decode: (given, _, ast) => {
    const typed = given.trim()
    const host = /^[\x20-\x7e]*$/.test(typed) ? typed : asciiHost(typed) ?? ""
    return hostName.test(host)
      ? ParseResult.succeed(host)
      : ParseResult.fail(
        new ParseResult.Type(
          ast,
          given,
          "Expected a host name or an IP address without scheme and port, such as smtp.example.com"
        )
      )
  },
  encode: ParseResult.succeed
}).annotations({
  description: "Name or IP address of the mail server",
  jsonSchema: { type: "string", maxLength: 253, examples: ["smtp.example.com"] }
})

const Port = whole(1, 65_535).annotations({ description: "Usually 465 for implicit, else 587", examples: [587] })

const Tls = Schema.Literal("implicit", "starttls", "none").annotations({
  description:
    "implicit: TLS from the first byte; starttls: the connection must be upgraded to TLS before anything is sent; none: no encryption"
})

/** `Name <address>`, or only the address, without line breaks. */
const sender = /^(?:[^\s<>@]+@[^\s<>@]+|[^<>@\r\n]*<[^\s<>@]+@[^\s<>@]+>)$/

const Sender = text(300).pipe(
  Schema.filter((value) => sender.test(value) || "Expected an address such as Belltower <belltower@example.com>")
).annotations({ examples: ["Belltower <belltower@example.com>"] })

/** The settings as stored, sealed. */
export const MailServerSettings = Schema.Struct({
  host: Host,
  port: Port,
  tls: Tls,
  /** Null for a server that needs no sign-in. */
  user: Schema.NullOr(Schema.String),
  password: Schema.NullOr(Schema.String),
  from: Sender
})
export type MailServerSettings = typeof MailServerSettings.Type

const given = {
  host: Host,
  port: Port,
  tls: Tls,
  user: optional(
    Schema.NullOr(text(254)),
    "User name at the mail server; null or omitted for a server that needs none",
    "belltower"
  ),
  password: optional(
    Schema.NullOr(text(500)),
    `Never returned. Omitted, null or ${mask} keeps the stored one, if host, port, tls and user stay the same`,
    "app-password"
  ),
  from: optional(Sender, "Sender of all mail; default BELLTOWER_MAIL_FROM")
}

export const MailServerInput = Schema.Struct({
  ...given,
  testTo: optional(
    Schema.NullOr(EmailAddress),
    "Sends a test mail there first; nothing is saved unless the mail server accepts it"
  )
}).annotations({ identifier: "MailServerInput" })
export type MailServerInput = typeof MailServerInput.Type

/** A test without the fields of a server uses the server in use. */
export const MailTestInput = Schema.Struct({
  testTo: EmailAddress,
  ...given,
  host: optional(Host, "With a host, tests these settings; without, those in use"),
  port: optional(Port, "Required with host"),
  tls: optional(Tls, "Required with host")
}).annotations({ identifier: "MailTestInput" })
export type MailTestInput = typeof MailTestInput.Type

export const MailTest = Schema.Struct({
  accepted: Schema.Boolean.annotations({ description: "Whether the mail server accepted the test mail" }),
  reply: fromTarget(Schema.NullOr(textLike("250 2.0.0 OK"))).annotations({
    description: "The server's own last reply; null if it gave none"
  }),
  error: fromTarget(Schema.NullOr(textLike("The mail server refused the user name or the password"))).annotations({
    description: "What went wrong, and what to do; null if the server accepted the mail"
  }),
  durationMs: Schema.Int.annotations({ description: "How long the attempt took" })
}).annotations({ identifier: "MailTest" })
export type MailTest = typeof MailTest.Type

const ShownServer = Schema.Struct({
  host: textLike("smtp.example.com", "Name or IP address"),
  port: Schema.Int.annotations({ description: "TCP port" }),
  tls: Schema.Literal(...Tls.literals, "opportunistic").annotations({
    description: "opportunistic: TLS if the server offers it, as SMTP_URL with smtp:// and without a password means"
  }),
  user: orNull(textLike("belltower"), "Null for a server that needs no sign-in"),
  password: orNull(textLike(mask), `${mask} if one is set`),
  from: textLike("Belltower <belltower@example.com>", "Sender of all mail")
})
export type ShownServer = typeof ShownServer.Type

export const MailServerState = Schema.Struct({
  mode: Schema.Literal("sent", "captured").annotations({
    description: "captured: mail is kept in Belltower and reaches nobody, because no mail server is set"
  }),
  source: Schema.Literal("environment", "settings", "none").annotations({
    description: "What sets the mail server: SMTP_URL, which wins, or the operator's settings"
  }),
  operator: Schema.Boolean.annotations({ description: "Whether the caller is the operator, who sees and changes the settings" }),
  server: orNull(ShownServer, "Null if none is set, and for everybody but the operator"),
  sender: orNull(textLike("Belltower <belltower@example.com>"), "The default sender; null for everybody but the operator"),
  problem: orNull(textLike("The stored settings cannot be read"), "Why the stored settings do not work; null if they do")
}).annotations({ identifier: "MailServerState" })
export type MailServerState = typeof MailServerState.Type
