/** Opsgenie channels, also for services with the same alert API: alerts that open, are acknowledged and close. */
import { Effect, Either, Schema } from "effect"
import { channelSetting } from "../../../../schema/alert/Channel.ts"
import { optional } from "../../../../schema/Fields.ts"
import { mask } from "../../../../schema/Mask.ts"
import { alertMessage } from "../../../domain/alert/AlertMessage.ts"
import { readOpsgenie } from "../../../domain/alert/answers/OpsgenieAnswer.ts"
import { Answer } from "../../../domain/alert/DeliveryVerdict.ts"
import { opsgenieMessage } from "../../../domain/alert/OpsgenieMessage.ts"
import { newKey } from "../../../domain/alert/PagingAlerts.ts"
import { withoutTrailing } from "../../../domain/tools/text/TrimText.ts"
import { ChannelAddresses } from "../ChannelAddresses.ts"
import { makeChannelKind, type Message } from "../ChannelKind.ts"
import { blockedProblems, deliveryHeaders, formProblems, postDelivery } from "../PostDelivery.ts"

const Settings = Schema.Struct({ token: channelSetting.token, url: optional(channelSetting.url) })
type Settings = typeof Settings.Type

const meanings: Readonly<Record<number, string>> = {
  401: "The service does not accept the API key; for an account in the EU set url to https://api.eu.opsgenie.com",
  402: "The plan of the account does not allow this",
  403: "The API key may not create alerts, or is disabled; for an account in the EU set url to https://api.eu.opsgenie.com",
  404: "The service has no alert API at this address",
  422: "The service refuses the alert",
  429: "The service limits how often this key may send"
}

const Request = Schema.parseJson(
  Schema.Struct({ path: Schema.String, body: Schema.Record({ key: Schema.String, value: Schema.Unknown }) })
)

const problems = Effect.fn("opsgenie.problems")(function*({ token, url }: Partial<Settings>) {
  // The key goes into a header.
  const ofToken = formProblems("token", token, /^[\x21-\x7e]+$/, "Expected an API key without spaces")
  return [...ofToken, ...(yield* blockedProblems(url))]
})

const send = Effect.fnUntraced(function*({ body, timeoutMs }: Message, { token, url }: Settings) {
  const { opsgenie: base } = yield* ChannelAddresses
  const request = Schema.decodeEither(Request)(body)
  if (Either.isLeft(request)) return Answer.Impossible({ reason: "The stored message cannot be read" })
  return yield* postDelivery({
    url: new URL(withoutTrailing(url ?? base, "/") + request.right.path),
    headers: { ...deliveryHeaders, authorization: `GenieKey ${token}` },
    body: JSON.stringify(request.right.body),
    timeoutMs
  }, { meanings, read: readOpsgenie })
})

export const opsgenie = makeChannelKind({
  type: "opsgenie",
  settings: Settings,
  sealed: { token: () => mask },
  signs: false,
  problems,
  render: (event, acknowledge, alertKey) => {
    const message = alertMessage(event, acknowledge)
    return JSON.stringify(opsgenieMessage(message, alertKey ?? newKey(event, message.about)))
  },
  send
})
