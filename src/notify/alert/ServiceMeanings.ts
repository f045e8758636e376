/** The meanings of refusals of chat services, and the remedies. The text of a response is never repeated. */

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors */
export const slackMeanings: Readonly<Record<number, string>> = {
  400: "Slack refuses the message",
  403: "Slack does not let this webhook post; ask an admin of the Slack workspace",
  404: "Slack does not know this webhook; create a new one",
  410: "The Slack channel is archived; create a webhook for another channel",
  429: "Slack limits how often this webhook may post"
}

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes */
export const discordMeanings: Readonly<Record<number, string>> = {
  400: "Discord refuses the message",
  401: "Discord does not know this webhook; create a new one",
  403: "Discord does not let this webhook post",
  404: "Discord does not know this webhook; create a new one",
  429: "Discord limits how often this webhook may post"
}
