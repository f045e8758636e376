/**
 * Reads the Markdown that people write (CommonMark with tables and strikethrough) into a tree that every renderer takes. HTML is
 * text, images are links that say so, links lead only to the web and to mail, and nothing that was written is left out.
 */
import MarkdownIt, { type StateBlock, type StateInline, type Token } from "markdown-it"
import { webUrl } from "../../../schema/UrlText.ts"
import { addressAt } from "./BareAddress.ts"

export type Mark = "strong" | "emphasis" | "strike"

export type Inline =
  | { readonly _tag: "text" | "code"; readonly text: string }
  | { readonly _tag: "break" }
  | { readonly _tag: Mark; readonly inside: ReadonlyArray<Inline> }
  /** `image`: what is at the URL may be shown in its place. */
  | { readonly _tag: "link"; readonly url: string; readonly inside: ReadonlyArray<Inline>; readonly image: boolean }

export type Block =
  /** `tight`: of a list whose items have no space between them. */
  | { readonly _tag: "paragraph"; readonly tight: boolean; readonly inside: ReadonlyArray<Inline> }
  /** `level` is 1 to 6. */
  | { readonly _tag: "heading"; readonly level: number; readonly inside: ReadonlyArray<Inline> }
  | { readonly _tag: "quote"; readonly blocks: ReadonlyArray<Block> }
  /** `start` is the first number; null for bullets. */
  | { readonly _tag: "list"; readonly start: number | null; readonly items: ReadonlyArray<ReadonlyArray<Block>> }
  | { readonly _tag: "preformatted"; readonly text: string }
  | { readonly _tag: "rule" }
  /** The first row is the heading. */
  | { readonly _tag: "table"; readonly rows: ReadonlyArray<ReadonlyArray<ReadonlyArray<Inline>>> }

/** Quotes and lists further inside are text: markdown-it would leave them out. */
const deepest = 12

/** The rest of a block that is nested too deeply, as a paragraph. */
const deepRest = (state: StateBlock, startLine: number, endLine: number): boolean => {
  if (state.level < deepest) return false
  state.push("paragraph_open", "p", 1)
  const inline = state.push("inline", "", 0)
  inline.content = state.getLines(startLine, endLine, state.blkIndent, false).trim()
  inline.children = []
  state.push("paragraph_close", "p", -1)
  state.line = endLine
  return true
}

/** An address without markup is a link. The scheme is read already where `://` is found. */
const bareAddress = (state: StateInline, silent: boolean): boolean => {
  if (!state.src.startsWith("://", state.pos)) return false
  const scheme = /(?:^|[^a-z\d])(https?)$/i.exec(state.pending.slice(-6))?.[1]
  const url = scheme === undefined ? null : addressAt(state.src, state.pos - scheme.length)
  if (scheme === undefined || url === null) return false
  if (!silent) {
    state.pending = state.pending.slice(0, -scheme.length)
    state.push("link_open", "a", 1).attrs = [["href", url]]
    state.push("text", "", 0).content = url
    state.push("link_close", "a", -1)
  }
  state.pos += url.length - scheme.length
  return true
}

const isLink = (url: string): boolean => /^mailto:/i.test(url) || webUrl(url) !== null

const parser = new MarkdownIt({ html: false, breaks: true })
parser.validateLink = isLink
// A definition of a link is shown nowhere.
parser.disable("reference")
parser.block.ruler.before("table", "deepRest", deepRest)
parser.inline.ruler.at("linkify", bareAddress)

interface Nested {
  readonly token: Token
  readonly inside: ReadonlyArray<Nested>
}

/** Marks that are nested further than any text needs are left out, and what they hold stays. */
const mostNested = 50

const nested = (tokens: ReadonlyArray<Token>): ReadonlyArray<Nested> => {
  const root: Array<Nested> = []
  const open = [root]
  for (const token of tokens) {
    const around = open.at(-1) ?? root
    const inside: Array<Nested> = []
    const isKept = token.nesting === 0 || open.length < mostNested
    if (token.nesting < 0) open.pop()
    else if (isKept) around.push({ token, inside })
    if (token.nesting > 0) open.push(isKept ? inside : around)
  }
  return root
}

