/** The content of a service's answer beyond its status: what is wrong, what to do, and whether a retry can help. */
import { Duration, Option } from "effect"
import { type Loose, numberAt, recordOf, textAt } from "../../import/Loose.ts"
import { cut } from "../../tools/text/TrimText.ts"

export interface ServiceAnswer {
  readonly statusCode: number
  /** The beginning of the body. */
  readonly body: string
}

/** `final`: this message is refused. `gone`: every message is, until somebody changes the channel or the service. */
export type Fate = "retry" | "final" | "gone"

export interface ServiceReading {
  /** The fault and the remedy. Default: the meaning of the status at the service. */
  readonly meaning?: string
  /** The service's own words for it. */
  readonly words?: string | null
  /** Where the status does not decide. */
  readonly fate?: Fate
  readonly retryAfter?: Duration.Duration
}

export type ReadAnswer = (answer: ServiceAnswer) => ServiceReading

const parsed = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The fields of an answer in JSON; none of any other. */
export const fieldsOf = ({ body }: ServiceAnswer): Loose => recordOf(Option.getOrNull(parsed(body)))

/** The wait that the field `retry_after` asks for in seconds, which may be a fraction. */
export const waitIn = (fields: Loose): ServiceReading => {
  const seconds = numberAt(fields, "retry_after")
  return seconds === null || seconds < 0 ? {} : { retryAfter: Duration.seconds(Math.ceil(seconds)) }
}

const longestQuote = 240

/** Spaces, line breaks, and characters that nobody sees. */
const gaps = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu

/** The meaning, then the words of the service that led to it, in one line. */
export const withWords = (meaning: string, words: string | null | undefined): string => {
  const line = (words ?? "").replace(gaps, " ").replaceAll("\"", "'").trim()
  return line === "" ? meaning : `${meaning} ("${cut(line, longestQuote)}")`
}

/** The texts of an object of errors, each with the path of its field, as `embeds.0.title: too long`. */
const errorLines = (errors: unknown, path = ""): ReadonlyArray<string> => {
  if (typeof errors === "string") return [path === "" ? errors : `${path}: ${errors}`]
  if (Array.isArray(errors)) return errors.flatMap((one) => errorLines(one, path))
  const fields = recordOf(errors)
  const message = textAt(fields, "message")
  if (message !== null) return [path === "" ? message : `${path}: ${message}`]
  return Object.entries(fields).flatMap(([name, inner]) =>
    errorLines(inner, name === "_errors" ? path : path === "" ? name : `${path}.${name}`)
  )
}

/** The words of an answer: its sentence and its list of errors. */
export const wordsOf = (message: string | null, errors: unknown): string | null => {
  const lines = errorLines(errors).join("; ")
  const parts = [message ?? "", lines].filter((part) => part !== "")
  return parts.length === 0 ? null : parts.join(": ")
}

/** A refusal of a service, recognized by a part of its words. */
export interface Refusal {
  readonly says: RegExp
  readonly means: string
  readonly fate: Fate
}

/** The refusal that the words are. */
export const refusalIn = (refusals: ReadonlyArray<Refusal>, words: string): ServiceReading | null => {
  const found = refusals.find(({ says }) => says.test(words))
  return found === undefined ? null : { meaning: found.means, words, fate: found.fate }
}
