/**
 * Reads the head of a response as leniently as browsers and curl do (Fetch standard; RFC 9112, section 2.2), and refuses one that
 * could be read in two ways.
 */
import { Either } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import { cut } from "../../tools/text/TrimText.ts"
import { headerText, headerUrl } from "./HeaderText.ts"

/** The name in lower case, and the value, of which each character is a byte. */
type Field = readonly [name: string, value: string]

export interface ReadHead {
  readonly statusCode: number
  /** The reason phrase; each character is a byte. */
  readonly reason: string
  /** As understood: lines that are no header are missing, and the length is written once. */
  readonly fields: ReadonlyArray<Field>
  /** Where the body ends: after a length, with the last chunk, or, if null, with the connection. */
  readonly framing: "chunked" | number | null
}

/** The head as texts; only cookies, which go back as they came, have a byte in each character. */
export interface ResponseHead {
  readonly statusCode: number
  /** The reason phrase; empty if there is none. */
  readonly statusMessage: string
  readonly headers: IncomingHttpHeaders
}

/** Live streams of the SHOUTcast protocol begin with `ICY`. */
const statusLine = /^(?:HTTP\/\d+(?:\.\d+)?|ICY)[ \t]+([1-9]\d\d)(?:[ \t](.*))?$/i
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** A bare CR ends a line for some clients and is a space for others: framing behind one has two readings. */
const framingBehindCr = /\r[ \t]*(?:content-length|transfer-encoding)[ \t]*:/i

/** Headers of which clients take the first; others are joined. */
const single = new Set([
  "age",
  "content-length",
  "content-type",
  "etag",
  "expires",
  "last-modified",
  "location",
  "retry-after",
  "server"
])

const none: ReadonlyArray<never> = []

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t"

