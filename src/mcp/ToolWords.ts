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

const words = (value: unknown): unknown => (typeof value === "string" ? inToolWords(value) : value)

const detailsInToolWords = (details: unknown): unknown =>
  Array.isArray(details)
    ? details.map((one: unknown) =>
      Predicate.isRecord(one) && "message" in one ? { ...one, message: words(one["message"]) } : one
    )
    : details

export const errorInToolWords = (envelope: unknown): unknown => {
  if (!Predicate.isRecord(envelope) || !Predicate.isRecord(envelope["error"])) return envelope
  const { details, hint, message, ...rest } = envelope["error"]
  return {
    error: {
      ...rest,
      message: words(message),
      ...(hint === undefined ? {} : { hint: words(hint) }),
      ...(details === undefined ? {} : { details: detailsInToolWords(details) })
    }
  }
}

export const warningsInToolWords = (answer: unknown): unknown =>
  Predicate.isRecord(answer) && Array.isArray(answer["warnings"])
    ? { ...answer, warnings: answer["warnings"].map(words) }
    : answer
