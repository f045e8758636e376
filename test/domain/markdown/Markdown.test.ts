/** Markdown that people write: what pages, mails and chat services get of it, whatever it holds. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { Parser } from "htmlparser2"
import { chatDialects, forChats } from "../../../src/domain/markdown/ChatDialects.ts"
import { markdownHtml } from "../../../src/domain/markdown/MarkdownHtml.ts"
import { markdownText } from "../../../src/domain/markdown/MarkdownText.ts"
import { renderWithin } from "../../../src/domain/markdown/MarkdownWithin.ts"
import { readMarkdown, readPlain } from "../../../src/domain/markdown/ReadMarkdown.ts"
import { renderMarkdown } from "../../../src/domain/markdown/RenderMarkdown.ts"
import { telegramProblem } from "../../support/services/TelegramEntities.ts"

type Chat = keyof typeof chatDialects
const chats: ReadonlyArray<Chat> = ["slack", "discord", "telegram", "teams"]

const html = (source: string) => markdownHtml(readMarkdown(source), { heading: 3 })
const inChat = (chat: Chat, source: string) => renderMarkdown(chatDialects[chat], forChats(readMarkdown(source)))

const written = `## Cause

The **primary** database was *slow*, see [our notes](https://acme.test/notes?a=1&b=2) or https://acme.test/status.

- Writes ~~failed~~ waited
- \`api_v1\` was fine

1. First
2. Second

> We are sorry.

\`\`\`
<b>exit 1</b>
\`\`\``

const piece = fc.constantFrom(
  "**",
  "*",
  "_",
  "__",
  "~~",
  "`",
  "``",
  "```",
  "\n",
  "\n\n",
  "\n```\n",
  "\n> ",
  "\n- ",
  "\n1. ",
  "\n    ",
  "\n# ",
  "\n---\n",
  "\n|a|b|\n|-|-|\n|",
  "[",
  "](",
  ")",
  "![",
  "<",
  ">",
  "&",
  "&lt;",
  "&#60;",
  "\\",
  "|",
  "@here",
  "<!channel>",
  "<@U1>",
  "@everyone",
  "javascript:alert(1)",
  "https://a.test/x_y*z",
  "http://b.test/(1)",
  "mailto:a@b.test",
  "<script>alert(1)</script>",
  "<img src=x onerror=y>",
  "data:text/html,x",
  "\"onmouseover=\"x",
  "'",
  "=",
  "word",
  "שלום",
  " ",
  "  ",
  "\t",
  "\0",
  "\u202e",
  "é",
  "😀"
)
const anyText = fc.oneof(fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join("")), fc.string({ unit: "binary" }))

const allowed = new Map<string, ReadonlyArray<string>>([
  ["a", ["href", "rel"]],
  ["p", ["dir"]],
  ["ul", ["dir"]],
  ["ol", ["dir", "start"]],
  ["blockquote", ["dir"]],
  ["td", ["dir"]],
  ["th", ["dir"]],
  ["h3", ["dir"]],
  ["h4", ["dir"]],
  ["h5", ["dir"]],
  ["h6", ["dir"]],
  ...["li", "br", "strong", "em", "s", "code", "pre", "hr", "table", "thead", "tbody", "tr"].map((name) => [name, []] as const)
])

/** HTML that nothing that a person writes may bring about. */
const strange = (document: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const parser = new Parser({
    onopentag: (name, attributes) => {
      const known = allowed.get(name)
      if (known === undefined || Object.keys(attributes).some((one) => !known.includes(one))) {
        found.push(`${name} ${JSON.stringify(attributes)}`)
      }
      if (name === "a" && !/^(https?:|mailto:)/i.test(attributes["href"] ?? "")) found.push(`leads to ${attributes["href"]}`)
    },
    oncomment: () => found.push("comment"),
    onprocessinginstruction: (name) => found.push(name)
  })
  parser.end(document)
  return found
}

describe("Markdown as HTML", () => {
  it("has its structure, and links that vouch for nothing", () => {
    expect(html(written)).toBe(
      "<h3 dir=\"auto\">Cause</h3><p dir=\"auto\">The <strong>primary</strong> database was <em>slow</em>, see " +
        "<a href=\"https://acme.test/notes?a=1&amp;b=2\" rel=\"nofollow noopener\">our notes</a> or " +
        "<a href=\"https://acme.test/status\" rel=\"nofollow noopener\">https://acme.test/status</a>.</p>" +
        "<ul dir=\"auto\"><li>Writes <s>failed</s> waited</li><li><code>api_v1</code> was fine</li></ul>" +
        "<ol dir=\"auto\"><li>First</li><li>Second</li></ol><blockquote dir=\"auto\"><p dir=\"auto\">We are sorry.</p></blockquote>" +
        "<pre><code>&lt;b&gt;exit 1&lt;/b&gt;</code></pre>"
    )
  })

  it("shows a link to anything but the web and mail as it was written", () => {
    for (const source of ["[x](javascript:alert(1))", "[x](data:text/html,y)", "[x](/relative)", "[x](ftp://a.test)"]) {
      expect(html(source)).toBe(`<p dir="auto">${source}</p>`)
    }
    expect(html("[x](mailto:ops@acme.test)")).toContain("href=\"mailto:ops@acme.test\"")
  })

  it("shows an image as a link, and what looks like a definition of a link as it is", () => {
    expect(html("![a graph](https://a.test/g.png)")).toContain(">a graph</a>")
    expect(html("![](https://a.test/g.png)")).toContain(">https://a.test/g.png</a>")
    expect(markdownText("[14:05]: https://a.test/x")).toBe("[14:05]: https://a.test/x")
  })

  it("skips no level of headings", () => {
    expect(html("### a\n# b\n## c\n###### d").match(/<h\d/g)).toEqual(["<h3", "<h3", "<h4", "<h5"])
  })

  it("ends a bare address where the sentence goes on", () => {
    const urls = [
      ...html("See https://a.test/x. Or (https://b.test/y), https://c.test/z_(1)! **https://d.test/** [https://e.test/f]")
        .matchAll(/href="([^"]*)"/g)
    ].map(([, url]) => url)
    expect(urls).toEqual(["https://a.test/x", "https://b.test/y", "https://c.test/z_(1)", "https://d.test/", "https://e.test/f"])
  })

  it.prop("lets no HTML through, and stays in proportion to the text", [anyText], ([source]) => {
    const shown = html(source)
    expect(strange(shown)).toEqual([])
    expect(shown.length).toBeLessThanOrEqual(60 * source.length + 100)
  })
})

