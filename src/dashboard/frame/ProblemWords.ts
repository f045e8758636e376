/** Turns the API's message about an argument into the text beside its field. */
import { writeDuration } from "../../domain/tools/time/SpokenDuration.ts"

type Labels = ReadonlyArray<readonly [path: string, label: string]>

const required = "This field is required."

/** Messages of schemas, and the words of forms. */
const phrases: ReadonlyArray<readonly [RegExp, (...found: ReadonlyArray<string>) => string]> = [
  [/^(?:Required|Must not be empty|.* is required(?: for .*)?)$/, () => required],
  [/^Expected .*, got (?:null|undefined)$/, () => required],
  [/^At least 1 item$/, () => "Choose at least one."],
  [/^At least (\d+) items$/, (least) => `Choose at least ${least}.`],
  [/^At most (\d+) items?$/, (most) => `At most ${most}, please remove the others.`],
  [/^At least (\d+) characters$/, (least) => `Enter at least ${least} characters.`],
  [/^At most (\d+) characters$/, (most) => `Enter at most ${most} characters.`],
  [/^At least (-?[\d.]+)$/, (least) => `Enter ${least} or more.`],
  [/^At most (-?[\d.]+)$/, (most) => `Enter ${most} or less.`],
  [/^Expected a whole number from (-?\d+) to (-?\d+)/, (least, most) => `Enter a whole number from ${least} to ${most}.`],
  [/^Expected a (whole )?number/, (whole) => `Enter a ${whole}number.`],
  [/^Expected one of (.*?)(?:, got .*)?$/, (values) => `Choose one of ${values}.`],
  [/^Expected (?:a string|an array|an object|true or false|"[^"]*")\b.*/, () => "This value cannot be used. Enter another one."],
  [/^Expected (.*?)(?:, got .*)?$/, (wanted) => `Enter ${wanted}.`],
  [/^Must match .*$/, () => "This does not have the expected format."],
  // Somebody's own words.
  [/^(It is now “.*”\.)$/s, (said) => said],
  [/^Unknown field.*$/, () => "This server does not know the field. Reload the page and try again."]
]

/** The same of a field for a duration. */
const durationPhrases: ReadonlyArray<readonly [RegExp, (...found: ReadonlyArray<string>) => string]> = [
  [/^Expected a whole number from (-?\d+) to (-?\d+)/, (least, most) => `Enter a duration from ${least} to ${most}.`],
  [/^Expected a (?:whole )?number/, () => "Enter a duration, such as 30 s or 5 min."],
  [/^At least (-?[\d.]+)$/, (least) => `Enter ${least} or more.`],
  [/^At most (-?[\d.]+)$/, (most) => `Enter ${most} or less.`]
]

/** The first phrase that fits, whose numbers are durations where the field has a unit (ms). */
const phraseOf = (message: string, unit: number | null): string | null => {
  for (const [pattern, words] of [...(unit === null ? [] : durationPhrases), ...phrases]) {
    const found = pattern.exec(message)?.slice(1).map((one) => one ?? "")
    if (found === undefined) continue
    return words(...(unit === null ? found : found.map((one) => /^\d/.test(one) ? writeDuration(Number(one) * unit) : one)))
  }
  return null
}

const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`.replace(/[.?!]?$/, (end) => end === "" ? "." : end)

/** `levels.1.afterMinutes` as "level 2, after minutes". */
const wordsOf = (path: string): string =>
  path.split(".").map((part) => part.replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ").toLowerCase())
    .reduce<ReadonlyArray<string>>(
      (words, part) =>
        /^\d+$/.test(part)
          ? [...words.slice(0, -1), `${(words.at(-1) ?? "").replace(/s$/, "")} ${Number(part) + 1}`]
          : [...words, part],
      []
    ).join(", ")

/** A name that is no English word: `intervalSec`, `levels.1.targets`. One letter before a capital is a brand, such as iCalendar. */
const isArgument = (word: string): boolean => /^[a-z]+(?:(?<=[a-z]{2})[A-Z]\w*|(?:\.\w+)+|(?:_[a-z]+)+)$/.test(word)

/** The names of arguments as the labels of their fields. A plain word is one only where the message marks it or begins with it. */
export const withLabels = (message: string, labels: Labels): string => {
  const labelOf = (word: string): string | null => {
    const label = labels.find(([path]) => path === word)?.[1]
    return label === undefined || label === "" ? null : `“${label}”`
  }
  return message
    .replace(/`([\w.]+)`/g, (_, word: string) => labelOf(word) ?? `“${wordsOf(word)}”`)
    .replace(/(?<![\w./:@-])[a-z]\w*(?:\.\w+)*(?![\w/:@-])/g, (word, at: number) => {
      const known = labelOf(word)
      if (isArgument(word)) return known ?? (/^[a-z]+(?:\.[a-z]+)+$/.test(word) ? word : wordsOf(word))
      return known !== null && (at === 0 || /\bGive $/.test(message.slice(0, at))) ? known : word
    })
}

/** The problem text beside a field. `unit` is that of a field for a duration, ms. */
export const fieldWords = (message: string, labels: Labels, unit: number | null = null): string =>
  phraseOf(message, unit) ?? sentence(withLabels(message, labels))

/** The problem text if the form lacks the field. */
export const plainWords = (path: string, message: string, labels: Labels): string => {
  const said = fieldWords(message, labels)
  return path === "" ? said : `${sentence(wordsOf(path)).slice(0, -1)}: ${said}`
}
