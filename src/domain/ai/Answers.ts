/** Reads the answers of models: leniently where they are merely untidy, and strictly bounded. What cannot be read is no answer. */
import { Option, Predicate, Schema } from "effect"
import type { AiReport } from "../../../schema/incident/AiReport.ts"
import type { Impact } from "../../../schema/incident/Incident.ts"
import { cut } from "../tools/text/TrimText.ts"
import { mostAnswer } from "./Prompts.ts"
import { withoutSecrets } from "./UntrustedData.ts"

const parse = Schema.decodeUnknownOption(Schema.parseJson())

/** The JSON object in an answer, which may have words or a code fence around it. */
const objectIn = (answer: string): Option.Option<Readonly<Record<string, unknown>>> => {
  const text = answer.slice(0, mostAnswer)
  const from = text.indexOf("{")
  return from < 0 ? Option.none() : Option.filter(parse(text.slice(from, text.lastIndexOf("}") + 1)), Predicate.isRecord)
}

/**
 * Characters that nobody sees, other than line breaks, tabs, and what joins letters and emojis: control characters confuse terminals
 * and mails, and invisible ones hide words from people that other programs read.
 */
const unseen = /(?![\t\n\u200C\u200D\uFE0E\uFE0F])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

const clean = (value: unknown, most: number): string =>
  typeof value === "string" ? cut(withoutSecrets(value.slice(0, most * 2).replace(unseen, "").trim()), most) : ""

const list = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : typeof value === "string" ? [value] : []).flatMap((item: unknown) => {
    const text = clean(item, 500)
    return text === "" ? [] : [text]
  }).slice(0, 8)

const severities: ReadonlyArray<string> = ["none", "minor", "major", "critical"] satisfies ReadonlyArray<Impact>

/** A report; none if the answer has no analysis. `impact` is the severity of an answer that has none of ours. */
export const readReport = (answer: string, impact: Impact): Option.Option<Omit<AiReport, "at">> =>
  Option.filterMap(objectIn(answer), (found) => {
    const analysis = clean(found["analysis"], 4_000)
    if (analysis === "") return Option.none()
    const severity = clean(found["severity"], 20).toLowerCase()
    return Option.some({
      analysis,
      likelyCauses: list(found["likelyCauses"]),
      suggestedActions: list(found["suggestedActions"]),
      publicSummary: clean(found["publicSummary"], 600),
      severity: severities.includes(severity) ? severity : impact
    })
  })

/** How a model begins that refuses, or that talks about its task instead of doing it. */
const refusal = /^(?:(?:i['’]m|i am)\s+(?:sorry|unable|an ai)|sorry\b|i\s+(?:can['’]?t|cannot|won['’]t)\b|as an ai\b)/i

/** The words of an answer without JSON; none if it looks like broken JSON or a refusal. */
const plainText = (answer: string, most: number): Option.Option<string> => {
  const text = clean(answer, most)
  return text === "" || /^[{[`]/.test(text) || refusal.test(text) ? Option.none() : Option.some(text)
}

const textOf = (answer: string, field: string, most: number): Option.Option<string> =>
  Option.match(objectIn(answer), {
    onNone: () => plainText(answer, most),
    onSome: (found) => {
      const text = clean(found[field], most)
      return text === "" || refusal.test(text) ? Option.none() : Option.some(text)
    }
  })

export const readText = (answer: string, most: number): Option.Option<string> => textOf(answer, "text", most)

/** A postmortem; its summary is empty if the answer has none. */
export const readPostmortem = (answer: string): Option.Option<{ readonly markdown: string; readonly publicSummary: string }> =>
  Option.map(textOf(answer, "markdown", 60_000), (markdown) => ({
    markdown,
    publicSummary: Option.match(objectIn(answer), { onNone: () => "", onSome: (found) => clean(found["publicSummary"], 2_000) })
  }))
