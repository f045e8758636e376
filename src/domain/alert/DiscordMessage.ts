/**
 * A Discord message with an embed, within the limits of
 * https://discord.com/developers/docs/resources/message#embed-object-embed-limits.
 */
import { DateTime } from "effect"
import { cutEscaped } from "../tools/TrimText.ts"
import type { AlertMessage, Tone } from "./AlertMessage.ts"

const colors = { down: 0xd92d20, degraded: 0xf79009, good: 0x12b76a, notice: 0x2e90fa } as const satisfies Record<Tone, number>

/** Discord formats names and texts as Markdown, and would turn `@everyone` and `<@id>` into mentions. */
const escaped = (text: string): string => text.replace(/[\\*_~`|>[\]()#@<-]/g, "\\$&")

const within = (text: string, max: number): string => cutEscaped(text, max, escaped)

const mostFields = 10

/** The parts together stay below 6,000 characters. */
export const discordMessage = ({ at, facts, link, text, title, tone }: AlertMessage) => ({
  embeds: [{
    title: within(title, 256),
    ...(text.trim() === "" ? {} : { description: within(text, 2000) }),
    ...(link === null ? {} : { url: link.url }),
    color: colors[tone],
    timestamp: DateTime.formatIso(at),
    fields: facts.slice(0, mostFields).map(({ label, value }) => ({ name: label, value: within(value, 300), inline: true }))
  }],
  allowed_mentions: { parse: [] }
})
