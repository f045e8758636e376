/** Slack channels: a message with blocks, posted to an incoming webhook (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). */
import { Effect, Schema } from "effect"
import { channelSetting } from "../../../../schema/alert/Channel.ts"
import { alertMessage } from "../../../domain/alert/AlertMessage.ts"
import { slackMessage } from "../../../domain/alert/SlackMessage.ts"
import type { Message } from "../ChannelKind.ts"
import { makeChannelKind } from "../MakeChannelKind.ts"
import { blockedProblems, deliveryHeaders, postDelivery, shownUrl } from "../PostDelivery.ts"
import { slackMeanings } from "../ServiceMeanings.ts"

const Settings = Schema.Struct({ url: channelSetting.url })
type Settings = typeof Settings.Type

export const slack = makeChannelKind({
  type: "slack",
  settings: Settings,
  // Anyone who knows the URL can post.
  sealed: { url: shownUrl },
  signs: false,
  problems: ({ url }) => url === undefined ? Effect.succeed([]) : blockedProblems("url", new URL(url)),
  render: (event, acknowledge) => JSON.stringify(slackMessage(alertMessage(event, acknowledge))),
  send: ({ body, timeoutMs }: Message, { url }: Settings) =>
    postDelivery({ url: new URL(url), headers: deliveryHeaders, body, timeoutMs }, { meanings: slackMeanings })
})
