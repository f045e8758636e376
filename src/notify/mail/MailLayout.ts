/** The layout of all mails, as plain text and as HTML that old mail clients render too. */
import type { Language } from "../../../schema/page/Page.ts"
import type { Tone } from "../../domain/alert/AlertMessage.ts"
import { markdownHtml } from "../../domain/markdown/MarkdownHtml.ts"
import { markdownText } from "../../domain/markdown/MarkdownText.ts"
import { readMarkdown } from "../../domain/markdown/ReadMarkdown.ts"
import { namedIn } from "../../domain/page/Languages.ts"
import type { MailColors, MailLook } from "../../domain/page/MailLook.ts"
import { isolated, isRightToLeft, withIsolatesEnded } from "../../domain/tools/text/Direction.ts"
import { cut } from "../../domain/tools/text/TrimText.ts"
import { xmlText } from "../../domain/tools/text/XmlText.ts"
import type { MailContent } from "../../store/mail/Mails.ts"

export type Mail = MailContent & { readonly subject: string }

export interface MailLink {
  readonly label: string
  readonly link: string
}

/** One message, with one button at most. All texts but `message` are plain text. */
export interface MailParts {
  readonly title: string
  /** A person's text, as Markdown, above the paragraphs. */
  readonly message?: string
  readonly paragraphs: ReadonlyArray<string>
  /** Named values, below the paragraphs. */
  readonly facts?: ReadonlyArray<{ readonly label: string; readonly value: string }>
  readonly action: MailLink | null
  /** Small print after the link; URLs in its texts become links. */
  readonly closing: ReadonlyArray<string | MailLink>
  /** Gives the mail a color, if it is news. */
  readonly tone?: Tone
  readonly language?: Language
  /** The look of a status page; without it, the mail looks like Belltower. */
  readonly look?: MailLook | undefined
}

/** Reduces a user-chosen name to one short line, so that it cannot add paragraphs or fill the mail. */
export const inLine = (name: string, maxLength = 80): string => {
  const line = name.replace(/(?:(?![\u2068\u2069])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s])+/gu, " ").trim()
  return withIsolatesEnded(cut(line, maxLength))
}

/** Breaks up anything in a user-chosen name that looks like a URL, because mail clients turn it into a link. */
export const withoutLinks = (name: string): string =>
  name.replace(
    /[.:/@]+/g,
    (run, at: number) => /\S/.test(name.charAt(at + run.length)) ? " " : run.length > 1 ? ` ${run.slice(-1)}` : run
  )

/** A name that others chose, or a text that they wrote, as one short line without links. */
export const plainLine = (name: string, maxLength?: number): string => withoutLinks(inLine(name, maxLength))

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

const rule = "#dfe3ea"

const light: MailColors = {
  bg: "#f3f5f9",
  surface: "#ffffff",
  text: "#171a20",
  line: rule,
  accent: "#1f5fd6",
  button: "#1f5fd6"
}

const dark: MailColors = {
  bg: "#101216",
  surface: "#191c22",
  text: "#e9ebef",
  line: "#2c313a",
  accent: "#8fb2ff",
  button: "#1f5fd6"
}

/** The colors of a mail, and those for readers who prefer dark; null if it has only one set. */
const colorsOf = (look: MailLook | undefined): { readonly plain: MailColors; readonly inDark: MailColors | null } => {
  if (look === undefined) return { plain: light, inDark: dark }
  return { plain: look.light ?? look.dark ?? light, inDark: look.light === null ? null : look.dark }
}

const ruleColor = (color: string) => `.rule{border-color:${color}!important}`

const inDarkStyles = ({ accent, bg, button, line, surface, text }: MailColors): string => `
  @media (prefers-color-scheme:dark){
    body,.page{background:${bg}!important}
    .card{background:${surface}!important;border-color:${line}!important;color:${text}!important}
    ${ruleColor(line)}
    a{color:${accent}}
    a.button{background:${button}!important}
    .on-light{display:none!important}
    .on-dark{display:inline-block!important}
    .ground{background:#ffffff!important;padding:8px 10px!important}
  }`

/** Programs that know no style sheets show the colors of the elements; the others follow the reader's preference. */
const stylesOf = ({ inDark, plain }: ReturnType<typeof colorsOf>): string =>
  [
    `a{color:${plain.accent}}`,
    ...(plain.line === rule ? [] : [ruleColor(plain.line)]),
    ...(inDark === null ? [] : [inDarkStyles(inDark)]),
    "a.button{color:#ffffff!important}"
  ].join("")

