/** A Slack message with blocks, within the limits of https://docs.slack.dev/reference/block-kit/blocks. */
import { cut, cutEscaped } from "../tools/TrimText.ts"
import type { AlertMessage, Tone } from "./AlertMessage.ts"

const colors = { down: "#d92d20", degraded: "#f79009", good: "#12b76a", notice: "#2e90fa" } as const satisfies Record<
  Tone,
  string
>

/** Slack's control characters (https://docs.slack.dev/messaging/formatting-message-text, escaping text). */
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const mrkdwn = (text: string, max: number) => ({ type: "mrkdwn", text: cutEscaped(text, max, escaped) })

const mostFields = 10

export const slackMessage = ({ facts, link, text, title, tone }: AlertMessage) => ({
  // Shown in notifications, and by clients that know no blocks. It is escaped text.
  text: escaped(cut(title, 500)),
  attachments: [{
    color: colors[tone],
    blocks: [
      { type: "header", text: { type: "plain_text", text: cut(title, 150), emoji: false } },
      ...(text.trim() === "" ? [] : [{ type: "section", text: mrkdwn(text, 3000) }]),
      ...(facts.length === 0 ? [] : [{
        type: "section",
        fields: facts.slice(0, mostFields).map(({ label, value }) => {
          const field = mrkdwn(value, 1900)
          return { ...field, text: `*${escaped(label)}*\n${field.text}` }
        })
      }]),
      ...(link === null ? [] : [{
        type: "actions",
        elements: [{ type: "button", text: { type: "plain_text", text: cut(link.label, 75) }, url: link.url.slice(0, 3000) }]
      }])
    ]
  }]
})
