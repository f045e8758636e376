/** Texts in headers: HTTP leaves their charset open (RFC 9110, section 5.5), and today's software writes UTF-8. */
import { isUtf8 } from "node:buffer"

const highByte = /[\x80-\xff]/g

/** A loop, because the values of every response come here. */
const isAscii = (value: string): boolean => {
  for (let at = 0; at < value.length; at++) if (value.charCodeAt(at) > 127) return false
  return true
}

/** The text of a value of which each character is a byte: UTF-8 if it is valid, else Latin-1. */
export const headerText = (value: string): string => {
  if (isAscii(value)) return value
  const bytes = Buffer.from(value, "latin1")
  return isUtf8(bytes) ? bytes.toString("utf8") : value
}

/** The same for a URL: bytes that are not UTF-8 are sent back as they came, as browsers do. */
export const headerUrl = (value: string): string =>
  isUtf8(Buffer.from(value, "latin1"))
    ? headerText(value)
    : value.replace(highByte, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