const logo = (url: string, name: string, look: { readonly class: string; readonly style?: string }): string =>
  `<img class="${look.class}" src="${xmlText(url)}" alt="${xmlText(name)}" ` +
  `style="${look.style ?? ""}max-height:40px;max-width:220px;border:0;border-radius:4px">`

/** The logo of a page, or its name. In the dark, a logo without a dark one stands on white. */
const brandOf = ({ dark, darkLogo, light, logo: lightLogo, name }: MailLook): string => {
  const shown = light === null ? darkLogo ?? lightLogo : lightLogo ?? darkLogo
  const inside = shown === null
    ? `<b style="font-size:15px">${xmlText(name)}</b>`
    : light === null || dark === null
    ? logo(shown, name, { class: "logo" })
    : darkLogo === null || lightLogo === null
    ? logo(shown, name, { class: "ground" })
    : logo(lightLogo, name, { class: "on-light" }) + logo(darkLogo, name, { class: "on-dark", style: "display:none;" })
  return `<div class="brand" style="margin:0 0 20px;overflow-wrap:anywhere" dir="auto">${inside}</div>`
}

const edges = { down: "#d13438", degraded: "#c77700", good: "#1f8f4d", notice: "#1f5fd6" } as const satisfies Record<Tone, string>

/** A whole mail: a card, with an edge in the color of the news. `inside` is HTML. */
export const cardOf = (
  { inside, language = "en", look, title, tone = "notice" }: {
    readonly title: string
    readonly inside: ReadonlyArray<string>
    readonly language?: Language
    readonly tone?: Tone
    readonly look?: MailLook | undefined
  }
): string => {
  const colors = colorsOf(look)
  const { bg, line, surface, text: ink } = colors.plain
  const scheme = colors.inDark !== null ? "light dark" : look?.light === null ? "dark" : "light"
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">`,
    "<meta name=\"viewport\" content=\"width=device-width\">",
    `<meta name="color-scheme" content="${scheme}">`,
    `<title>${xmlText(title)}</title><style>${stylesOf(colors)}</style></head>`,
    `<body style="margin:0;background:${bg}">`,
    `<div class="page" style="padding:32px 12px;background:${bg};${font};font-size:16px;line-height:1.55">`,
    `<div class="card" style="max-width:520px;margin:0 auto;padding:28px 28px 12px;background:${surface};color:${ink};`,
    `border:1px solid ${line};border-radius:12px">`,
    ...(look === undefined ? [] : [brandOf(look)]),
    // Above the title, because a border of the card would bend around its corners.
    `<div style="width:44px;height:4px;margin:0 0 18px;border-radius:2px;background:${edges[tone]}"></div>`,
    `<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3;overflow-wrap:anywhere" dir="auto">${xmlText(title)}</h1>`,
    ...inside,
    "</div></div></body></html>"
  ].join("\n")
}

/** Long addresses wrap, so that a phone shows the mail without scrolling sideways. */
const wrapping = "overflow-wrap:anywhere;word-break:break-word"
export const paragraph = (text: string): string =>
  `<p style="margin:0 0 16px;${wrapping}" dir="auto">${xmlText(text).replaceAll("\n", "<br>")}</p>`

/** Small print; `inside` is HTML. */
export const small = (inside: string): string =>
  `<p style="margin:0 0 12px;${wrapping};font-size:13px;line-height:1.5" dir="auto">${inside.replaceAll("\n", "<br>")}</p>`

/** Only for our own texts: what people write must not become a link. */
const linked = (text: string): string =>
  text.split(/(https?:\/\/\S+)/).map((part, index) =>
    index % 2 === 0 ? xmlText(part) : `<a href="${xmlText(part)}">${xmlText(part)}</a>`
  ).join("")

/** Mail programs may drop the style sheet. */
const messageStyles = {
  ...Object.fromEntries(["p", "ul", "ol"].map((name) => [name, `style="margin:0 0 16px;${wrapping}"`])),
  ...Object.fromEntries(["h2", "h3", "h4", "h5", "h6"].map((name) => [name, "style=\"margin:0 0 8px;font-size:17px\""])),
  blockquote: `class="rule" style="margin:0 0 16px;padding:0 14px;border-left:3px solid ${rule}"`,
  pre: "style=\"margin:0 0 16px;font-size:14px;white-space:pre-wrap;overflow-wrap:anywhere\"",
  table: "style=\"margin:0 0 16px;border-collapse:collapse;font-size:15px\"",
  th: `class="rule" style="padding:5px 10px;border:1px solid ${rule}"`,
  td: `class="rule" style="padding:5px 10px;border:1px solid ${rule}"`
}

