/** Short texts from a response body for error messages: the page's title, its first line, and how its text begins. */
import { cut } from "../../tools/text/TrimText.ts"

/** The part of a body that is searched, characters. */
const searched = 16_384
const longest = 120

const shorten = (text: string): string => cut(text, longest)

/** In one line, without control characters. */
const oneLine = (text: string): string => text.replace(/[\s\x00-\x1f\x7f]+/g, " ").trim()

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: "\"", "#39": "'", nbsp: " " }

const unescape = (text: string): string => text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => entities[name] ?? "")

/** The text between two marks, from `from` on; null if one is missing. */
const between = (text: string, from: number, open: string, close: string): readonly [string, number] | null => {
  const start = text.indexOf(open, from)
  const end = start === -1 ? -1 : text.indexOf(close, start + open.length)
  return end === -1 ? null : [text.slice(start + open.length, end), end + close.length]
}

const isMarkup = (body: string): boolean => /^\s{0,1000}</.test(body)

/** The text of a page without its head, scripts, styles and tags. One pass: pages come from strangers. */
const visibleText = (page: string): string => {
  const lower = page.toLowerCase()
  const bodyAt = Math.max(lower.indexOf("<body"), 0)
  const parts: Array<string> = []
  let at = bodyAt
  while (at < page.length) {
    const tag = page.indexOf("<", at)
    if (tag === -1) {
      parts.push(page.slice(at))
      break
    }
    parts.push(page.slice(at, tag), " ")
    const silent = ["script", "style", "title"].find((name) => lower.startsWith(`<${name}`, tag))
    const end = silent === undefined ? page.indexOf(">", tag) : lower.indexOf(`</${silent}`, tag)
    if (end === -1) break
    at = silent === undefined ? end + 1 : end
  }
  return parts.join("")
}

export const titleOf = (body: string): string | null => {
  const page = body.slice(0, searched)
  const [head] = between(page.toLowerCase(), 0, "<title", "</title") ?? [null]
  if (head === null) return null
  const start = page.toLowerCase().indexOf("<title") + "<title".length
  const title = oneLine(unescape(page.slice(start, start + head.length).replace(/^[^>]*>/, "")))
  return title === "" ? null : shorten(title)
}

/** How the text of a body begins, without markup; null if it has no text. */
const excerptOf = (body: string): string | null => {
  const page = body.slice(0, searched)
  const text = oneLine(isMarkup(page) ? unescape(visibleText(page)) : page)
  return text === "" ? null : shorten(text)
}

/** `begins "Sign in"`, or that there is nothing to quote. */
export const beginningOf = (body: string): string => {
  const excerpt = excerptOf(body)
  return excerpt !== null ? `begins "${excerpt}"` : body.trim() === "" ? "the body is empty" : "no visible text"
}

/** The first line that says something: a page's title, else its text. */
export const firstLineOf = (body: string): string | null => {
  const page = body.slice(0, searched)
  if (isMarkup(page)) return titleOf(page) ?? excerptOf(page)
  const line = page.split(/[\r\n]/).map(oneLine).find((one) => one !== "")
  return line === undefined ? null : shorten(line)
}
