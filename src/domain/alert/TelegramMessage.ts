/** A Telegram message in MarkdownV2 (https://core.telegram.org/bots/api#markdownv2-style). */
import { cut } from "../tools/TrimText.ts"
import type { AlertMessage, Tone } from "./AlertMessage.ts"

const symbols = { down: "🔴", degraded: "🟠", good: "🟢", notice: "🔵" } as const satisfies Record<Tone, string>

const escaped = (text: string): string => text.replace(/[\\_*[\]()~`>#+\-=|{}.!]/g, "\\$&")

/** In the address of a link, only these two characters end it. */
const escapedLink = (url: string): string => url.replace(/[\\)]/g, "\\$&")

/** Telegram counts 4,096 characters after the formatting; the parts together stay below. */
export const telegramMessage = ({ facts, link, text, title, tone }: AlertMessage) => ({
  text: [
    `${symbols[tone]} *${escaped(cut(title, 300))}*`,
    ...(text.trim() === "" ? [] : [escaped(cut(text, 2500))]),
    ...(facts.length === 0
      ? []
      : [facts.slice(0, 5).map(({ label, value }) => `${escaped(label)}: ${escaped(cut(value, 200))}`).join("\n")]),
    ...(link === null ? [] : [`[${escaped(link.label)}](${escapedLink(link.url)})`])
  ].join("\n\n"),
  parse_mode: "MarkdownV2",
  link_preview_options: { is_disabled: true }
})
