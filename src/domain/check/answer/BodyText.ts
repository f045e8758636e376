/**
 * Turns the bytes of a body into text as browsers do (WHATWG Encoding; HTML, section 13.2.3.2): by the byte order mark, the
 * Content-Type, and what the text itself declares.
 */
import { getBOMEncoding, labelToName, TextDecoder } from "@exodus/bytes/encoding.js"
import sniffHtml from "html-encoding-sniffer"
import { isUtf8 } from "node:buffer"

/** The kind of text, by its Content-Type. */
const isHtml = /^\s*text\/html\b/i
const isXml = /^\s*[\w-]+\/(?:[\w.-]+\+)?xml\b/i
const isJson = /^\s*[\w-]+\/(?:[\w.-]+\+)?json\b/i
const isCss = /^\s*text\/css\b/i

const inHeader = /[;,\s]charset\s*=\s*["']?([^\s"';,]+)/i
const inXml = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/i
const inCss = /^@charset "([\w.:-]+)";/

/** Browsers read pages beyond the prescan of 1024 bytes, and take a later declaration, too. */
const searchedBytes = 16_384
const meta = /<meta[\s/]/gi

/** The beginning; each character is a byte. */
const headOf = (bytes: Buffer): string => bytes.toString("latin1", 0, searchedBytes)

/** ASCII in a declaration that is read byte by byte shows that it is not UTF-16. */
const declared = (pattern: RegExp, bytes: Buffer): string | null => {
  const name = labelToName(pattern.exec(headOf(bytes))?.[1] ?? "")
  return name?.startsWith("UTF-16") === true ? "UTF-8" : name
}

/** XML in UTF-16 without a byte order mark (XML, appendix F). */
const wideXml = (bytes: Buffer): string | null => {
  const start = bytes.toString("latin1", 0, 4)
  return start === "<\0?\0" ? "UTF-16LE" : start === "\0<\0?" ? "UTF-16BE" : null
}

const xmlName = (bytes: Buffer): string | null => wideXml(bytes) ?? declared(inXml, bytes)

const none = "none"
const sniffed = (bytes: Buffer): string | null => {
  const name = sniffHtml(bytes, { defaultEncoding: none })
  return name === none ? null : name
}

const htmlName = (bytes: Buffer): string | null => {
  const early = sniffed(bytes) ?? xmlName(bytes)
  if (early !== null) return early
  for (const { index } of headOf(bytes).matchAll(meta)) {
    const name = sniffed(bytes.subarray(index))
    if (name !== null) return name
  }
  return null
}

/** The charset that the text declares, by its kind. Text without a type is read as a browser that was given only the bytes does. */
const ownName = (bytes: Buffer, contentType: string): string | null => {
  if (isHtml.test(contentType) || contentType.trim() === "") return htmlName(bytes)
  if (isXml.test(contentType)) return xmlName(bytes)
  return isCss.test(contentType) ? declared(inCss, bytes) : null
}

/** The position of the last character's first byte, if that is not ASCII. */
const lastCharacter = (bytes: Buffer): number => {
  let at = bytes.length - 1
  while (at > 0 && at > bytes.length - 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  return at
}

/** Whether the bytes are UTF-8. The last character of a body that was cut may be cut, too. */
const isAllUtf8 = (bytes: Buffer, isWhole: boolean): boolean =>
  isUtf8(bytes) || (!isWhole && isUtf8(bytes.subarray(0, lastCharacter(bytes))))

/** The name of the encoding by the standard. */
const encodingOf = (bytes: Buffer, contentType: string, isWhole: boolean): string => {
  const marked = getBOMEncoding(bytes)
  if (marked !== null) return marked
  const named = labelToName(inHeader.exec(contentType)?.[1] ?? "")
  // JSON is UTF-8 whatever its headers say (RFC 8259, section 8.1), unless its bytes are not.
  if (isJson.test(contentType) && (named === null || isAllUtf8(bytes, isWhole))) return "UTF-8"
  // Nothing says it: then the web is UTF-8, or Windows-1252, the standard's default.
  return named ?? ownName(bytes, contentType) ?? (isAllUtf8(bytes, isWhole) ? "UTF-8" : "windows-1252")
}

/** The text without its byte order mark. What is not valid in the encoding becomes U+FFFD. */
export const bodyText = (bytes: Buffer, contentType = "", isWhole = true): string => {
  const encoding = encodingOf(bytes, contentType, isWhole)
  // Node's own decoders are right for Unicode alone: its Windows-1252 is Latin-1.
  return encoding.toUpperCase() === "UTF-8"
    ? bytes.toString("utf8").replace(/^\uFEFF/, "")
    : new TextDecoder(encoding).decode(bytes)
}
