/** The prompts for language models, and the bounds of question and answer. */
import type { Digest } from "../../../schema/digest/Digest.ts"
import type { Language } from "../../../schema/page/Page.ts"
import { cut } from "../tools/text/TrimText.ts"
import { factData, factLines, type IncidentFacts } from "./IncidentFacts.ts"
import { dataBlock, dataNotice, type Datum } from "./UntrustedData.ts"

export interface AiPrompt {
  /** The system prompt: the model's task and its rules. It has no text that others wrote. */
  readonly system: string
  readonly user: string
  readonly mostTokens: number
}

export const mostData = 24_000

export const mostAnswer = 100_000

const mostGuidelines = 5

export type ReportPhase = "opening" | "recovery" | "analysis"

/** The rules for a text to customers. */
export interface PublicWriting extends Readonly<Record<"guidelines" | "avoidTerms", ReadonlyArray<string>>> {
  /** The language of the pages; English without one. */
  readonly language: Language
}

const languageNames = new Intl.DisplayNames("en", { type: "language" })

/** The guard of public texts checks the same afterwards. */
const publicRules = ({ avoidTerms, guidelines, language }: PublicWriting): ReadonlyArray<string> => [
  `Text for customers is in ${
    languageNames.of(language) ?? "English"
  }, calm and plain, of at most three sentences. It names no host, ` +
  "address, URL, telephone number, error output, status code, internal name or cause that is not certain, and promises nothing.",
  ...(avoidTerms.length === 0
    ? []
    : [`It contains none of these terms: ${cut(JSON.stringify(avoidTerms), 3_000)}.`]),
  // An incident can be on many pages, each with rules of its own.
  ...guidelines.slice(0, mostGuidelines).map((rule) =>
    `The owner of the status page asks of text for customers: ${JSON.stringify(cut(rule, 2_000))}`
  )
]

const role = "You help a team that runs online services to understand and report incidents."

const composed = (
  rules: ReadonlyArray<string>,
  facts: ReadonlyArray<string>,
  data: ReadonlyArray<Datum>,
  task: string,
  mark: string,
  mostTokens: number
): AiPrompt => ({
  system: [role, ...rules, dataNotice(mark)].join("\n"),
  user: [...facts, dataBlock(data, mark, mostData), task].join("\n\n"),
  mostTokens
})

const reportTasks: Record<ReportPhase, string> = {
  opening: "The incident has just begun. Say what is probably wrong and what to look at first.",
  recovery: "The incident is over. Say what probably happened, and what would prevent it.",
  analysis: "Analyze the incident as it stands."
}

const reportForm = "Answer with one JSON object and nothing else: " +
  "{\"analysis\": string (for the team, at most 200 words), \"likelyCauses\": string[] (at most 5, the likeliest first), " +
  "\"suggestedActions\": string[] (at most 5), \"publicSummary\": string (for customers), " +
  "\"severity\": \"none\" | \"minor\" | \"major\" | \"critical\"}."

export const reportPrompt = (facts: IncidentFacts, phase: ReportPhase, writing: PublicWriting, mark: string): AiPrompt =>
  composed(
    [...publicRules(writing), "Claim only what the facts and the data support, and say how sure you are."],
    factLines(facts),
    factData(facts),
    `${reportTasks[phase]} ${reportForm}`,
    mark,
    1_500
  )

/** A person's note, rewritten: for customers, or for the team. */
export const polishPrompt = (note: string, isPublic: boolean, writing: PublicWriting, mark: string): AiPrompt =>
  composed(
    isPublic ? publicRules(writing) : [],
    [],
    [{ name: "note", text: note, most: 10_000 }],
    `Rewrite the note ${isPublic ? "for customers" : "for the team"}: clear, correct and short, without adding facts. ` +
      "Answer with one JSON object and nothing else: {\"text\": string}.",
    mark,
    1_500
  )

/** A postmortem; `draft` is the one written without AI. */
export const postmortemPrompt = (facts: IncidentFacts, draft: string, writing: PublicWriting, mark: string): AiPrompt =>
  composed(
    [...publicRules(writing), "Claim only what the facts and the data support. Mark what the team must fill in."],
    factLines(facts),
    [{ name: "draft in Markdown", text: draft, most: 8_000 }, ...factData(facts)],
    "Complete the draft as a blameless postmortem in Markdown, with its headings. Answer with one JSON object and nothing else: " +
      "{\"markdown\": string, \"publicSummary\": string (for customers)}.",
    mark,
    4_000
  )

/** A few sentences about a week. */
export const digestPrompt = (digest: Digest, mark: string): AiPrompt => {
  const { focus, incidents, monitors, summary, trends } = digest
  return composed(
    ["Claim only what the figures support."],
    [],
    [
      { name: "summary", text: summary, most: 1_000 },
      { name: "trends", text: JSON.stringify(trends), most: 1_000 },
      { name: "monitors", text: JSON.stringify(monitors), most: 4_000 },
      { name: "incidents", text: JSON.stringify(incidents), most: 6_000 },
      { name: "focus", text: focus.join("\n"), most: 2_000 }
    ],
    "Tell the team in at most 100 words of plain text how the week was, and what to do next. Answer with one JSON object and " +
      "nothing else: {\"text\": string}.",
    mark,
    600
  )
}
