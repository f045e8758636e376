/**
 * Slack channels: a message with blocks, posted to an incoming webhook
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks), or by an app with its bot token. With the app's signing
 * secret, messages have buttons.
 */
import { Effect, Schema } from "effect"
import { channelSetting } from "../../../../schema/alert/Channel.ts"
import { optional } from "../../../../schema/Fields.ts"
import { mask } from "../../../../schema/Mask.ts"
import { alertMessage } from "../../../domain/alert/AlertMessage.ts"
import { readSlack } from "../../../domain/alert/answers/SlackAnswer.ts"
import { slackMessage } from "../../../domain/alert/SlackMessage.ts"
import { withSlackButtons } from "../../../domain/chat/SlackButtons.ts"
import { postSlackMessage } from "../../chat/SlackApi.ts"
import { makeChannelKind, type Problem } from "../ChannelKind.ts"
import { blockedProblems, formProblems, postToWebhook, shownUrl } from "../PostDelivery.ts"

const Settings = Schema.Struct({
  url: optional(channelSetting.url),
  botToken: optional(channelSetting.botToken),
  chatId: optional(channelSetting.chatId),
  appSecret: optional(channelSetting.appSecret)
})
type Settings = typeof Settings.Type

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors */
const meanings: Readonly<Record<number, string>> = {
  400: "Slack refuses the message",
  403: "Slack does not let this webhook post; ask an admin of the Slack workspace",
  404: "Slack does not know this webhook; create a new one",
  410: "The Slack channel is archived; create a webhook for another channel",
  429: "Slack limits how often this webhook may post"
}

export const slackRules = { meanings, read: readSlack }

const problems = ({ appSecret, botToken, chatId, url }: Partial<Settings>) =>
  Effect.map(blockedProblems(url), (blocked): ReadonlyArray<Problem> => [
    ...blocked,
    ...formProblems("botToken", botToken, /^xox[\x21-\x7e]+$/, "Expected the bot token of a Slack app, which begins with xoxb-"),
    ...formProblems(
      "chatId",
      chatId,
      /^[CDG][A-Z0-9]+$/,
      "Expected the id of a Slack channel such as C012AB3CD, from its details"
    ),
    ...formProblems("appSecret", appSecret, /^[\x21-\x7e]+$/, "Expected the signing secret of a Slack app, without spaces")
  ])

const lacks = ({ botToken, chatId, url }: Settings): ReadonlyArray<Problem> =>
  url !== undefined || (botToken !== undefined && chatId !== undefined)
    ? []
    : botToken === undefined && chatId === undefined
    ? [{ path: "url", message: "url is required for slack channels, or botToken and chatId" }]
    : [{
      path: botToken === undefined ? "botToken" : "chatId",
      message: "botToken and chatId belong together, unless there is a url"
    }]

/** By the app where it has a channel, else by the webhook. */
const send = ({ body, timeoutMs }: { readonly body: string; readonly timeoutMs: number }, settings: Settings) => {
  const { appSecret = null, botToken, chatId, url } = settings
  if (botToken !== undefined && chatId !== undefined) {
    return postSlackMessage({ botToken, appSecret }, { channel: chatId, body, timeoutMs })
  }
  return postToWebhook(url, { body: appSecret === null ? body : withSlackButtons(body), timeoutMs }, slackRules)
}

export const slack = makeChannelKind({
  type: "slack",
  settings: Settings,
  // Anyone who knows the URL can post.
  sealed: { url: shownUrl, botToken: () => mask, appSecret: () => mask },
  signs: false,
  problems,
  lacks,
  render: (event, acknowledge) => JSON.stringify(slackMessage(alertMessage(event, acknowledge))),
  send
})
