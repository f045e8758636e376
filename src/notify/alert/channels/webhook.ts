/** Webhook channels: POST the team payload, signed according to Standard Webhooks. */
import { DateTime, Effect, Record, Schema } from "effect"
import { channelSetting } from "../../../../schema/alert/Channel.ts"
import { optional } from "../../../../schema/Fields.ts"
import { mask } from "../../../../schema/Mask.ts"
import { signedHeaders } from "../../../domain/alert/Signature.ts"
import { teamPayload, webhookHeaderProblems } from "../../../domain/alert/WebhookHeaders.ts"
import { makeChannelKind, type Message } from "../ChannelKind.ts"
import { blockedProblems, deliveryHeaders, postDelivery } from "../PostDelivery.ts"

const Settings = Schema.Struct({ url: channelSetting.url, headers: optional(channelSetting.headers) })
type Settings = typeof Settings.Type

const urlProblems = (text: string) => {
  const url = new URL(text)
  return url.username !== "" || url.password !== ""
    ? Effect.succeed([
      { path: "url", message: "The URL must not contain a user name or password; send them in headers.authorization" }
    ])
    : blockedProblems(url)
}

const problems = Effect.fn("webhook.problems")(function*({ headers = {}, url }: Partial<Settings>) {
  const ofHeaders = webhookHeaderProblems(headers).map(({ message, name }) => ({ path: `headers.${name}`, message }))
  return [...(url === undefined ? [] : yield* urlProblems(url)), ...ofHeaders]
})

const send = Effect.fnUntraced(function*(message: Message, { headers, url }: Settings) {
  const { body, eventId, signing, timeoutMs } = message
  const signed = signedHeaders(signing, { id: eventId, body }, DateTime.toEpochMillis(yield* DateTime.now))
  return yield* postDelivery({ url: new URL(url), headers: { ...headers, ...deliveryHeaders, ...signed }, body, timeoutMs })
})

export const webhook = makeChannelKind({
  type: "webhook",
  settings: Settings,
  sealed: { headers: Record.map(() => mask) },
  signs: true,
  problems,
  render: teamPayload,
  send
})
