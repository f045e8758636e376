/** PagerDuty channels: alerts that open, are acknowledged and resolve by the Events API v2. */
import { Effect, Schema } from "effect"
import { channelSetting } from "../../../../schema/alert/Channel.ts"
import { optional } from "../../../../schema/Fields.ts"
import { mask } from "../../../../schema/Mask.ts"
import { alertMessage } from "../../../domain/alert/AlertMessage.ts"
import { readPagerDuty } from "../../../domain/alert/answers/PagerDutyAnswer.ts"
import { pagerDutyMessage } from "../../../domain/alert/PagerDutyMessage.ts"
import { newKey } from "../../../domain/alert/PagingAlerts.ts"
import { withoutTrailing } from "../../../domain/tools/text/TrimText.ts"
import { ChannelAddresses } from "../ChannelAddresses.ts"
import { makeChannelKind } from "../ChannelKind.ts"
import { blockedProblems, deliveryHeaders, postDelivery, withFields } from "../PostDelivery.ts"

const Settings = Schema.Struct({ token: channelSetting.token, url: optional(channelSetting.url) })

const meanings: Readonly<Record<number, string>> = {
  400: "PagerDuty refuses the event; check that token is the integration key of an Events API v2 integration",
  403: "PagerDuty does not accept the routing key",
  429: "PagerDuty limits how often this integration may send"
}

/** An alert has an action; a change event has none. */
const pathOf = (body: string): string => body.startsWith("{\"event_action\"") ? "/v2/enqueue" : "/v2/change/enqueue"

export const pagerduty = makeChannelKind({
  type: "pagerduty",
  settings: Settings,
  sealed: { token: () => mask },
  signs: false,
  problems: ({ url }) => blockedProblems(url),
  render: (event, acknowledge, alertKey) => {
    const message = alertMessage(event, acknowledge)
    return JSON.stringify(pagerDutyMessage(message, alertKey ?? newKey(event, message.about)))
  },
  send: ({ body, timeoutMs }, { token, url }) =>
    Effect.flatMap(ChannelAddresses, ({ pagerduty: base }) =>
      postDelivery({
        url: new URL(withoutTrailing(url ?? base, "/") + pathOf(body)),
        headers: deliveryHeaders,
        body: withFields(body, { routing_key: token }),
        timeoutMs
      }, { meanings, read: readPagerDuty, secrets: [token] }))
})
