/** A person's contact details and captured mail. */
import type { CapturedMail, ContactProfile } from "../../../schema/people/Person.ts"
import { programCommand } from "../../domain/workspace/ProgramCommand.ts"
import { Frame } from "./Frame.tsx"
import { Moment } from "./Moment.tsx"
import { Wrong } from "./Shell.tsx"

const Field = ({ hint, label, mode, name, value }: {
  readonly label: string
  readonly name: string
  readonly value: string | null
  readonly hint?: string
  readonly mode?: "text" | "tel"
}) => (
  <label>
    {label}
    {hint === undefined ? null : <span>{hint}</span>}
    <input name={name} value={value ?? ""} maxlength={100} inputmode={mode ?? "text"} autocomplete="off" />
  </label>
)

export const ContactPage = ({ captures, confirmed, contact, saved, wrong }: {
  /** Whether no mail server is set. */
  readonly captures: boolean
  readonly contact: ContactProfile
  /** Whether the person has proved that the address is theirs. */
  readonly confirmed: boolean
  readonly saved: boolean
  readonly wrong?: string | undefined
}) => (
  <Frame email={contact.email} here="/app/contact">
    <h1>Contact</h1>
    <p class="note">
      When you are on call, you are paged by email at {contact.email}.
      {confirmed
        ? ""
        : " No page reaches you until you confirm this address: sign in with a link that is sent to it."}
      {captures ? " No mail server is set, so email is captured, not sent." : ""}{" "}
      Phone, Slack and Telegram are recorded for later; nobody is paged that way yet.
    </p>
    {saved ? <p class="good" role="status">Saved.</p> : null}
    {wrong === undefined ? null : <Wrong>{wrong}</Wrong>}
    <section>
      <form class="card" method="post" action="/app/contact">
        <Field label="Name" name="name" value={contact.name} />
        <Field label="Phone" name="phone" mode="tel" value={contact.phone} hint="With country code, for example +4930123456" />
        <Field label="Slack member ID" name="slack" value={contact.slack} />
        <Field label="Telegram username" name="telegram" value={contact.telegram} />
        <button>Save</button>
      </form>
    </section>
  </Frame>
)

export const MailsPage = ({ captures, email, mails, proved }: {
  readonly email: string
  /** Whether the person has proved that the address is theirs. */
  readonly proved: boolean
  readonly mails: ReadonlyArray<CapturedMail>
  /** True if no mail server is configured, so that mail is kept here. */
  readonly captures: boolean
}) => (
  <Frame email={email} here="/app/mail">
    <h1>Mail</h1>
    <p class="note">
      {captures
        ? "This server sends no email, because no mail server is set: mail is captured, not sent. Messages to you, or about workspaces that you own, are kept here for you to forward."
        : "This server sends email. Messages that were captured before a mail server was set stay here; they are not sent later."}
    </p>
    {proved ? null : (
      <p class="note">
        Messages to {email}{" "}
        appear once you have proved that it is yours. Sign in with a link that the server's operator creates with{" "}
        <code>{programCommand(`sign-in-link ${email}`)}</code>.
      </p>
    )}
    <section>
      {mails.length === 0 ? <p class="note">No messages.</p> : (
        <ul class="card rows">
          {mails.map(({ createdAt, id, subject, to }) => (
            <li>
              <div>
                <a href={`/app/mail/${id}`}>{subject}</a>
                <p>to {to}</p>
              </div>
              <p>
                <Moment at={createdAt} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  </Frame>
)

/** Turns URLs of this deployment into links; all other text stays plain. */
const linked = (text: string, baseUrl: string) =>
  text.split(/(https?:\/\/\S+)/).map((part, index) =>
    part.startsWith(`${baseUrl}/`)
      ? <a class="breaks" href={part}>{part}</a>
      : index % 2 === 1
      ? <span class="breaks">{part}</span>
      : part
  )

export const MailPage = ({ baseUrl, email, mail }: {
  readonly baseUrl: string
  readonly email: string
  readonly mail: CapturedMail & { readonly text: string }
}) => (
  <Frame email={email} here="/app/mail">
    <h1>{mail.subject}</h1>
    <p class="note">
      to {mail.to}, <Moment at={mail.createdAt} />
    </p>
    <section>
      <div class="card">
        <p class="letter">{linked(mail.text, baseUrl)}</p>
      </div>
    </section>
    <p class="after">
      <a href="/app/mail">All mail</a>
    </p>
  </Frame>
)
