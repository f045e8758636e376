/**
 * A Discord message with an embed, within the limits of
 * https://discord.com/developers/docs/resources/message#embed-object-embed-limits.
 */
import { DateTime } from "effect"
import { createHash } from "node:crypto"
import { discordText } from "../markdown/ChatDialects.ts"
import { cutEscaped } from "../tools/text/TrimText.ts"
import type { AlertMessage, Tone } from "./AlertMessage.ts"
import { chatText } from "./AlertText.ts"

const colors = { down: 0xd92d20, degraded: 0xf79009, good: 0x12b76a, notice: 0x2e90fa } as const satisfies Record<Tone, number>

const within = (text: string, max: number): string => cutEscaped(text, max, discordText)

const description = (message: AlertMessage) => {
  const { manage } = message
  const parts = [
    chatText("discord", message, 2000),
    manage === undefined ? "" : `[${discordText(manage.label)}](${manage.url})`
  ]
  const text = parts.filter((part) => part !== "").join("\n\n")
  return text === "" ? {} : { description: text }
}

const mostFields = 10

/** The parts together stay below 6,000 characters. */
export const discordMessage = (message: AlertMessage) => {
  const { at, facts, link, title, tone } = message
  return {
    embeds: [{
      title: within(title, 256),
      ...description(message),
      ...(link === null ? {} : { url: link.url }),
      color: colors[tone],
      timestamp: DateTime.formatIso(at),
      fields: facts.slice(0, mostFields).map(({ label, value }) => ({ name: label, value: within(value, 300), inline: true }))
    }],
    allowed_mentions: { parse: [] }
  }
}

/** Discord posts a message with one nonce once in a few minutes; it has 25 characters at most. */
export const postedOnce = (key: string) => ({
  nonce: createHash("sha256").update(key).digest("base64url").slice(0, 25),
  enforce_nonce: true
})
