/** The text of an SMS: how many messages the network makes of it (3GPP TS 23.038, 23.040), and what is cut so that it is one. */

/** The characters of the 7-bit alphabet; those of its second table take two septets. */
const basic = new Set([
  ..."@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?",
  ..."¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
])
const second = new Set("^{}\\[~]|€")

const septetsOf = (character: string): number | null => basic.has(character) ? 1 : second.has(character) ? 2 : null

interface SmsSize {
  readonly alphabet: "GSM-7" | "UCS-2"
  /** 7-bit characters, or units of UTF-16. */
  readonly units: number
  /** The messages that it is sent as, each of which costs. */
  readonly messages: number
}

/** Several messages share their room with a header that joins them; no character is split between two. */
const messagesOf = (sizes: ReadonlyArray<number>, alone: number, joined: number): number => {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total <= alone) return 1
  const { full } = sizes.reduce(
    ({ full, used }, size) => used + size > joined ? { full: full + 1, used: size } : { full, used: used + size },
    { full: 0, used: 0 }
  )
  return full + 1
}

export const smsSize = (text: string): SmsSize => {
  const characters = [...text]
  const septets = characters.map(septetsOf)
  const isSevenBit = septets.every((size) => size !== null)
  const sizes = isSevenBit ? septets.map((size) => size ?? 0) : characters.map(({ length }) => length)
  return {
    alphabet: isSevenBit ? "GSM-7" : "UCS-2",
    units: sizes.reduce((sum, size) => sum + size, 0),
    messages: isSevenBit ? messagesOf(sizes, 160, 153) : messagesOf(sizes, 70, 67)
  }
}

const alike: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "‚": "'",
  "“": "\"",
  "”": "\"",
  "„": "\"",
  "«": "\"",
  "»": "\"",
  "–": "-",
  "—": "-",
  "‑": "-",
  "−": "-",
  "…": "...",
  "•": "-",
  "→": "->",
  "←": "<-",
  "×": "x",
  "`": "'",
  "´": "'",
  "ł": "l",
  "Ł": "L",
  "đ": "d",
  "Đ": "D",
  "ı": "i",
  "œ": "oe",
  "Œ": "OE",
  "þ": "th",
  "ð": "d"
}

/** A character in the 7-bit alphabet, without its accent if need be; none for a sign, null for a letter of another script. */
const sevenBit = (character: string): string | null => {
  if (septetsOf(character) !== null) return character
  if (/\s/.test(character)) return " "
  const like = alike[character] ?? character.normalize("NFKD").replace(/\p{M}/gu, "")
  if (like !== character && [...like].every((one) => septetsOf(one) !== null)) return like
  return /[\p{L}\p{N}]/u.test(character) ? null : ""
}

/** The text in one line, in the 7-bit alphabet if only accents and signs are lost by that; otherwise as it is. */
export const plainSms = (text: string): string => {
  const line = text.replace(/\p{Cf}/gu, "").replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim()
  const found = [...line.normalize("NFC")].map(sevenBit)
  return found.includes(null) ? line : found.join("").replace(/ {2,}/g, " ").trim()
}

/** An SMS about a page is at most so many messages. */
const mostMessages = 3
/** A title that is cut to less says nothing. */
const leastOfTitle = 20

const fits = (text: string, messages: number): boolean => smsSize(text).messages <= messages

/** So many UTF-16 units, without half a character. The sign that others end a cut with is not in the 7-bit alphabet. */
const beginning = (text: string, units: number): string => text.slice(0, units).replace(/[\uD800-\uDBFF]$/, "")

/** The longest beginning of the title with which the text fits; null if it would say nothing. */
const cutToFit = (title: string, textOf: (title: string) => string, messages: number): string | null => {
  const cutAt = (length: number): string => textOf(`${beginning(title, length).trimEnd()}...`)
  if (title.length <= leastOfTitle || !fits(cutAt(leastOfTitle), messages)) return null
  let [fitting, tooLong] = [leastOfTitle, title.length]
  while (tooLong - fitting > 1) {
    const middle = Math.floor((fitting + tooLong) / 2)
    if (fits(cutAt(middle), messages)) fitting = middle
    else tooLong = middle
  }
  return cutAt(fitting)
}

/** UTF-16 units of a title that are looked at. */
const longestTitle = 200

/** The title with what follows it, in as few messages as can be; the title is cut for that, what follows never. */
export const fittingSms = (title: string, rest: string): string => {
  const shown = beginning(plainSms(title), longestTitle)
  const textOf = (one: string) => `${one}${rest}`
  for (let messages = 1; messages <= mostMessages; messages++) {
    if (fits(textOf(shown), messages)) return textOf(shown)
    const found = cutToFit(shown, textOf, messages)
    if (found !== null) return found
  }
  return textOf("Alert")
}
