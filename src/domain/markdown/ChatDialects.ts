/** Markdown in the syntax of chat services. What a service has no syntax for is text, and no text becomes markup or a mention. */
import { listed } from "./MarkdownText.ts"
import { type Block, type Inline, readPlain } from "./ReadMarkdown.ts"
import type { Dialect } from "./RenderMarkdown.ts"

/** No service takes a mark that goes on in the next line. */
const inLines = (mark: string) => (inside: string): string =>
  inside.split("\n").map((line) => (line.trim() === "" ? line : `${mark}${line}${mark}`)).join("\n")

const oneLine = (text: string): string => text.replaceAll("\n", " ")

const same = (text: string): string => text

/** Characters that would end the address of a link. */
const address = (url: string): string =>
  url.replace(/[\s()<>|\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

interface Signs {
  readonly text: Dialect["text"]
  readonly bullet: string
  /** At the beginning of each line of a quote; empty if the service has none. */
  readonly quote: string
}

/** Words of several services. */
const common = ({ bullet, quote, text }: Signs) => ({
  text,
  paragraph: same,
  // Strong, by `forChats`.
  heading: same,
  joined: (blocks: ReadonlyArray<string>, tight: boolean) => blocks.join(tight ? "\n" : "\n\n"),
  break: "\n",
  quote: (inside: string) => inside.split("\n").map((line) => `${quote}${line}`).join("\n"),
  list: (items: ReadonlyArray<string>, start: number | null) =>
    listed(items, (index) => (start === null ? bullet : text(`${start + index}.`))),
  rule: "———",
  table: (rows: ReadonlyArray<ReadonlyArray<string>>) => rows.map((row) => row.join(text(" | "))).join("\n")
})

/** A position between two letters at which a service looks for marks. */
const zeroWidthSpace = "\u200b"

const fenced = (text: string): string => `\`\`\`\n${text}\n\`\`\``

/** Slack's control characters (https://docs.slack.dev/messaging/formatting-message-text, escaping text). */
export const slackText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Slack has no way to write a backtick inside code. */
const withoutTicks = (text: string): string => text.replaceAll("`", "'")

const slack: Dialect = {
  ...common({ text: slackText, bullet: "•", quote: "> " }),
  code: (text) => `\`${slackText(withoutTicks(text))}\``,
  marks: { strong: inLines("*"), emphasis: inLines("_"), strike: inLines("~") },
  // Slack knows no way to write the sign that separates the two.
  link: (url, _, label) => `<${slackText(address(url))}|${slackText(oneLine(label).replaceAll("|", "¦"))}>`,
  preformatted: (text) => fenced(slackText(withoutTicks(text))),
  gap: zeroWidthSpace
}

/** Discord formats texts as Markdown, and would turn `@everyone` and `<@id>` into mentions. */
export const discordText = (text: string): string => text.replace(/[\\*_~`|>[\]()#@<-]/g, "\\$&")

/** Discord shows a link whose text is an address as it is written. */
const discordLink = (url: string, inside: string, label: string): string =>
  /:\/\//.test(label) ? (label === url ? address(url) : `${inside} ${address(url)}`) : `[${oneLine(inside)}](${address(url)})`

/** Two backticks that follow each other would end code. */
const apart = (text: string): string => text.replace(/`(?=`)/g, `\`${zeroWidthSpace}`)

const discord: Dialect = {
  ...common({ text: discordText, bullet: "-", quote: "> " }),
  code: (text) => text.includes("`") ? `\`\` ${apart(text)} \`\`` : `\`${text}\``,
  marks: { strong: inLines("**"), emphasis: inLines("*"), strike: inLines("~~") },
  link: discordLink,
  preformatted: (text) => fenced(apart(text)),
  gap: zeroWidthSpace
}

/** https://core.telegram.org/bots/api#markdownv2-style */
export const telegramText = (text: string): string => text.replace(/[\\_*[\]()~`>#+\-=|{}.!]/g, "\\$&")

/** In code, only these two characters end it. */
const telegramCode = (text: string): string => text.replace(/[\\`]/g, "\\$&")

const telegram: Dialect = {
  ...common({ text: telegramText, bullet: "•", quote: ">" }),
  code: (text) => `\`${telegramCode(text)}\``,
  marks: { strong: inLines("*"), emphasis: inLines("_"), strike: inLines("~") },
  link: (url, inside) => `[${oneLine(inside)}](${address(url)})`,
  preformatted: (text) => fenced(telegramCode(text))
}

/** Text blocks of Adaptive Cards (https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features). */
export const teamsText = (text: string): string => text.replace(/[\\*_[\]()#`<>~-]/g, "\\$&")

const teams: Dialect = {
  ...common({ text: teamsText, bullet: "-", quote: "" }),
  code: teamsText,
  marks: { strong: inLines("**"), emphasis: inLines("_"), strike: same },
  link: (url, inside) => `[${oneLine(inside)}](${address(url)})`,
  preformatted: teamsText,
  gap: zeroWidthSpace
}

const inWords = (inside: ReadonlyArray<Inline>, within: ReadonlySet<string>): ReadonlyArray<Inline> =>
  inside.flatMap((one): ReadonlyArray<Inline> => {
    if (one._tag === "code") return [within.size === 0 ? one : { ...one, _tag: "text" }]
    if (!("inside" in one)) return [one]
    const held = inWords(one.inside, new Set([...within, one._tag]))
    return within.has(one._tag) ? held : [{ ...one, inside: held }]
  })

const strongly = (inside: ReadonlyArray<Inline>): ReadonlyArray<Inline> => inWords([{ _tag: "strong", inside }], new Set())

/**
 * Only what every service can nest: no code in other marks, no quotes and no blocks of code inside of quotes and lists. A heading is
 * a strong paragraph.
 */
export const forChats = (blocks: ReadonlyArray<Block>, isInside = false): ReadonlyArray<Block> =>
  blocks.flatMap((block): ReadonlyArray<Block> => {
    switch (block._tag) {
      case "paragraph":
        return [{ ...block, inside: inWords(block.inside, new Set()) }]
      case "heading":
        return [{ _tag: "paragraph", tight: false, inside: strongly(block.inside) }]
      case "quote":
        return isInside ? forChats(block.blocks, true) : [{ ...block, blocks: forChats(block.blocks, true) }]
      case "list":
        return [{ ...block, items: block.items.map((item) => forChats(item, true)) }]
      case "preformatted":
        return isInside ? readPlain(block.text) : [block]
      case "table":
        return [{
          ...block,
          rows: block.rows.map((row, index) => row.map((cell) => index === 0 ? strongly(cell) : inWords(cell, new Set())))
        }]
      case "rule":
        return [block]
    }
  })

export const chatDialects = { slack, discord, telegram, teams } as const
