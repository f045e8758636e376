/** Says what a tool does in few words: its title says the name, and its description what the name does not. */
import type { Operation } from "../http/openapi/Operations.ts"

/** Characters of a tool's description, beside its first sentence. `belltower://operations/{name}` has the rest. */
const longest = 45

const sentencesOf = (text: string): ReadonlyArray<string> => text.replace(/\.?$/, ".").split(/(?<=\.) (?=[A-Z])/)

const small: ReadonlySet<string> = new Set(["a", "alert", "an", "by", "call", "in", "of", "on", "status", "the"])

const stems = (text: string): ReadonlyArray<string> =>
  text.toLowerCase().replace(/'s\b/g, "").split(/[^a-z]+/).filter((word) => word !== "" && !small.has(word)).map((word) =>
    word.replace(/s$/, "")
  )

/** Whether the summary says what the name says, as "Get a monitor" does for get_monitor. */
const isName = ({ id, summary }: Operation): boolean => {
  const named = stems(id.replaceAll("_", " "))
  return stems(summary).every((word) => named.includes(word))
}

const brief = (text: string): string => text.replace(/ (?:an?|the) /g, " ")

const nameInWords = (id: string): string => {
  const words = id.replaceAll("_", " ").replace("oncall", "on-call").replace("api", "API")
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** The title that people see in lists of tools: `Create a monitor` as `Create monitor`; a longer summary is the description. */
export const titleOf = (operation: Operation): string => isName(operation) ? brief(operation.summary) : nameInWords(operation.id)

/** The description; `more` is a sentence that always ends it. */
export const descriptionOf = (operation: Operation, more: string | null): string => {
  const { description, summary } = operation
  const said = description === null ? [] : sentencesOf(description)
  const sentences = isName(operation) && said.length > 0 ? said : [`${brief(summary)}.`, ...said]
  const [first = "", ...rest] = sentences
  const kept = [first]
  for (const sentence of rest) {
    if ([...kept, sentence].join(" ").length > longest) break
    kept.push(sentence)
  }
  return [...kept, ...(more === null ? [] : [more])].join(" ")
}
