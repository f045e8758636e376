/** Direct messages in Slack, from the app of the workspace's Slack channel, with buttons. */
import { Effect, Option, Schema } from "effect"
import { wayAddress } from "../../../../schema/oncall/Way.ts"
import { Answer } from "../../../domain/alert/DeliveryVerdict.ts"
import { slackMessage } from "../../../domain/alert/SlackMessage.ts"
import { chatPage, codeText, testText } from "../../../domain/chat/ChatPage.ts"
import { uuidOf } from "../../../domain/tools/Id.ts"
import type { Message } from "../../alert/ChannelKind.ts"
import { formProblems } from "../../alert/PostDelivery.ts"
import { appBotOf, noSlackBot } from "../../chat/ChatBots.ts"
import { findSlackMember, writeToSlackMember } from "../../chat/SlackApi.ts"
import { makeWayKind, type WayMessage } from "../WayKind.ts"

const Address = Schema.Struct({ member: wayAddress.member })
type Address = typeof Address.Type

/**
 * Slack posts a `client_msg_id` once (chat.postMessage: errors `duplicate_message_not_found`, `duplicate_channel_not_found`), so an attempt
 * after a crash shows nothing twice.
 */
const postedOnce = (pagingId: string) => {
  const id = uuidOf(pagingId)
  return id === null ? {} : { client_msg_id: id }
}

const body = (message: WayMessage): object => {
  switch (message._tag) {
    case "Page":
      return { ...slackMessage(chatPage(message)), ...postedOnce(message.pagingId) }
    case "Code":
      return { text: codeText(message.code) }
    case "Test":
      return { text: testText }
  }
}

const send = Effect.fnUntraced(function*({ body, timeoutMs, workspaceId }: Message, { member }: Address) {
  const bot = yield* appBotOf(workspaceId, "slack")
  return Option.isNone(bot)
    ? Answer.Impossible({ reason: noSlackBot })
    : yield* writeToSlackMember(bot.value, { channel: member, body, timeoutMs })
})

export const slack = makeWayKind({
  kind: "slack",
  address: Address,
  shown: ({ member }) => member,
  label: "Slack",
  proof: "code",
  isPersonal: true,
  problems: ({ member }) =>
    Effect.succeed(
      formProblems("member", member, /^[UW][A-Z0-9]+$/, "Expected the id of a member such as U012AB3CD, from their profile")
    ),
  missing: Effect.succeed(null),
  missingIn: (workspaceId) => Effect.map(appBotOf(workspaceId, "slack"), (bot) => Option.isNone(bot) ? noSlackBot : null),
  // Where no member is given, the person is found by the address that they sign in with.
  find: ({ member }, email, workspaceId) =>
    member !== undefined ? Effect.succeed({}) : Effect.flatMap(
      appBotOf(workspaceId, "slack"),
      Option.match({
        onNone: () => Effect.fail([{ path: "kind", message: noSlackBot }]),
        onSome: ({ botToken }) =>
          Effect.mapBoth(findSlackMember(botToken, email), {
            onFailure: (message) => [{ path: "member", message }],
            onSuccess: (found) => ({ member: found })
          })
      })
    ),
  compose: (message) => JSON.stringify(body(message)),
  send
})
