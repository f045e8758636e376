/** A message for ntfy (https://docs.ntfy.sh/publish/#publish-as-json), without its topic. */
import { cut } from "../tools/text/TrimText.ts"
import type { AlertMessage, Tone } from "./AlertMessage.ts"
import { alertText } from "./AlertText.ts"

const priorities = { down: 5, degraded: 4, good: 3, notice: 3 } as const satisfies Record<Tone, number>

/** Shown as emojis. */
const tags: Readonly<Record<Tone, string>> = {
  down: "rotating_light",
  degraded: "warning",
  good: "white_check_mark",
  notice: "information_source"
}

/** ntfy makes longer messages attachments: 4,096 bytes. */
const mostText = 900

export const ntfyMessage = (message: AlertMessage) => {
  const { facts, link, title, tone } = message
  return {
    title: cut(title, 250),
    message: cut(
      [alertText(message), ...facts.map(({ label, value }) => `${label}: ${value}`)].filter((line) => line !== "").join("\n") ||
        title,
      mostText
    ),
    priority: priorities[tone],
    tags: [tags[tone]],
    ...(link === null ? {} : { click: link.url, actions: [{ action: "view", label: link.label, url: link.url }] })
  }
}
