/** Markdown as plain text, for mails without HTML, descriptions of pages, and services that format nothing. */
import { type Block, readMarkdown } from "./ReadMarkdown.ts"
import { type Dialect, renderMarkdown } from "./RenderMarkdown.ts"

const same = (text: string): string => text

/** Lines after the first are moved in. */
const item = (sign: string, written: string): string => `${sign} ${written.replaceAll("\n", `\n${" ".repeat(sign.length + 1)}`)}`

export const listed = (items: ReadonlyArray<string>, signOf: (index: number) => string): string =>
  items.map((written, index) => item(signOf(index), written)).join("\n")

const dialect: Dialect = {
  text: same,
  code: same,
  break: "\n",
  marks: { strong: same, emphasis: same, strike: same },
  link: (
    url,
    inside,
    label
  ) => (label === url || `mailto:${label}` === url ? inside : `${inside} (${url.replace(/^mailto:/i, "")})`),
  paragraph: same,
  heading: same,
  quote: (inside) => `> ${inside.replaceAll("\n", "\n> ")}`,
  list: (items, start) => listed(items, (index) => (start === null ? "-" : `${start + index}.`)),
  preformatted: same,
  rule: "---",
  table: (rows) => rows.map((row) => row.join(" | ")).join("\n"),
  joined: (blocks, tight) => blocks.join(tight ? "\n" : "\n\n")
}

export const plainText = (blocks: ReadonlyArray<Block>): string => renderMarkdown(dialect, blocks)

/** The text of Markdown that a person wrote. */
export const markdownText = (source: string): string => plainText(readMarkdown(source))
