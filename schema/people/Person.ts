/** A person: identity, sign-in and contact details. */
import { ParseResult, Schema } from "effect"
import { formed, optional, orNull, text, Timestamp } from "../Fields.ts"
import { withAsciiDomain } from "../HostName.ts"
import { MailId, SessionId, WorkspaceId } from "../Ids.ts"
import { Role } from "../workspace/Workspace.ts"

/** The addresses that browsers make of `<input type=email>` (HTML Standard): ASCII without line breaks. */
const address =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

const isAddress = (value: string) => value.length <= 254 && address.test(value)

/** An email address of at most 254 characters, stored in lower case, an international domain in ASCII. */
export const EmailAddress = Schema.transformOrFail(
  Schema.String,
  Schema.String.pipe(Schema.filter(isAddress), Schema.brand("EmailAddress")),
  {
    strict: true,
    decode: (given, _, ast) => {
      // Validate before lowercasing: some non-ASCII letters have ASCII lowercase forms.
      const trimmed = withAsciiDomain(given.trim())
      return isAddress(trimmed)
        ? ParseResult.succeed(trimmed.toLowerCase())
        : ParseResult.fail(new ParseResult.Type(ast, given, "Expected an email address"))
    },
    encode: ParseResult.succeed
  }
).annotations({ identifier: "EmailAddress", jsonSchema: { type: "string", format: "email", maxLength: 254 } })
export type EmailAddress = typeof EmailAddress.Type

export const Provider = Schema.Literal("google", "github")
export type Provider = typeof Provider.Type

export const MyWorkspace = Schema.Struct({
  id: WorkspaceId,
  name: Schema.String,
  role: Role,
  current: Schema.Boolean.annotations({ description: "Whether requests without x-workspace use this workspace" })
}).annotations({ identifier: "MyWorkspace" })
export type MyWorkspace = typeof MyWorkspace.Type

/** A deleted workspace, for its owners. */
export const MyDeletedWorkspace = Schema.Struct({
  id: WorkspaceId,
  name: Schema.String,
  deletedAt: Timestamp,
  restorableUntil: Timestamp
}).annotations({ identifier: "MyDeletedWorkspace" })
export type MyDeletedWorkspace = typeof MyDeletedWorkspace.Type

/** E.164: a plus, the country code and the number, at most 15 digits. */
export const PhoneNumber = Schema.String.pipe(
  Schema.filter((value) => /^\+[1-9]\d{6,14}$/.test(value) || "Expected a phone number without spaces, such as +4930123456")
).annotations({ jsonSchema: { type: "string", pattern: "^\\+[1-9]\\d{6,14}$" } })

const handle = formed(
  /^[A-Za-z0-9._-]{1,80}$/,
  "Expected letters, digits, dots, hyphens and underscores, at most 80"
)

/** The contact details of a person; unset fields are null. */
export const ContactProfile = Schema.Struct({
  name: Schema.NullOr(Schema.String),
  email: Schema.String.annotations({
    description: "Address that the person signs in with. Pages go there once it is confirmed"
  }),
  phone: orNull(Schema.String, "Phone number, for people to read. Contact ways say how pages go"),
  slack: orNull(Schema.String, "Slack member id, for people to read"),
  telegram: orNull(Schema.String, "Telegram user name, for people to read")
}).annotations({ identifier: "ContactProfile" })
export type ContactProfile = typeof ContactProfile.Type

/** The editable fields of a contact profile; null clears a field. */
export const ContactUpdate = Schema.Struct({
  name: optional(Schema.NullOr(text(100))),
  phone: optional(Schema.NullOr(PhoneNumber), "Phone number, for people to read. Contact ways say how pages go"),
  slack: optional(Schema.NullOr(handle), "Slack member id, for people to read"),
  telegram: optional(Schema.NullOr(handle), "Telegram user name, for people to read")
}).annotations({ identifier: "ContactUpdate" })
export type ContactUpdate = typeof ContactUpdate.Type

/** The fields of a contact profile without a column of their own. */
export const Reach = Schema.Struct({
  phone: optional(Schema.NullOr(Schema.String)),
  slack: optional(Schema.NullOr(Schema.String)),
  telegram: optional(Schema.NullOr(Schema.String))
})
export type Reach = typeof Reach.Type

export const Session = Schema.Struct({
  id: SessionId,
  current: Schema.Boolean,
  via: Schema.String.annotations({ description: "Sign-in method: email, google or github" }),
  ip: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  lastSeenAt: Timestamp,
  expiresAt: Timestamp
}).annotations({ identifier: "Session" })
export type Session = typeof Session.Type

const Identity = Schema.Struct({ provider: Provider, email: Schema.String, createdAt: Timestamp }).annotations({
  identifier: "Identity"
})

export const Security = Schema.Struct({
  sessions: Schema.Array(Session),
  twoFactor: Schema.Struct({
    enabled: Schema.Boolean,
    enabledAt: Schema.NullOr(Timestamp),
    recoveryCodesLeft: Schema.Int
  }),
  identities: Schema.Array(Identity),
  providers: Schema.Array(Provider).annotations({ description: "What can be connected on this server" })
}).annotations({ identifier: "Security" })
export type Security = typeof Security.Type

/** The secret of an authenticator app that is being set up. */
export const SecondFactorSetup = Schema.Struct({ secret: Schema.String, uri: Schema.String, qrSvg: Schema.String })

export const MyDigest = Schema.Struct({
  id: WorkspaceId,
  name: Schema.String,
  timezone: Schema.String,
  subscribed: Schema.Boolean,
  nextSendAt: Timestamp
}).annotations({ identifier: "MyDigest" })
export type MyDigest = typeof MyDigest.Type

/** An email that was captured instead of sent, without its content. */
export const CapturedMail = Schema.Struct({
  id: MailId,
  to: Schema.String,
  subject: Schema.String,
  createdAt: Timestamp
}).annotations({ identifier: "CapturedMail" })
export type CapturedMail = typeof CapturedMail.Type
