/** Direct messages in Discord, with buttons, from the application of the workspace's channel. The person and its bot share a server. */
import { Effect, Option, Schema } from "effect"
import { wayAddress } from "../../../../schema/oncall/Way.ts"
import { Answer } from "../../../domain/alert/DeliveryVerdict.ts"
import { discordMessage, postedOnce } from "../../../domain/alert/DiscordMessage.ts"
import { chatPage, codeText, testText } from "../../../domain/chat/ChatPage.ts"
import type { Message } from "../../alert/ChannelKind.ts"
import { formProblems } from "../../alert/PostDelivery.ts"
import { appBotOf, noDiscordBot } from "../../chat/ChatBots.ts"
import { writeToDiscordMember } from "../../chat/DiscordApi.ts"
import { makeWayKind, type WayMessage } from "../WayKind.ts"

const Address = Schema.Struct({ member: wayAddress.member })
type Address = typeof Address.Type

const body = (message: WayMessage): object => {
  switch (message._tag) {
    case "Page":
      return { ...discordMessage(chatPage(message)), ...postedOnce(message.pagingId) }
    case "Code":
      return { content: codeText(message.code) }
    case "Test":
      return { content: testText }
  }
}

const send = Effect.fnUntraced(function*(message: Message, { member }: Address) {
  const bot = yield* appBotOf(message.workspaceId, "discord")
  return Option.isNone(bot)
    ? Answer.Impossible({ reason: noDiscordBot })
    : yield* writeToDiscordMember(message, { ...bot.value, member })
})

export const discord = makeWayKind({
  kind: "discord",
  address: Address,
  shown: ({ member }) => member,
  label: "Discord",
  proof: "code",
  isPersonal: true,
  problems: ({ member }) =>
    Effect.succeed(formProblems("member", member, /^\d{15,20}$/, "Expected the id of a Discord user: digits only")),
  missing: Effect.succeed(null),
  missingIn: (workspaceId) => Effect.map(appBotOf(workspaceId, "discord"), (bot) => Option.isNone(bot) ? noDiscordBot : null),
  compose: (message) => JSON.stringify(body(message)),
  send
})
