/** Full-text search over the guides, the operations with their fields, and the events. */
import { Predicate } from "effect"
import { mapInSteps, type Steps } from "../domain/tools/Steps.ts"
import type { OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import { type Operation, operations } from "../http/openapi/Operations.ts"
import { eventPath, operationPath, templatePath } from "./DocsLinks.ts"
import { type Block, guide } from "./Guide.ts"
import { describedOf, inputRows } from "./OperationRows.ts"
import type { PeopleBlock } from "./people/Page.ts"
import { peoplePages, peoplePath } from "./people/Pages.ts"

interface Entry {
  readonly title: string
  readonly href: string
  readonly summary: string
  /** Its parts, each with a label: a hit shows the first part that has a word of the query. */
  readonly parts: ReadonlyArray<string>
  readonly text: string
}

/** A result: an entry, and the part of it that matched. */
export interface Hit extends Pick<Entry, "title" | "href" | "summary"> {
  readonly excerpt: string | null
}

const blockParts = (block: Block): ReadonlyArray<string> => {
  switch (block._tag) {
    case "Text":
      return [block.text]
    case "List":
      return block.items
    case "Code":
      return [`${block.title}: ${block.code}`]
    case "Table":
      return block.rows.map((row) => row.join(": "))
  }
}

/** A text without the marks of labels, code and links. */
const unmarked = (text: string): string => text.replace(/\*\*|`|\[([^[\]]+)\]\([^()]+\)/g, (_, words?: string) => words ?? "")

const peopleParts = (block: PeopleBlock): ReadonlyArray<string> => {
  switch (block._tag) {
    case "Text":
      return [unmarked(block.text)]
    case "List":
      return block.items.map(unmarked)
    case "Steps":
      return block.steps.map(({ text }) => unmarked(text))
    case "Command":
      return [`${block.title}: ${block.command}`]
  }
}

const entry = (title: string, href: string, summary: string, parts: ReadonlyArray<string>): Entry => ({
  title,
  href,
  summary,
  parts,
  text: [title, summary, ...parts].join("\n").toLowerCase()
})

const operationEntries = (document: OpenApiDocument) => (operation: Operation): ReadonlyArray<Entry> => {
  const described = describedOf(document, operation)
  if (described === undefined) return []
  const fields = inputRows(described, document.components.schemas).flatMap(({ rows }) => rows)
  const parts = fields.map(({ description, limits, name }) =>
    [name, description, ...limits].filter((one) => one !== "").join("; ")
  )
  return [
    entry(operation.id, operationPath(operation), operation.summary, [
      `${operation.method} ${templatePath(operation)}`,
      described.description ?? "",
      ...parts
    ])
  ]
}

export type SearchIndex = ReadonlyArray<Entry>

export function* searchIndex(baseUrl: string, document: OpenApiDocument): Steps<SearchIndex> {
  const found = yield* mapInSteps(operations, 8, operationEntries(document))
  return [
    ...peoplePages.flatMap((page) =>
      page.sections(baseUrl).map(({ blocks, id, title }) =>
        entry(`${page.title}: ${title}`, `${peoplePath(page)}#${id}`, "Guide", blocks.flatMap(peopleParts))
      )
    ),
    ...guide(baseUrl).map(({ blocks, id, title }) => entry(title, `/docs#${id}`, "Using the API", blocks.flatMap(blockParts))),
    ...found.flat(),
    ...Object.entries(document.webhooks).map(([type, { post }]) => entry(type, eventPath(type), post.summary, []))
  ]
}

/** At most this many results; the rest are less relevant. */
const mostHits = 40

const longestExcerpt = 200

const excerptOf = ({ parts }: Entry, words: ReadonlyArray<string>): string | null => {
  const part = parts.find((one) => words.some((word) => one.toLowerCase().includes(word)))
  if (part === undefined) return null
  const at = Math.max(0, Math.min(...words.map((word) => part.toLowerCase().indexOf(word)).filter((index) => index >= 0)) - 60)
  const cut = part.slice(at, at + longestExcerpt)
  return `${at > 0 ? "…" : ""}${cut}${at + longestExcerpt < part.length ? "…" : ""}`
}

/** Higher is better: words of the title count most, then those of the summary. */
const rank = ({ summary, title }: Entry, words: ReadonlyArray<string>): number =>
  words.reduce(
    (sum, word) => sum + (title.toLowerCase().includes(word) ? 4 : 0) + (summary.toLowerCase().includes(word) ? 2 : 0),
    0
  )

const wordsOfQuery = (query: string): ReadonlyArray<string> =>
  query.toLowerCase().slice(0, 100).split(/\s+/).filter(Predicate.isTruthy).slice(0, 10)

/** The entries that contain every word of the query, best first. */
export const search = (index: SearchIndex, query: string): ReadonlyArray<Hit> => {
  const words = wordsOfQuery(query)
  if (words.length === 0) return []
  return index
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .map((found) => ({ found, rank: rank(found, words) }))
    .sort((one, other) => other.rank - one.rank)
    .slice(0, mostHits)
    .map(({ found }) => ({ title: found.title, href: found.href, summary: found.summary, excerpt: excerptOf(found, words) }))
}
