/** Markdown as HTML, for pages, feeds, mails and the dashboard. */
import { readImageUrl } from "../image/ImageName.ts"
import { hasLongWord, partsOfWord, splitAtLongWords } from "../tools/text/LongWords.ts"
import { xmlText } from "../tools/text/XmlText.ts"
import type { Block } from "./ReadMarkdown.ts"
import { type Dialect, renderMarkdown } from "./RenderMarkdown.ts"

interface HtmlOptions {
  /** The level of the highest heading, below those of the document around. */
  readonly heading: number
  /** Attributes of the elements, for documents whose style sheet may be ignored. */
  readonly attributes?: Readonly<Record<string, string>>
  /** True where long words, such as addresses, break between their parts. */
  readonly breaks?: boolean
  /** The address of the service whose uploaded images are shown; all other images are links. Default: none are shown. */
  readonly images?: string | undefined
}

const breakable = (text: string): string =>
  hasLongWord(text)
    ? splitAtLongWords(text).map((piece, index) =>
      index % 2 === 1 ? partsOfWord(piece).map(xmlText).join("<wbr>") : xmlText(piece)
    ).join("")
    : xmlText(text)

/** Each block stands in the direction of its own text: what is inside a quote or a list follows it. */
const dialectOf = ({ attributes = {}, breaks = false, heading, images }: HtmlOptions): Dialect => {
  let before = heading - 1
  const element = (name: string, inside: string, more = ""): string =>
    `<${name}${more}${attributes[name] === undefined ? "" : ` ${attributes[name]}`}>${inside}</${name}>`
  const link = (url: string, inside: string) => element("a", inside, ` href="${xmlText(url)}" rel="nofollow noopener"`)
  const cells = (name: "td" | "th", row: ReadonlyArray<string>) =>
    element("tr", row.map((cell) => element(name, cell, " dir=\"auto\"")).join(""))
  return {
    text: breaks ? breakable : xmlText,
    code: (text) => element("code", xmlText(text)),
    break: "<br>",
    marks: {
      strong: (inside) => element("strong", inside),
      emphasis: (inside) => element("em", inside),
      strike: (inside) => element("s", inside)
    },
    link,
    // Its size keeps the place before it is loaded; the link opens it in full.
    image: (url, inside, label) => {
      const size = images === undefined ? null : readImageUrl(url, images)
      return size === null ? link(url, inside) : link(
        url,
        `<img src="${xmlText(url)}" alt="${xmlText(label)}" width="${size.width}" height="${size.height}" loading="lazy">`
      )
    },
    paragraph: (inside, tight) => tight ? inside : element("p", inside, " dir=\"auto\""),
    // No level is skipped, whatever signs a person took.
    heading: (inside, level) => {
      before = Math.min(heading - 1 + level, before + 1, 6)
      return element(`h${before}`, inside, " dir=\"auto\"")
    },
    quote: (inside) => element("blockquote", inside, " dir=\"auto\""),
    list: (items, start) =>
      element(
        start === null ? "ul" : "ol",
        items.map((item) => element("li", item)).join(""),
        ` dir="auto"${start === null || start === 1 ? "" : ` start="${start}"`}`
      ),
    preformatted: (text) => element("pre", element("code", xmlText(text))),
    rule: "<hr>",
    table: ([head = [], ...rows]) =>
      element("table", `<thead>${cells("th", head)}</thead><tbody>${rows.map((row) => cells("td", row)).join("")}</tbody>`),
    joined: (blocks) => blocks.join("")
  }
}

export const markdownHtml = (blocks: ReadonlyArray<Block>, options: HtmlOptions): string =>
  renderMarkdown(dialectOf(options), blocks)
