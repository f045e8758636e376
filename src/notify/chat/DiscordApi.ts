/** Discord's API, with the bot token of an application (https://docs.discord.com/developers/resources/message#create-message). */
import { Effect } from "effect"
import { readDiscord, saysUserIsGone } from "../../domain/alert/answers/DiscordAnswer.ts"
import { fieldsOf } from "../../domain/alert/answers/ServiceAnswer.ts"
import { Answer } from "../../domain/alert/DeliveryVerdict.ts"
import { postedOnce } from "../../domain/alert/DiscordMessage.ts"
import { withDiscordButtons } from "../../domain/chat/DiscordButtons.ts"
import { textAt } from "../../domain/import/Loose.ts"
import { ChannelAddresses } from "../alert/ChannelAddresses.ts"
import type { Message } from "../alert/ChannelKind.ts"
import { deliveryHeaders, postAndRead, withFields } from "../alert/PostDelivery.ts"

const meanings: Readonly<Record<number, string>> = {
  401: "Discord does not know the bot token",
  403: "Discord does not let the bot post in the channel; give it the permissions View Channel, Send Messages and Embed Links",
  404: "Discord does not know the channel, or the bot is not in its server",
  429: "Discord limits how often the bot may post"
}

interface DiscordApp {
  readonly botToken: string
  /** By which presses of buttons are believed; null if the messages have none. */
  readonly appSecret: string | null
}

const call = (path: string, botToken: string, body: string, timeoutMs: number) =>
  Effect.flatMap(ChannelAddresses, ({ discord: base }) =>
    postAndRead(
      {
        url: new URL(`${base}/${path}`),
        headers: { ...deliveryHeaders, authorization: `Bot ${botToken}` },
        body,
        timeoutMs
      },
      { meanings, read: readDiscord, secrets: [botToken] }
    ))

const post = ({ appSecret, botToken }: DiscordApp, chatId: string, body: string, timeoutMs: number) =>
  call(`channels/${chatId}/messages`, botToken, appSecret === null ? body : withDiscordButtons(body), timeoutMs)

/** Posts a message to a channel in the name of the application, once, however often it is attempted. */
export const postDiscordMessage = (
  { body, channelId, eventId, timeoutMs }: Message,
  app: DiscordApp & { readonly chatId: string }
) =>
  Effect.map(
    post(app, app.chatId, withFields(body, postedOnce(`${eventId} ${channelId}`)), timeoutMs),
    ({ answer }) => answer
  )

type Called = Effect.Effect.Success<ReturnType<typeof call>>

/** A fault of the application ends with that of the application; only that of the person ends the way to them. */
const ofPerson = ({ answer, said }: Called): Answer =>
  answer._tag === "Answered" && answer.fate === "gone" && said !== null && !saysUserIsGone(said)
    ? Answer.Answered({ ...answer, fate: "final" })
    : answer

/** The same to a person who shares a server with the bot: Discord names the channel of the two first. */
export const writeToDiscordMember = Effect.fnUntraced(
  function*(message: Message, { member, ...app }: DiscordApp & { readonly member: string }) {
    // Two requests are one attempt.
    const timeoutMs = Math.floor(message.timeoutMs / 2)
    const opened = yield* call("users/@me/channels", app.botToken, JSON.stringify({ recipient_id: member }), timeoutMs)
    const chatId = opened.said === null || opened.said.statusCode >= 300 ? null : textAt(fieldsOf(opened.said), "id")
    return ofPerson(chatId === null ? opened : yield* post(app, chatId, message.body, timeoutMs))
  }
)
