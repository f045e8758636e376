/** The words of a call, and TwiML of them (Twilio: TwiML for programmable voice). */
import { DateTime } from "effect"
import { cut } from "../tools/text/TrimText.ts"

/** UTF-16 units of a title that are spoken. */
const longestTitle = 200

const utcTime = (at: DateTime.Utc): string => DateTime.formatIso(at).slice(11, 16)

/** The sentence that is spoken twice. */
export const spokenPage = ({ startedAt, title }: { readonly title: string; readonly startedAt: DateTime.Utc }): string =>
  `Alert from Belltower. ${cut(title, longestTitle)}. Since ${utcTime(startedAt)} UTC.`

/** The digits with pauses between them. */
export const spokenCode = (code: string): string => `Your code for Belltower is ${[...code].join(", ")}.`

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&apos;" }

/** Text in XML 1.0, without the characters that it cannot have. */
const escaped = (text: string): string =>
  text.replace(/\p{Cf}/gu, "").replace(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]+/gu, " ").replace(/[&<>"']/g, (sign) => entities[sign] ?? "")

const document = (content: string): string => `<?xml version="1.0" encoding="UTF-8"?><Response>${content}</Response>`

const say = (text: string): string => `<Say>${escaped(text)}</Say>`

const twice = (text: string): string => `${say(text)}<Pause length="1"/>${say(text)}`

/** Speaks the text twice, waits for one key, and asks `keysAt` what follows it. */
export const askingTwiml = (text: string, keysAt: string): string =>
  document(
    `<Gather numDigits="1" timeout="10" method="POST" action="${escaped(keysAt)}">${
      twice(`${text} Press 1 to acknowledge. Press another key to hear it again.`)
    }</Gather>${say("No key was pressed. Goodbye.")}`
  )

/** Speaks the text twice. */
export const tellingTwiml = (text: string): string => document(twice(text))

/** Speaks the text once and ends the call. */
export const endingTwiml = (text: string): string => document(`${say(text)}<Hangup/>`)

/** The answer to news: nothing is to be done. */
export const emptyTwiml = document("")
