/** Discord's API, with the bot token of an application (https://docs.discord.com/developers/resources/message#create-message). */
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { readDiscord } from "../../domain/alert/answers/DiscordAnswer.ts"
import { withDiscordButtons } from "../../domain/chat/DiscordButtons.ts"
import { ChannelAddresses } from "../alert/ChannelAddresses.ts"
import type { Message } from "../alert/ChannelKind.ts"
import { deliveryHeaders, postDelivery, withFields } from "../alert/PostDelivery.ts"

const meanings: Readonly<Record<number, string>> = {
  401: "Discord does not know the bot token",
  403: "Discord does not let the bot post in the channel; give it the permissions View Channel, Send Messages and Embed Links",
  404: "Discord does not know the channel, or the bot is not in its server",
  429: "Discord limits how often the bot may post"
}

interface DiscordApp {
  readonly botToken: string
  readonly chatId: string
  readonly hasButtons: boolean
}

/** Discord posts a message with one nonce once in a few minutes; it has 25 characters at most. */
const nonceOf = ({ channelId, eventId }: Message): string =>
  createHash("sha256").update(`${eventId} ${channelId}`).digest("base64url").slice(0, 25)

export const postDiscordMessage = (message: Message, { botToken, chatId, hasButtons }: DiscordApp) =>
  Effect.flatMap(ChannelAddresses, ({ discord: base }) =>
    postDelivery(
      {
        url: new URL(`${base}/channels/${chatId}/messages`),
        headers: { ...deliveryHeaders, authorization: `Bot ${botToken}` },
        body: withFields(
          withFields(hasButtons ? withDiscordButtons(message.body) : message.body, { nonce: nonceOf(message) }),
          { enforce_nonce: true }
        ),
        timeoutMs: message.timeoutMs
      },
      { meanings, read: readDiscord, secrets: [botToken] }
    ))
