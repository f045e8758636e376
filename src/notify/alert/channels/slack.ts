/**
 * Slack channels: a message with blocks, posted to an incoming webhook
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
 */
import { readSlack } from "../../../domain/alert/answers/SlackAnswer.ts"
import { slackMessage } from "../../../domain/alert/SlackMessage.ts"
import { makeChatWebhook } from "../ChatWebhook.ts"

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors */
const meanings: Readonly<Record<number, string>> = {
  400: "Slack refuses the message",
  403: "Slack does not let this webhook post; ask an admin of the Slack workspace",
  404: "Slack does not know this webhook; create a new one",
  410: "The Slack channel is archived; create a webhook for another channel",
  429: "Slack limits how often this webhook may post"
}

export const slackRules = { meanings, read: readSlack }

export const slack = makeChatWebhook("slack", slackMessage, slackRules)