describe("Markdown as plain text", () => {
  it("keeps what a reader needs", () => {
    expect(markdownText(written)).toBe(
      "Cause\n\nThe primary database was slow, see our notes (https://acme.test/notes?a=1&b=2) or https://acme.test/status.\n\n" +
        "- Writes failed waited\n- api_v1 was fine\n\n1. First\n2. Second\n\n> We are sorry.\n\n<b>exit 1</b>"
    )
  })

  it.prop("of a text without markup is that text", [
    fc.array(fc.array(fc.stringMatching(/^[a-zé.,:;?!'"()/שלום ]{1,20}$/), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 4
    })
  ], ([paragraphs]) => {
    const text = paragraphs.map((lines) => lines.map((line) => `x${line.replace(/ +/g, " ")}x`).join("\n")).join("\n\n")
    expect(markdownText(text)).toBe(text)
  })

  it.prop("loses no word, however deep it stands", [
    fc.array(fc.constantFrom("> ", "- ", "1. ", "*", "**", "[", "~~"), { maxLength: 60 })
  ], ([signs]) => {
    expect(markdownText(`${signs.join("")}word`)).toContain("word")
  })
})

describe("Markdown for chat services", () => {
  it("is in the syntax of each", () => {
    const source = "**Down**: see [status](https://a.test/x_y) & `a_b`\n\n- one\n- 2 * 3"
    expect(inChat("slack", source)).toBe("*Down*: see <https://a.test/x_y|status> &amp; `a_b`\n\n• one\n• 2 * 3")
    expect(inChat("discord", source)).toBe("**Down**: see [status](https://a.test/x_y) & `a_b`\n\n- one\n- 2 \\* 3")
    expect(inChat("telegram", source)).toBe("*Down*: see [status](https://a.test/x_y) & `a_b`\n\n• one\n• 2 \\* 3")
    expect(inChat("teams", source)).toBe("**Down**: see [status](https://a.test/x_y) & a\\_b\n\n- one\n- 2 \\* 3")
  })

  it("mentions nobody", () => {
    const source = "@here <!channel> <@U123> @everyone &lt;!here&gt; [@here](https://a.test) `<!channel>`"
    expect(inChat("slack", source).replace(/<https:[^<>]*>/g, "")).not.toMatch(/[<>]/)
    expect(inChat("discord", source).replace(/`[^`]*`/g, "")).not.toMatch(/(?<!\\)(@|<)/)
  })

  it("keeps the sign that separates an address from its label out of Slack's labels", () => {
    expect(inChat("slack", "http://b.test/(1)|@here")).toBe("<http://b.test/%281%29%7C@here|http://b.test/(1)¦@here>")
  })

  it.prop("never breaks their syntax", [anyText], ([source]) => {
    expect(inChat("slack", source).replace(/<(https?:|mailto:)[^<>|]*\|[^<>|\n]*>/gi, "")).not.toMatch(/[<>](?!\s)/)
    expect(telegramProblem(inChat("telegram", source))).toBeNull()
  })

  it.prop("fits the length that a service takes, with whole markup", [
    anyText,
    fc.constantFrom(...chats),
    fc.integer({ min: 1, max: 80 }),
    fc.boolean()
  ], ([source, chat, max, isPlain]) => {
    const blocks = forChats(isPlain ? readPlain(source) : readMarkdown(source))
    const fits = renderWithin(chatDialects[chat], blocks, max)
    expect(fits.length).toBeLessThanOrEqual(max)
    if (chat === "telegram") expect(telegramProblem(fits)).toBeNull()
  })

  it("says that a text was cut", () => {
    expect(renderWithin(chatDialects.slack, forChats(readMarkdown(`**${"word ".repeat(100)}word**`)), 40)).toMatch(
      /^\*word .*…\*$/
    )
  })
})

const long = (piece: string) => piece.repeat(Math.ceil(100_000 / piece.length))

describe("100 kB of", () => {
  it.each([
    "[",
    "![",
    "[a](",
    "[[]",
    "*a ",
    "*a **b ",
    "a**b*c ",
    "_",
    "~~a",
    "`",
    "> ",
    "- ",
    "1. ",
    "- > ",
    "<a@",
    "http://",
    "https://a.test/((((",
    "https://a ",
    "a\n\n",
    "|",
    "|a",
    "&",
    "\\",
    "[a]: b\n",
    ">a\nb\n",
    "a\n=\n",
    "a  \n",
    "שלום **",
    "# ",
    "    a\n",
    "```\n"
  ])("%j take the time of their length", (piece) => {
    const blocks = readMarkdown(long(piece))
    markdownHtml(blocks, { heading: 3 })
    for (const chat of chats) renderWithin(chatDialects[chat], forChats(blocks), 3000)
  }, 20_000)
})
