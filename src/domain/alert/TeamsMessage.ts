/** A Teams message with an Adaptive Card (https://adaptivecards.io/explorer). Teams takes at most 28 kB. */
import { teamsText } from "../markdown/ChatDialects.ts"
import { cut } from "../tools/text/TrimText.ts"
import type { AlertMessage, Tone } from "./AlertMessage.ts"
import { chatText } from "./AlertText.ts"

const colors = { down: "attention", degraded: "warning", good: "good", notice: "accent" } as const satisfies Record<Tone, string>

const block = (text: string, more: object = {}) => ({ type: "TextBlock", text, wrap: true, ...more })

const texts = (message: AlertMessage) => {
  const text = chatText("teams", message, 3000)
  return text === "" ? [] : [block(text)]
}

export const teamsMessage = (message: AlertMessage) => {
  const { facts, link, title, tone } = message
  return {
    type: "message",
    attachments: [{
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body: [
          block(teamsText(cut(title, 300)), { size: "Medium", weight: "Bolder", color: colors[tone] }),
          ...texts(message),
          ...(facts.length === 0 ? [] : [{
            type: "FactSet",
            facts: facts.slice(0, 10).map(({ label, value }) => ({ title: label, value: teamsText(cut(value, 300)) }))
          }])
        ],
        actions: link === null ? [] : [{ type: "Action.OpenUrl", title: link.label, url: link.url }]
      }
    }]
  }
}
