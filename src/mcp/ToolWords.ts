/** Says in the words of MCP what operations say in the words of REST: `GET /api/v1/monitors` becomes `list_monitors`. */
import { Predicate } from "effect"
import { operations } from "../http/openapi/Operations.ts"

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((segment) => segment !== "")

const routes = operations.map(({ id, method, path }) => ({ id, method, segments: segmentsOf(path) }))

const fits = (pattern: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  pattern.length === path.length && pattern.every((segment, index) => segment.startsWith(":") || segment === path[index])

/** The tool for a method and a path, whose parameters may be filled in; null if no tool does this. */
export const toolAt = (method: string, path: string): string | null => {
  const segments = segmentsOf(path.split("?", 1)[0] ?? "")
  return routes.find((route) => route.method === method && fits(route.segments, segments))?.id ?? null
}

const requestLine = /\b(GET|POST|PUT|PATCH|DELETE) (\/api\/v1\/[\w/{}?=&.-]*[\w}])/g

/** The text with the names of tools in place of methods and paths. */
export const inToolWords = (text: string): string =>
  text
    .replace(requestLine, (written: string, method: string, path: string) => toolAt(method, path) ?? written)
    // A text that names the operation beside its request would say it twice.
    .replace(/\b([a-z]+(?:_[a-z]+)+), \1\b/g, "$1")

/** Changes a text, such as by adding how to reach the tools that it names. */
export type Reword = (text: string) => string

const toolNames: ReadonlySet<string> = new Set(operations.map(({ id }) => id))

/** Adds to each tool that a text names, and that the client does not list, how the client reaches it. */
export const reaching = (listed: ReadonlySet<string>, way: string): Reword => {
  const isUnlisted = (name: string) => toolNames.has(name) && !listed.has(name)
  return (text) => {
    const said = new Set<string>()
    return text.replace(/\b(?:[a-z]+(?:_[a-z]+)+|whoami)\b/g, (name) => {
      if (!isUnlisted(name) || said.has(name)) return name
      said.add(name)
      return `${name} (${way})`
    })
  }
}

const wordsOf = (reword: Reword) => (value: unknown): unknown => typeof value === "string" ? reword(inToolWords(value)) : value

const detailsInToolWords = (details: unknown, words: (value: unknown) => unknown): unknown =>
  Array.isArray(details)
    ? details.map((one: unknown) =>
      Predicate.isRecord(one) && "message" in one ? { ...one, message: words(one["message"]) } : one
    )
    : details

export const errorInToolWords = (envelope: unknown, reword: Reword): unknown => {
  const words = wordsOf(reword)
  if (!Predicate.isRecord(envelope) || !Predicate.isRecord(envelope["error"])) return envelope
  const { details, hint, message, ...rest } = envelope["error"]
  return {
    error: {
      ...rest,
      message: words(message),
      ...(hint === undefined ? {} : { hint: words(hint) }),
      ...(details === undefined ? {} : { details: detailsInToolWords(details, words) })
    }
  }
}

export const warningsInToolWords = (answer: unknown, reword: Reword): unknown =>
  Predicate.isRecord(answer) && Array.isArray(answer["warnings"])
    ? { ...answer, warnings: answer["warnings"].map(wordsOf(reword)) }
    : answer
