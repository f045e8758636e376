/** The layout of all mails, as plain text and as HTML that old mail clients render too. */
import type { MailContent } from "../../store/mail/Mails.ts"

/** One message with one link. All texts are plain text. */
export interface MailParts {
  readonly title: string
  readonly paragraphs: ReadonlyArray<string>
  readonly action: { readonly label: string; readonly link: string }
  /** Small print after the link. */
  readonly closing: ReadonlyArray<string>
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;" }
const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char] ?? char)

/** Reduces a user-chosen name to one short line, so that it cannot add paragraphs or fill the mail. */
export const inLine = (name: string, maxLength = 80): string => {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim()
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`
}

/** Breaks up anything in a user-chosen name that looks like a URL, because mail clients turn it into a link. */
export const withoutLinks = (name: string): string =>
  name.replace(
    /[.:/@]+/g,
    (run, at: number) => /\S/.test(name.charAt(at + run.length)) ? " " : run.length > 1 ? ` ${run.slice(-1)}` : run
  )

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

const paragraph = (text: string, style: string) => `<p style="margin:0 0 16px;${style}">${escaped(text)}</p>`

const html = ({ action, closing, paragraphs, title }: MailParts): string => {
  const link = escaped(action.link)
  return [
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">",
    "<meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">",
    `<title>${escaped(title)}</title></head>`,
    `<body style="margin:0;padding:32px 20px;${font};font-size:16px;line-height:1.55">`,
    "<div style=\"max-width:520px;margin:0 auto\">",
    `<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${escaped(title)}</h1>`,
    ...paragraphs.map((text) => paragraph(text, "")),
    "<p style=\"margin:24px 0\"><a style=\"display:inline-block;padding:12px 22px;border-radius:10px;background:#1f5fd6;",
    `color:#ffffff;text-decoration:none;font-weight:600" href="${link}">${escaped(action.label)}</a></p>`,
    paragraph("Or copy this address into your browser:", "font-size:14px;margin-bottom:4px"),
    `<p style="margin:0 0 24px;font-size:14px;word-break:break-all"><a href="${link}">${link}</a></p>`,
    ...closing.map((text) => paragraph(text, "font-size:14px;opacity:.75")),
    "</div></body></html>"
  ].join("\n")
}

const text = ({ action, closing, paragraphs, title }: MailParts): string =>
  [title, ...paragraphs, `${action.label}:\n${action.link}`, ...closing].join("\n\n") + "\n"

export const layOut = (parts: MailParts): MailContent => ({ text: text(parts), html: html(parts) })
