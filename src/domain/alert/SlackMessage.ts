/** A Slack message with blocks, within the limits of https://docs.slack.dev/reference/block-kit/blocks. */
import { slackText } from "../markdown/ChatDialects.ts"
import { cut, cutEscaped } from "../tools/text/TrimText.ts"
import type { AlertMessage, Tone } from "./AlertMessage.ts"
import { chatText } from "./AlertText.ts"

const colors = { down: "#d92d20", degraded: "#f79009", good: "#12b76a", notice: "#2e90fa" } as const satisfies Record<
  Tone,
  string
>

const mrkdwn = (text: string) => ({ type: "mrkdwn", text })

const mostFields = 10

const sections = (message: AlertMessage) => {
  const text = chatText("slack", message, 3000)
  return text === "" ? [] : [{ type: "section", text: mrkdwn(text) }]
}

export const slackMessage = (message: AlertMessage) => {
  const { facts, incidentId, link, manage, title, tone } = message
  return {
    // Shown in notifications, and by clients that know no blocks. It is escaped text.
    text: slackText(cut(title, 500)),
    attachments: [{
      color: colors[tone],
      blocks: [
        { type: "header", text: { type: "plain_text", text: cut(title, 150), emoji: false } },
        ...sections(message),
        ...(facts.length === 0 ? [] : [{
          type: "section",
          fields: facts.slice(0, mostFields).map(({ label, value }) =>
            mrkdwn(`*${slackText(label)}*\n${cutEscaped(value, 1900, slackText)}`)
          )
        }]),
        ...(link === null ? [] : [{
          type: "actions",
          // Where messages can have buttons, they take the link's place (SlackButtons.ts).
          ...(incidentId === undefined ? {} : { block_id: incidentId }),
          elements: [{ type: "button", text: { type: "plain_text", text: cut(link.label, 75) }, url: link.url.slice(0, 3000) }]
        }]),
        ...(manage === undefined
          ? []
          : [{ type: "context", elements: [mrkdwn(`<${manage.url}|${slackText(manage.label)}>`)] }])
      ]
    }]
  }
}