/** Without blanks around it; a pattern would take quadratic time. */
const trimmed = (text: string): string => {
  let [start, end] = [0, text.length]
  while (isBlank(text[start])) start++
  while (end > start && isBlank(text[end - 1])) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

interface Lines {
  readonly lines: ReadonlyArray<string>
  /** A CR stands elsewhere than at the end of a line. */
  readonly hasBareCr: boolean
}

/** The lines of a head without their ends: bare CRs become spaces (RFC 9112, section 2.2), and folded lines one line. */
const linesOf = (head: string): Lines => {
  const lines: Array<string> = []
  let hasBareCr = false
  for (const raw of head.split("\n")) {
    const cr = raw.indexOf("\r")
    const isBare = cr !== -1 && cr !== raw.length - 1
    const line = isBare ? raw.replaceAll("\r", " ") : cr === -1 ? raw : raw.slice(0, cr)
    hasBareCr ||= isBare
    if (!isBlank(line[0]) || cr === 0) lines.push(line)
    // Whitespace in front of the first header belongs to none.
    else if (lines.length > 1) lines.push(`${trimmed(lines.pop() ?? "")} ${trimmed(line)}`)
  }
  return { lines, hasBareCr }
}

/** The headers, which follow the status line. Lines without a colon, and those whose name is no name, are ignored. */
const fieldsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Field> => {
  const fields: Array<Field> = []
  for (const line of lines.slice(1)) {
    const colon = line.indexOf(":")
    const name = trimmed(line.slice(0, Math.max(0, colon)))
    if (token.test(name)) fields.push([name.toLowerCase(), trimmed(line.slice(colon + 1))])
  }
  return fields
}

const listed = (fields: ReadonlyArray<Field>, wanted: string): ReadonlyArray<string> =>
  fields.some(([name]) => name === wanted)
    ? fields.flatMap(([name, value]) => (name === wanted ? value.split(",").map(trimmed) : []))
    : none

/** A length may be repeated, and one that is no number is ignored (Fetch standard, "extract a length"). */
const lengthOf = (fields: ReadonlyArray<Field>): Either.Either<number | null, string> => {
  const [length = "", ...others] = listed(fields, "content-length")
  const other = others.find((one) => one !== length)
  return other === undefined
    ? Either.right(/^\d{1,15}$/.test(length) ? Number(length) : null)
    : Either.left(`it declares two lengths, Content-Length "${cut(length, 20)}" and "${cut(other, 20)}"`)
}

const codingsOf = (fields: ReadonlyArray<Field>): ReadonlyArray<string> => {
  const given = listed(fields, "transfer-encoding")
  if (given.length === 0) return none
  const codings = given.map((one) => one.toLowerCase())
  const applied = codings.filter((one) => one !== "" && one !== "identity")
  return applied.every((one) => one === "chunked") ? applied.slice(0, 1) : applied
}

/** Chunks outrank a length (RFC 9112, section 6.3). */
const framingOf = (codings: ReadonlyArray<string>, fields: ReadonlyArray<Field>): Either.Either<ReadHead["framing"], string> => {
  const chunksAt = codings.indexOf("chunked")
  if (codings.length === 0) return lengthOf(fields)
  if (chunksAt === -1) return Either.right(null)
  return chunksAt === codings.length - 1
    ? Either.right("chunked")
    : Either.left(`chunked is not the last of its Transfer-Encoding "${cut(codings.join(", "), 60)}"`)
}

const isFraming = ([name]: Field): boolean => name === "content-length" || name === "transfer-encoding"

/** The headers as understood: the length and the codings are written once. */
const understood = (fields: ReadonlyArray<Field>, codings: ReadonlyArray<string>, framing: ReadHead["framing"]) => {
  const kept = fields.filter((field) => !isFraming(field))
  if (codings.length > 0) kept.push(["transfer-encoding", codings.join(", ")])
  if (typeof framing === "number") kept.push(["content-length", String(framing)])
  return kept
}

/**
 * `head` ends before its empty line; each character is a byte. The left side completes "The response is not valid HTTP: ". Each
 * check comes here, so it is plain code.
 */
export const readHead = (head: string): Either.Either<ReadHead, string> => {
  const { hasBareCr, lines } = linesOf(head)
  const first = trimmed(lines[0] ?? "")
  const match = statusLine.exec(first)
  if (match === null) return Either.left(`it begins with "${cut(first, 60)}"`)
  if (head.includes("\0")) return Either.left("its headers contain a NUL byte")
  if (hasBareCr && framingBehindCr.test(head)) {
    return Either.left("a bare CR stands before a header that says where it ends")
  }
  const fields = fieldsOf(lines)
  const codings = codingsOf(fields)
  const framing = framingOf(codings, fields)
  return Either.isLeft(framing) ? Either.left(framing.left) : Either.right({
    statusCode: Number(match[1]),
    reason: trimmed(match[2] ?? ""),
    fields: understood(fields, codings, framing.right),
    framing: framing.right
  })
}

export const textsOf = ({ fields, reason, statusCode }: ReadHead): ResponseHead => {
  const cookies: Array<string> = []
  const headers = new Map<string, string>()
  for (const [name, value] of fields) {
    const before = headers.get(name)
    const text = name === "location" ? headerUrl(value) : headerText(value)
    if (name === "set-cookie") cookies.push(value)
    else if (before === undefined) headers.set(name, text)
    else if (!single.has(name)) headers.set(name, `${before}, ${text}`)
  }
  const all = Object.fromEntries(headers)
  return {
    statusCode,
    statusMessage: headerText(reason),
    headers: cookies.length === 0 ? all : { ...all, "set-cookie": cookies }
  }
}

/** A header as one text. */
export const shownHeader = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "object" ? headerText(value.join(", ")) : value

/** The head as strict parsers take it; each character is a byte. */
export const plainHead = ({ fields, reason, statusCode }: ReadHead): string =>
  `HTTP/1.1 ${statusCode} ${reason}\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`
