/** ntfy channels: push notifications to phones, by ntfy.sh or a server of one's own (https://docs.ntfy.sh). */
import { Effect, Schema } from "effect"
import { channelSetting } from "../../../../schema/alert/Channel.ts"
import { optional } from "../../../../schema/Fields.ts"
import { mask } from "../../../../schema/Mask.ts"
import { alertMessage } from "../../../domain/alert/AlertMessage.ts"
import { readNtfy } from "../../../domain/alert/answers/NtfyAnswer.ts"
import { ntfyMessage } from "../../../domain/alert/NtfyMessage.ts"
import { ChannelAddresses } from "../ChannelAddresses.ts"
import { makeChannelKind } from "../ChannelKind.ts"
import { blockedProblems, deliveryHeaders, formProblems, postDelivery, withFields } from "../PostDelivery.ts"

const Settings = Schema.Struct({
  topic: channelSetting.topic,
  url: optional(channelSetting.url),
  token: optional(channelSetting.token)
})
type Settings = typeof Settings.Type

const meanings: Readonly<Record<number, string>> = {
  400: "ntfy refuses the message; check the topic",
  401: "ntfy does not accept the access token",
  403: "ntfy does not let this access token publish to the topic",
  404: "There is no ntfy server at this address",
  413: "ntfy refuses the message because it is too large",
  429: "ntfy limits how often may be published",
  507: "The ntfy server has no space left"
}

const problems = Effect.fn("ntfy.problems")(function*({ token, topic, url }: Partial<Settings>) {
  return [
    ...formProblems("topic", topic, /^[\w-]{1,64}$/, "Expected 1 to 64 letters, digits, hyphens and underscores"),
    ...formProblems("token", token, /^[\x21-\x7e]+$/, "Expected an access token without spaces"),
    ...(yield* blockedProblems(url))
  ]
})

export const ntfy = makeChannelKind({
  type: "ntfy",
  settings: Settings,
  sealed: { token: () => mask },
  signs: false,
  problems,
  render: (event, acknowledge) => JSON.stringify(ntfyMessage(alertMessage(event, acknowledge))),
  send: ({ body, timeoutMs }, { token, topic, url }) =>
    Effect.flatMap(ChannelAddresses, ({ ntfy: base }) =>
      postDelivery({
        url: new URL(url ?? base),
        headers: { ...deliveryHeaders, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
        body: withFields(body, { topic }),
        timeoutMs
      }, { meanings, read: readNtfy }))
})
