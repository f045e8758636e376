/** Email channels: one mail to each recipient, as text and HTML, with a link and a header by which the recipient leaves the channel. */
import { Effect, Either, Schema } from "effect"
import { createHash } from "node:crypto"
import { channelSetting } from "../../../../schema/alert/Channel.ts"
import type { WorkspaceEvent } from "../../../../schema/event/Event.ts"
import { optional, Timestamp } from "../../../../schema/Fields.ts"
import type { EmailAddress } from "../../../../schema/people/Person.ts"
import { alertMessage } from "../../../domain/alert/AlertMessage.ts"
import { Answer } from "../../../domain/alert/DeliveryVerdict.ts"
import { incidentOf } from "../../../domain/alert/EventRouting.ts"
import { DirectMail, type DirectMessage, type SendsMail } from "../../mail/DirectMail.ts"
import { inLine, inThread, layOut, type MailParts, oneClick } from "../../mail/MailLayout.ts"
import { makeChannelKind, type Message } from "../ChannelKind.ts"

const Settings = Schema.Struct({ emails: Schema.typeSchema(channelSetting.emails) })
type Settings = typeof Settings.Type

/** The mail to all recipients. The link by which each leaves the channel is added when the mail is sent. */
const Body = Schema.parseJson(
  Schema.Struct({
    title: Schema.String,
    /** Markdown. */
    message: optional(Schema.String),
    paragraphs: Schema.Array(Schema.String),
    facts: Schema.Array(Schema.Struct({ label: Schema.String, value: Schema.String })),
    tone: Schema.Literal("down", "degraded", "good", "notice"),
    action: Schema.NullOr(Schema.Struct({ label: Schema.String, link: Schema.String })),
    /** Where the incident is, if the action acknowledges it. */
    open: optional(Schema.Struct({ label: Schema.String, link: Schema.String })),
    /** Missing in what an older release rendered, and if the event is about none. */
    incidentId: optional(Schema.String),
    at: Timestamp
  })
)
type Body = typeof Body.Type

const render = (event: WorkspaceEvent, acknowledge: string | null): string => {
  const { at, facts, isMarkdown = false, link, text, title, tone } = alertMessage(event, acknowledge)
  const { link: open } = alertMessage(event, null)
  const incidentId = incidentOf(event)
  return Schema.encodeSync(Body)({
    title,
    ...(isMarkdown ? { message: text } : {}),
    paragraphs: isMarkdown ? [] : text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== ""),
    facts,
    tone,
    action: link === null ? null : { label: link.label, link: link.url },
    ...(acknowledge === null || open === null ? {} : { open: { label: open.label, link: open.url } }),
    ...(incidentId === null ? {} : { incidentId }),
    at
  })
}

type Recipient = Parameters<SendsMail["leaveLink"]>[0]

const contentOf = (
  { action, facts, incidentId, message, open, paragraphs, title, tone }: Body,
  mail: SendsMail,
  to: Recipient
) => {
  const leaveLink = mail.leaveLink(to)
  const parts: MailParts = {
    title,
    ...(message === undefined ? {} : { message }),
    paragraphs,
    facts,
    tone,
    // The timeline then names the recipient, not the channel.
    action: action === null || open === undefined ? action : { ...action, link: mail.linkFor(action.link, to) },
    closing: [
      ...(open === undefined ? [] : [{ label: open.label, link: open.link }]),
      "A team lists you as a recipient of its alerts.",
      { label: "Stop these alerts", link: leaveLink }
    ]
  }
  return { ...layOut(parts), headers: { ...oneClick(leaveLink), ...inThread(incidentId ?? null) } }
}

/** The same at each attempt, and another for each recipient. */
const idOf = ({ channelId, eventId }: Message, to: EmailAddress): string =>
  `${eventId}.${channelId}.${createHash("sha256").update(to).digest("hex").slice(0, 12)}`

const atOnce = 4

/** The answers of all recipients as one. If the server has accepted one mail, those that failed go on by themselves. */
const settle = (
  answers: ReadonlyArray<readonly [DirectMessage, Answer]>,
  queue: (mail: DirectMessage) => Effect.Effect<void>
) => {
  const failed = answers.flatMap(([mail, answer]) => (answer._tag === "Unanswered" ? [{ mail, answer }] : []))
  const [first] = failed
  const refused = answers.flatMap(([{ to }, answer]) => (answer._tag === "Impossible" ? [{ to, answer }] : []))
  if (answers.some(([, { _tag }]) => _tag === "Accepted")) {
    const notes = [
      ...refused.map(({ answer, to }) => `${to}: ${answer.reason}`),
      ...failed.map(({ answer, mail }) => `${mail.to}: ${answer.reason}. This mail is tried again`)
    ]
    return Effect.as(
      Effect.forEach(failed, ({ mail }) => queue(mail), { discard: true }),
      Answer.Accepted(notes.length === 0 ? {} : { note: notes.join("; "), isProblem: refused.length > 0 })
    )
  }
  if (first !== undefined) return Effect.succeed(first.answer)
  if (answers.some(([, { _tag }]) => _tag === "Captured")) return Effect.succeed(Answer.Captured())
  return Effect.succeed(refused[0]?.answer ?? Answer.Impossible({ reason: "The channel has no recipients" }))
}

const send = Effect.fnUntraced(function*(message: Message, { emails }: Settings) {
  const mail = yield* DirectMail
  const body = Schema.decodeEither(Body)(message.body)
  if (mail === null || Either.isLeft(body)) return Answer.Impossible({ reason: "The stored message cannot be sent" })
  const { channelId, timeoutMs, workspaceId } = message
  const answers = yield* Effect.forEach([...new Set(emails)], (to) => {
    const one: DirectMessage = {
      id: idOf(message, to),
      workspaceId,
      to,
      subject: inLine(body.right.title, 200),
      content: contentOf(body.right, mail, { workspaceId, channelId, email: to }),
      at: body.right.at,
      isBulk: false
    }
    return Effect.map(mail.attempt(one, timeoutMs), (answer) => [one, answer] as const)
  }, { concurrency: atOnce })
  return yield* settle(answers, mail.queue)
})

export const email = makeChannelKind({
  type: "email",
  settings: Settings,
  sealed: {},
  signs: false,
  problems: ({ emails }) =>
    Effect.succeed(emails?.length === 0 ? [{ path: "emails", message: "An email channel needs at least one recipient" }] : []),
  render,
  send
})