const marks: ReadonlyMap<string, Mark> = new Map([["strong_open", "strong"], ["em_open", "emphasis"], ["s_open", "strike"]])

type Draft = Inline | { readonly _tag: Mark; readonly inside: Array<Draft> }

const textOf = (content: string): Array<Draft> => content === "" ? [] : [{ _tag: "text", text: content }]

const linkOf = (url: string, inside: Array<Draft>, image: boolean): Draft => ({
  _tag: "link",
  url,
  image,
  inside: inside.length === 0 ? textOf(url) : inside
})

/** Two marks that touch are one. */
const withMark = (mark: Mark, held: Array<Draft>, last: Draft | undefined): ReadonlyArray<Draft> => {
  if (held.length === 0) return []
  if (last?._tag !== mark || !Array.isArray(last.inside)) return [{ _tag: mark, inside: held }]
  for (const one of held) last.inside.push(one)
  return []
}

/** `within` is what stands around: a mark or a link inside its like says nothing, and some chat services would misread it. */
const inlines = (nodes: ReadonlyArray<Nested>, within: ReadonlySet<Mark | "link"> = new Set()): Array<Draft> => {
  const read: Array<Draft> = []
  const readNode = ({ inside, token }: Nested): ReadonlyArray<Draft> => {
    const mark = marks.get(token.type)
    if (mark !== undefined) {
      const held = inlines(inside, new Set([...within, mark]))
      return within.has(mark) ? held : withMark(mark, held, read.at(-1))
    }
    switch (token.type) {
      case "link_open": {
        const held = inlines(inside, new Set([...within, "link"]))
        return within.has("link") ? held : [linkOf(token.attrGet("href") ?? "", held, false)]
      }
      case "image":
        return within.has("link") ? textOf(token.content) : [linkOf(token.attrGet("src") ?? "", textOf(token.content), true)]
      case "softbreak":
      case "hardbreak":
        return [{ _tag: "break" }]
      case "code_inline":
        return [{ _tag: "code", text: token.content }]
      default:
        return textOf(token.content)
    }
  }
  for (const node of nodes) for (const one of readNode(node)) read.push(one)
  return read
}

const inlineOf = (nodes: ReadonlyArray<Nested>): ReadonlyArray<Inline> =>
  nodes.flatMap(({ token }) => inlines(nested(token.children ?? [])))

const rowsOf = (nodes: ReadonlyArray<Nested>) =>
  nodes.flatMap(({ inside }) => inside).map(({ inside }) => inside.map((cell) => inlineOf(cell.inside)))

const blocks = (nodes: ReadonlyArray<Nested>): ReadonlyArray<Block> => nodes.map(blockOf)

const blockOf = ({ inside, token }: Nested): Block => {
  switch (token.type) {
    case "heading_open":
      return { _tag: "heading", level: Number(token.tag.slice(1)), inside: inlineOf(inside) }
    case "blockquote_open":
      return { _tag: "quote", blocks: blocks(inside) }
    case "bullet_list_open":
      return { _tag: "list", start: null, items: inside.map((item) => blocks(item.inside)) }
    case "ordered_list_open":
      return { _tag: "list", start: Number(token.attrGet("start") ?? 1), items: inside.map((item) => blocks(item.inside)) }
    case "table_open":
      return { _tag: "table", rows: rowsOf(inside) }
    case "hr":
      return { _tag: "rule" }
    case "fence":
    case "code_block":
      // Text behind the opening of a block that holds nothing is no name of a language.
      return { _tag: "preformatted", text: token.content.replace(/\n$/, "") || token.info }
    default:
      return { _tag: "paragraph", tight: token.hidden, inside: inlineOf(inside) }
  }
}

/** Never throws, and takes time that grows with the length of the text. */
export const readMarkdown = (source: string): ReadonlyArray<Block> => blocks(nested(parser.parse(source, {})))

/** A text that is no Markdown, as one paragraph with its line breaks. */
export const readPlain = (source: string): ReadonlyArray<Block> => {
  const lines = source.split("\n")
  const inside = lines.flatMap((line, index): ReadonlyArray<Inline> => [
    ...(index === 0 ? [] : [{ _tag: "break" } as const]),
    ...textOf(line)
  ])
  return source.trim() === "" ? [] : [{ _tag: "paragraph", tight: false, inside }]
}
