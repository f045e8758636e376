/** Writes Markdown that was read in the syntax of a place that shows it: a dialect says how each part is written there. */
import type { Block, Inline, Mark } from "./ReadMarkdown.ts"

type Parts = ReadonlyArray<string>

/** Everything but `text`, `code` and `preformatted` gets what it holds as written already. */
export interface Dialect {
  readonly text: (text: string) => string
  readonly code: (text: string) => string
  readonly break: string
  readonly marks: Readonly<Record<Mark, (inside: string) => string>>
  /** `label` is the link's text without markup. */
  readonly link: (url: string, inside: string, label: string) => string
  /** An image; without it, images are links. */
  readonly image?: (url: string, inside: string, label: string) => string
  readonly paragraph: (inside: string, tight: boolean) => string
  readonly heading: (inside: string, level: number) => string
  readonly quote: (inside: string) => string
  readonly list: (items: Parts, start: number | null) => string
  readonly preformatted: (text: string) => string
  readonly rule: string
  readonly table: (rows: ReadonlyArray<Parts>) => string
  /** Blocks below each other; `tight` without space between them. */
  readonly joined: (blocks: Parts, tight: boolean) => string
  /** Between a mark and the letters that touch it, where a service would not see the mark. */
  readonly gap?: string
}

const plainOf = (inside: ReadonlyArray<Inline>): string =>
  inside.map((one) => one._tag === "break" ? " " : "inside" in one ? plainOf(one.inside) : one.text).join("")

const inlineOf = (dialect: Dialect, one: Inline): string => {
  switch (one._tag) {
    case "text":
      return dialect.text(one.text)
    case "code":
      return dialect.code(one.text)
    case "break":
      return dialect.break
    case "link":
      return (one.image ? dialect.image ?? dialect.link : dialect.link)(
        one.url,
        lineOf(dialect, one.inside),
        plainOf(one.inside)
      )
    default:
      return dialect.marks[one._tag](lineOf(dialect, one.inside))
  }
}

const isMark = (one: Inline | null): boolean => one !== null && (one._tag === "code" || "inside" in one) && one._tag !== "link"

const isLetter = (sign: string): boolean => /[\p{L}\p{N}]/u.test(sign)

const lineOf = (dialect: Dialect, inside: ReadonlyArray<Inline>): string => {
  const { gap = "" } = dialect
  const line: Array<string> = []
  let before: Inline | null = null
  for (const one of inside) {
    const written = inlineOf(dialect, one)
    const touches = isMark(before)
      ? isMark(one) || isLetter(written.charAt(0))
      : isMark(one) && isLetter(line.at(-1)?.at(-1) ?? "")
    line.push(touches ? `${gap}${written}` : written)
    before = one
  }
  return line.join("")
}

const isTight = (blocks: ReadonlyArray<Block>): boolean => blocks.some((block) => block._tag === "paragraph" && block.tight)

const blockOf = (dialect: Dialect, block: Block): string => {
  switch (block._tag) {
    case "paragraph":
      return dialect.paragraph(lineOf(dialect, block.inside), block.tight)
    case "heading":
      return dialect.heading(lineOf(dialect, block.inside), block.level)
    case "quote":
      return dialect.quote(renderMarkdown(dialect, block.blocks))
    case "list":
      return dialect.list(block.items.map((item) => dialect.joined(blocksOf(dialect, item), isTight(item))), block.start)
    case "preformatted":
      return dialect.preformatted(block.text)
    case "rule":
      return dialect.rule
    case "table":
      return dialect.table(block.rows.map((row) => row.map((cell) => lineOf(dialect, cell))))
  }
}

const blocksOf = (dialect: Dialect, blocks: ReadonlyArray<Block>): Parts =>
  blocks.map((block) => blockOf(dialect, block)).filter((written) => written !== "")

export const renderMarkdown = (dialect: Dialect, blocks: ReadonlyArray<Block>): string =>
  dialect.joined(blocksOf(dialect, blocks), false)
