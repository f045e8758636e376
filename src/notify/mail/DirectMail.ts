/** Mails that a delivery sends itself, so that its result is the answer of the mail server. */
import { Context, DateTime, Effect, Layer } from "effect"
import { MailId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { EmailAddress } from "../../../schema/people/Person.ts"
import { Answer, isFinal, type MailFailure } from "../../domain/alert/DeliveryVerdict.ts"
import { leaveToken } from "../../domain/mail/LeaveToken.ts"
import { Links } from "../../links/Links.ts"
import { LinkKeys } from "../../store/LinkKeys.ts"
import { type MailContent, Mails } from "../../store/mail/Mails.ts"
import { MailServer } from "./MailServer.ts"

export interface DirectMessage {
  /** The same at each attempt. */
  readonly id: string
  readonly workspaceId: WorkspaceId
  readonly to: EmailAddress
  readonly subject: string
  readonly content: MailContent
  readonly at: DateTime.Utc
  /** Set for one of many mails, which share connections. */
  readonly isBulk: boolean
}

const answerOf = (failure: MailFailure): Answer => {
  const { command, reason } = failure
  return isFinal(failure)
    ? Answer.Impossible({ reason, isGone: command?.startsWith("RCPT") === true })
    : Answer.Unanswered({ reason })
}

/** The time after which a mail that is queued after a failed attempt is no longer sent. */
const worth = { hours: 12 }

const make = Effect.gen(function*() {
  const currentServer = yield* MailServer
  const mails = yield* Mails
  const signer = yield* LinkKeys
  const links = yield* Links

  /** Leaves the mail to the queue of mails, which retries it by itself. Without a mail server it is kept for reading. */
  const queue = Effect.fn("DirectMail.queue")(function*({ content, isBulk, subject, to, workspaceId }: DirectMessage) {
    const expiresAt = (yield* currentServer) === null ? null : DateTime.add(yield* DateTime.now, worth)
    yield* mails.send({ workspaceId, priority: isBulk ? "bulk" : "standard", to, subject, ...content, expiresAt })
  })

  const attempt = Effect.fnUntraced(function*(message: DirectMessage, timeoutMs: number) {
    const server = yield* currentServer
    if (server === null) return yield* Effect.as(queue(message), Answer.Captured())
    const { at, content, id, isBulk, subject, to } = message
    const send = isBulk ? server.sendPooled : server.send
    return yield* send({ id: MailId.make(id), recipient: to, subject, createdAt: at }, content, timeoutMs).pipe(
      Effect.as<Answer>(Answer.Accepted({})),
      Effect.catchTag("SendFailed", ({ failure }) => Effect.succeed(answerOf(failure)))
    )
  })

  return {
    attempt,
    queue,
    /** A link that also says which recipient of a channel follows it. */
    linkFor: (link: string, recipient: Parameters<typeof leaveToken>[1]): string => `${link}?to=${leaveToken(signer, recipient)}`,
    leaveLink: (leaver: Parameters<typeof leaveToken>[1]): string => links.leaveChannel(leaveToken(signer, leaver))
  }
})

export type SendsMail = Effect.Effect.Success<typeof make>

/** Null in programs that send no mail, such as tests of other channels. */
export class DirectMail extends Context.Reference<DirectMail>()("belltower/DirectMail", {
  defaultValue: (): Effect.Effect.Success<typeof make> | null => null
}) {
  static readonly layer = Layer.effect(DirectMail, make)
}
