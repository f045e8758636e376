/** Maps errors of the HTTP parser and of lost connections to a cause for machines and a message for people. */
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

const parseFailure = (error: NodeJS.ErrnoException): RequestFailed => {
  const raw = "rawPacket" in error && error.rawPacket instanceof Uint8Array ? error.rawPacket : null
  if (raw !== null && isTlsAlert(raw)) return failed("protocol_error", "Not HTTP: the port speaks TLS. Use https:// in the URL.")
  const shown = raw === null || raw.length === 0 ? "" : beginningOf(raw)
  return failed(
    "protocol_error",
    shown !== "" && !shown.startsWith("\"HTTP/")
      ? `Not HTTP: the response begins with ${shown}`
      : `The response is not valid HTTP: ${error.message}`
  )
}

export const exchangeFailure = (error: NodeJS.ErrnoException, progress: Progress, headerLimit: number): RequestFailed => {
  if (error.code === "HPE_HEADER_OVERFLOW") {
    return failed("protocol_error", `The response headers are larger than ${Math.round(headerLimit / 1024)} KiB`)
  }
  // The parser's first bytes are known only while it reads headers.
  if (error.code?.startsWith("HPE_") === true) {
    return progress.inBody ? failed("protocol_error", `The body is not valid HTTP: ${error.message}`) : parseFailure(error)
  }
  if (isHangUp(error) || error.code === undefined) {
    return endedEarly(progress, error.code === "ECONNRESET" && error.syscall === "read" ? "reset" : "closed")
  }
  return failed("protocol_error", `The connection was lost (${codeOf(error)})`)
}

export const responseTimeout = (progress: Progress, timeoutMs: number): RequestFailed =>
  failed(
    "timeout",
    progress.inBody
      ? `The response body did not complete within ${timeoutMs} ms: ${bytesOf(progress)} arrived`
      : progress.bytes === 0
      ? `Connected, but no response within ${timeoutMs} ms`
      : `The response headers were incomplete after ${timeoutMs} ms: ${bytesOf(progress)} arrived`
  )
