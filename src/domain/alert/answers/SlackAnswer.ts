/**
 * Answers of Slack's incoming webhooks: a word, or JSON with it
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors).
 */
import { entryOf, textAt } from "../../import/Loose.ts"
import { type Fate, fieldsOf, type ReadAnswer } from "./ServiceAnswer.ts"

const removed = "The Slack webhook was removed or switched off; create a new one"
const refused = "Slack refuses the message"
const forbidden = "An admin of the Slack workspace does not let this webhook post in the channel"

const refusals: Readonly<Record<string, readonly [means: string, fate: Fate]>> = {
  no_service: [removed, "gone"],
  no_service_id: [removed, "gone"],
  no_active_hooks: [removed, "gone"],
  invalid_token: ["The URL of the Slack webhook is wrong; copy it again", "gone"],
  no_team: ["The Slack workspace no longer exists; create a webhook in another one", "gone"],
  team_disabled: ["The Slack workspace is switched off; create a webhook in another one", "gone"],
  user_not_found: ["The person whom the Slack webhook posts to is unknown; create a webhook for a channel", "gone"],
  channel_not_found: ["The Slack channel was deleted; create a webhook for another channel", "gone"],
  channel_is_archived: ["The Slack channel is archived; create a webhook for another channel", "gone"],
  action_prohibited: [forbidden, "gone"],
  posting_to_general_channel_denied: [forbidden, "gone"],
  invalid_payload: [refused, "final"],
  invalid_blocks: [refused, "final"],
  invalid_attachments: [refused, "final"],
  no_text: [refused, "final"],
  too_many_attachments: [refused, "final"],
  msg_too_long: [refused, "final"],
  rate_limited: ["Slack limits how often this webhook may post", "retry"],
  ratelimited: ["Slack limits how often this webhook may post", "retry"],
  rollup_error: ["Slack failed", "retry"],
  service_unavailable: ["Slack failed", "retry"],
  internal_error: ["Slack failed", "retry"],
  fatal_error: ["Slack failed", "retry"]
}

export const readSlack: ReadAnswer = (answer) => {
  const word = textAt(fieldsOf(answer), "error") ?? answer.body.trim()
  const [meaning, fate] = entryOf(refusals, word) ?? []
  if (meaning !== undefined && fate !== undefined) return { meaning, words: word, fate }
  return answer.statusCode === 404 || answer.statusCode === 410 ? { fate: "gone" } : {}
}
