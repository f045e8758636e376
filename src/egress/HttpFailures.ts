/** Puts what is wrong with an HTTP response, or with its connection, in a cause for machines and a message for people. */
import { codeOf, failed, isHangUp } from "./ConnectionFailures.ts"
import type { RequestFailed } from "./EgressGuard.ts"

/** The parts of a response that had arrived when it failed. */
export interface Progress {
  /** The response headers are complete, and the body has begun. */
  readonly inBody: boolean
  /** Bytes of the body, or, before the body, of the headers. */
  readonly bytes: number
  /** The declared length of the body; null if it is not declared. */
  readonly expected: number | null
}

const number = new Intl.NumberFormat("en")

const bytesOf = ({ bytes, expected }: Progress): string =>
  expected === null
    ? `${number.format(bytes)} ${bytes === 1 ? "byte" : "bytes"}`
    : `${number.format(bytes)} of ${number.format(expected)} bytes`

export const endedEarly = (progress: Progress, how: "closed" | "reset"): RequestFailed => {
  const { bytes, inBody } = progress
  const ended = (where: string) => failed("protocol_error", `The connection was ${how} ${where}`)
  if (bytes === 0) return ended(inBody ? "after the response headers, before the body" : "before a response arrived")
  return ended(
    inBody
      ? `before the body was complete: got ${bytesOf(progress)}`
      : `before the response headers were complete, after ${bytesOf(progress)}`
  )
}

const printable = /^[\x20-\x7e]+/

/** The first bytes as text in quotes if they are text, else in hex. */
const beginningOf = (raw: Uint8Array): string => {
  const text = printable.exec(Buffer.from(raw.subarray(0, 60)).toString("latin1"))?.[0].trimEnd() ?? ""
  return text === "" ? `the bytes ${Buffer.from(raw.subarray(0, 8)).toString("hex").replace(/(..)(?=.)/g, "$1 ")}` : `"${text}"`
}

/** TLS records of a server that got plain HTTP are alerts (RFC 8446, section 5.1). */
const isTlsAlert = (bytes: Uint8Array): boolean => bytes[0] === 0x15 && bytes[1] === 3

const starts = ["HTTP/", "ICY "]

/** The failure of a response that does not begin as HTTP does, however it goes on; else null. */
export const notHttp = (bytes: Uint8Array): RequestFailed | null => {
  const start = Buffer.from(bytes.subarray(0, 5)).toString("latin1").toUpperCase()
  if (starts.some((wanted) => wanted.startsWith(start.slice(0, wanted.length)))) return null
  return failed(
    "protocol_error",
    isTlsAlert(bytes)
      ? "Not HTTP: the port speaks TLS. Use https:// in the URL."
      : `Not HTTP: the response begins with ${beginningOf(bytes)}`
  )
}

export const invalidHead = (why: string): RequestFailed => failed("protocol_error", `The response is not valid HTTP: ${why}`)

export const headTooLarge = (limit: number): RequestFailed =>
  failed("protocol_error", `The response headers are larger than ${Math.round(limit / 1024)} KiB`)

export const connectionLost = (error: NodeJS.ErrnoException, progress: Progress): RequestFailed =>
  isHangUp(error) || error.code === undefined
    ? endedEarly(progress, error.code === "ECONNRESET" && error.syscall === "read" ? "reset" : "closed")
    : failed("protocol_error", `The connection was lost (${codeOf(error)})`)

export const responseTimeout = (progress: Progress, timeoutMs: number): RequestFailed =>
  failed(
    "timeout",
    progress.inBody
      ? `The response body did not complete within ${timeoutMs} ms: ${bytesOf(progress)} arrived`
      : progress.bytes === 0
      ? `Connected, but no response within ${timeoutMs} ms`
      : `The response headers were incomplete after ${timeoutMs} ms: ${bytesOf(progress)} arrived`
  )
