/** A Telegram message in MarkdownV2 (https://core.telegram.org/bots/api#markdownv2-style). */
import { telegramButtons } from "../chat/TelegramUpdates.ts"
import { telegramText } from "../markdown/ChatDialects.ts"
import { cut } from "../tools/text/TrimText.ts"
import type { AlertMessage, Tone } from "./AlertMessage.ts"
import { chatText } from "./AlertText.ts"

const symbols = { down: "🔴", degraded: "🟠", good: "🟢", notice: "🔵" } as const satisfies Record<Tone, string>

/** In the address of a link, only these two characters end it. */
const escapedLink = (url: string): string => url.replace(/[\\)]/g, "\\$&")

/** Telegram counts 4,096 characters after the formatting; the parts together stay below. */
export const telegramMessage = (message: AlertMessage) => {
  const { facts, incidentId, link, title, tone } = message
  return {
    text: [
      `${symbols[tone]} *${telegramText(cut(title, 300))}*`,
      chatText("telegram", message, 2500),
      ...(facts.length === 0
        ? []
        : [facts.slice(0, 6).map(({ label, value }) => `${telegramText(label)}: ${telegramText(cut(value, 160))}`).join("\n")]),
      ...(link === null ? [] : [`[${telegramText(link.label)}](${escapedLink(link.url)})`])
    ].filter((part) => part !== "").join("\n\n"),
    parse_mode: "MarkdownV2",
    link_preview_options: { is_disabled: true },
    ...(incidentId === undefined ? {} : { reply_markup: telegramButtons(incidentId) })
  }
}
