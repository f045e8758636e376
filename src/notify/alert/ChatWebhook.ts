/** Makes the channels of chat services that take a message as JSON at a webhook. */
import { Schema } from "effect"
import { channelSetting, type ChannelType } from "../../../schema/alert/Channel.ts"
import { type AlertMessage, alertMessage } from "../../domain/alert/AlertMessage.ts"
import { makeChannelKind } from "./ChannelKind.ts"
import { blockedProblems, deliveryHeaders, postDelivery, type ServiceRules, shownUrl } from "./PostDelivery.ts"

export const makeChatWebhook = (
  type: ChannelType,
  format: (message: AlertMessage) => unknown,
  rules: ServiceRules
) =>
  makeChannelKind({
    type,
    settings: Schema.Struct({ url: channelSetting.url }),
    // Anyone who knows the URL can post.
    sealed: { url: shownUrl },
    signs: false,
    problems: ({ url }) => blockedProblems(url),
    render: (event, acknowledge) => JSON.stringify(format(alertMessage(event, acknowledge))),
    send: ({ body, timeoutMs }, { url }) => postDelivery({ url: new URL(url), headers: deliveryHeaders, body, timeoutMs }, rules)
  })
