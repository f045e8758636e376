/** Reads a document that a caller sends, as YAML, JSON or an object, and decodes it entry by entry. */
import { Data, Effect, Either, Predicate, Schema } from "effect"
import {
  ChannelEntry,
  MonitorEntry,
  mostEntries,
  PageEntry,
  PolicyEntry,
  ScheduleEntry,
  TemplateEntry,
  type WorkspaceDocument
} from "../../../schema/plan/WorkspaceDocument.ts"
import { entryIssues, repeatedKeys, unstorableAt } from "../../domain/plan/DocumentIssues.ts"
import type { Refusal } from "../../domain/Refusal.ts"
import { boundedJsonInSteps } from "../../domain/tools/json/JsonInSteps.ts"
import { nextTurn, overTurns } from "../../loops/OverTurns.ts"
import { parseYaml } from "./ParseYaml.ts"

/** The limits of a document: ten thousand resources of thirty fields. */
const limits = { entries: 300_000, depth: 64 }

/** Reported issues of one document. */
const mostIssues = 50

/** Entries decoded in one turn of the event loop: about 2 ms. */
const perTurn = 50

export class InvalidDocument extends Data.TaggedError("InvalidDocument")<{ readonly refusals: ReadonlyArray<Refusal> }> {}

export type Given = string | Readonly<Record<string, unknown>>

const unreadable = (message: string) => new InvalidDocument({ refusals: [{ path: "document", message }] })

/** The value of a text. JSON is YAML, but JSON.parse is much faster. */
export const documentValue = Effect.fn("ReadDocument.value")(function*(document: Given) {
  const given: unknown = document
  if (typeof document !== "string") return given
  const start = document.trimStart()
  const json = start.startsWith("{")
    ? document
    : yield* Effect.catchTag(parseYaml(document), "UnreadableDocument", ({ message }) => unreadable(message))
  return yield* Either.mapLeft(
    yield* overTurns(boundedJsonInSteps(json, limits)),
    (why) => unreadable(why === "invalid" ? "The document is not valid JSON" : `The document holds ${why} values`)
  )
})

/** The entries of a section, with what is wrong with each. */
const section = <A extends { readonly key: string }, I>(name: string, entry: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownEither(entry, { errors: "all", onExcessProperty: "error" })
  return Effect.fnUntraced(function*(value: unknown, issues: Array<Refusal>) {
    const entries: Array<A> = []
    if (!Array.isArray(value) || value.length > mostEntries) {
      issues.push({ path: name, message: `Expected a list of at most ${mostEntries} entries` })
      return entries
    }
    for (const [index, given] of value.entries()) {
      if (index > 0 && index % perTurn === 0) yield* nextTurn
      if (issues.length >= mostIssues) break
      const bad = unstorableAt(given)
      if (bad !== null) issues.push({ path: `${name}.${index}.${bad}`, message: "Contains a character that cannot be stored" })
      Either.match(decode(given), {
        onLeft: (error) =>
          issues.push(
            ...entryIssues(error).map((issue) => ({
              ...issue,
              path: [name, index, ...(issue.path === null ? [] : [issue.path])].join(".")
            }))
          ),
        onRight: (decoded) => entries.push(decoded)
      })
    }
    issues.push(...repeatedKeys(entries).map((issue) => ({ ...issue, path: `${name}.${issue.path}` })))
    return entries
  })
}

const sections = {
  channels: section("channels", ChannelEntry),
  schedules: section("schedules", ScheduleEntry),
  monitors: section("monitors", MonitorEntry),
  pages: section("pages", PageEntry),
  policies: section("policies", PolicyEntry),
  templates: section("templates", TemplateEntry)
} satisfies Record<Exclude<keyof WorkspaceDocument, "version">, unknown>
type SectionName = keyof typeof sections
const isSection = (name: string): name is SectionName => Object.hasOwn(sections, name)

const componentIssues = ({ pages = [] }: WorkspaceDocument): ReadonlyArray<Refusal> =>
  pages.flatMap(({ components = [] }, page) =>
    repeatedKeys(components).map((issue) => ({ ...issue, path: `pages.${page}.components.${issue.path}` }))
  )

export const decodeDocument = Effect.fn("ReadDocument.decode")(function*(value: unknown) {
  if (!Predicate.isRecord(value) || Array.isArray(value)) {
    return yield* unreadable("Expected an object with sections such as monitors")
  }
  const issues: Array<Refusal> = []
  const document: { -readonly [Name in keyof WorkspaceDocument]: WorkspaceDocument[Name] } = {}
  for (const [name, given] of Object.entries(value)) {
    if (name === "version" && given === 1) document.version = 1
    else if (isSection(name)) Object.assign(document, { [name]: yield* sections[name](given, issues) })
    else {
      issues.push({
        path: name,
        message: name === "version" ? "Expected 1" : `Unknown section; the sections are ${Object.keys(sections).join(", ")}`
      })
    }
  }
  issues.push(...componentIssues(document))
  return issues.length > 0 ? yield* new InvalidDocument({ refusals: issues.slice(0, mostIssues) }) : document
})

export const readDocument = (document: Given) => Effect.flatMap(documentValue(document), decodeDocument)
