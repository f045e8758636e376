/** A Teams message with an Adaptive Card (https://adaptivecards.io/explorer). Teams takes at most 28 kB. */
import { cut } from "../tools/TrimText.ts"
import type { AlertMessage, Tone } from "./AlertMessage.ts"

const colors = { down: "attention", degraded: "warning", good: "good", notice: "accent" } as const satisfies Record<Tone, string>

/** Text blocks are Markdown. */
const escaped = (text: string): string => text.replace(/[\\*_[\]()#`<>~-]/g, "\\$&")

const block = (text: string, more: object = {}) => ({ type: "TextBlock", text, wrap: true, ...more })

export const teamsMessage = ({ facts, link, text, title, tone }: AlertMessage) => ({
  type: "message",
  attachments: [{
    contentType: "application/vnd.microsoft.card.adaptive",
    contentUrl: null,
    content: {
      $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
      type: "AdaptiveCard",
      version: "1.4",
      body: [
        block(escaped(cut(title, 300)), { size: "Medium", weight: "Bolder", color: colors[tone] }),
        ...(text.trim() === "" ? [] : [block(escaped(cut(text, 3000)))]),
        ...(facts.length === 0 ? [] : [{
          type: "FactSet",
          facts: facts.slice(0, 10).map(({ label, value }) => ({ title: label, value: escaped(cut(value, 300)) }))
        }])
      ],
      actions: link === null ? [] : [{ type: "Action.OpenUrl", title: link.label, url: link.url }]
    }
  }]
})