const messageHtml = (message: string): string => markdownHtml(readMarkdown(message), { heading: 2, attributes: messageStyles })

const button = ({ action, look }: Pick<MailParts, "action" | "look">): ReadonlyArray<string> => {
  if (action === null) return []
  const link = xmlText(action.link)
  return [
    "<div style=\"margin:24px 0\"><a class=\"button\" style=\"display:inline-block;padding:12px 22px;border-radius:10px;",
    `background:${colorsOf(look).plain.button};color:#ffffff;text-decoration:none;font-weight:600" href="${link}">${
      xmlText(action.label)
    }</a></div>`,
    `<div style="margin:0 0 24px;font-size:13px;word-break:break-all"><a href="${link}">${link}</a></div>`
  ]
}

/** A text in its own direction, at the side where its column has it. */
const own = (text: string): string => isRightToLeft(text) ? `<bdi>${xmlText(text)}</bdi>` : xmlText(text)

const cell = `padding:7px 0;border-top:1px solid ${rule};vertical-align:top;overflow-wrap:anywhere`

/** A name that stays on one line, so that a long value does not squeeze it. */
const isShort = (name: string): boolean => name.length <= 24

/** Rows of a name and a value; a name without a value takes the whole row. */
export const tableOf = (rows: ReadonlyArray<readonly [name: string, value: string]>): string =>
  [
    "<table role=\"presentation\" style=\"width:100%;margin:0 0 16px;border-collapse:collapse;font-size:15px\">",
    ...rows.map(([name, value]) =>
      value === ""
        ? `<tr><td class="rule" colspan="2" style="${cell}" dir="auto">${xmlText(name)}</td></tr>`
        : `<tr><td class="rule" style="${cell};padding-right:16px${isShort(name) ? ";white-space:nowrap" : ""}">${
          own(name)
        }</td>` +
          `<td class="rule" style="${cell};text-align:right">${own(value)}</td></tr>`
    ),
    "</table>"
  ].join("\n")

const closingHtml = (one: string | MailLink): string =>
  typeof one === "string"
    ? linked(one)
    : `<a href="${xmlText(one.link)}">${xmlText(one.label)}</a>`

const html = ({ action, closing, facts = [], message, paragraphs, title, ...look }: MailParts): string =>
  cardOf({
    title,
    ...look,
    inside: [
      messageHtml(message ?? ""),
      ...paragraphs.map(paragraph),
      ...(facts.length === 0 ? [] : [tableOf(facts.map(({ label, value }) => [label, value] as const))]),
      ...button({ action, look: look.look }),
      `<div class="rule" style="margin:24px 0 14px;border-top:1px solid ${rule}"></div>`,
      ...closing.map((one) => small(closingHtml(one)))
    ]
  })

const text = ({ action, closing, facts = [], language = "en", message, paragraphs, title }: MailParts): string =>
  [
    title,
    ...[markdownText(message ?? "")].filter((written) => written !== ""),
    ...paragraphs,
    ...(facts.length === 0
      ? []
      : [facts.map(({ label, value }) => namedIn(language, isolated(label), isolated(value))).join("\n")]),
    ...(action === null ? [] : [`${namedIn(language, action.label, "").trim()}\n${action.link}`]),
    ...closing.map((one) => (typeof one === "string" ? one : namedIn(language, one.label, one.link)))
  ].join("\n\n") + "\n"

export const layOut = (parts: MailParts): MailContent => ({ text: text(parts), html: html(parts) })

/**
 * The headers by which mail readers show all mails about one incident as one conversation (RFC 5322, section 3.6.4). Its first mail may be
 * any of them, or one to somebody else, so they all refer to a message that is never sent.
 */
export const inThread = (incidentId: string | null) => {
  const root = `<${incidentId}@incidents.belltower>`
  return incidentId === null ? {} : { "In-Reply-To": root, References: root }
}

/** The headers of an unsubscribe button (RFC 8058). `link` answers a POST without a question, and a GET with a page that asks. */
export const oneClick = (link: string) => ({
  "List-Unsubscribe": `<${link}>`,
  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"
})
