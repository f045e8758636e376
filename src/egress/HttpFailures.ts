/** Maps errors of sockets, TLS and the HTTP parser to a cause for machines and a message for people. */
import type { Cause } from "../../schema/check/Check.ts"
import { RequestFailed } from "./EgressGuard.ts"

/** The phase that a request has reached. */
export type Phase = "dns" | "connect" | "tls" | "answer" | "body"

const failed = (cause: Cause, message: string): RequestFailed => new RequestFailed({ cause, message })

const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? error.message

/** `192.0.2.1:80`, `[2001:db8::1]:443`. */
const endpoint = (address: string, port: number): string => `${address.includes(":") ? `[${address}]` : address}:${port}`

/** No address accepted a connection. */
export const connectFailure = (error: NodeJS.ErrnoException, address: string, port: number): RequestFailed => {
  const to = endpoint(address, port)
  switch (error.code) {
    case "ECONNREFUSED":
      return failed("connect_refused", `The connection to ${to} was refused`)
    case "ETIMEDOUT":
      return failed("connect_timeout", `The connection to ${to} timed out`)
    case "ENETUNREACH":
    case "EHOSTUNREACH":
    case "EADDRNOTAVAIL":
      return failed("connect_error", `No route to ${to} (${error.code})`)
    default:
      return failed("connect_error", `The connection to ${to} failed (${codeOf(error)})`)
  }
}

const isHangUp = (error: NodeJS.ErrnoException): boolean => error.code === "ECONNRESET" || error.code === "EPIPE"

const tlsFailure = (error: NodeJS.ErrnoException): RequestFailed => {
  if (isHangUp(error)) return failed("tls_error", "The connection was closed during the TLS handshake")
  // OpenSSL's message wraps the reason in numbers and file names.
  const reason = "reason" in error && typeof error.reason === "string" ? error.reason : codeOf(error)
  return failed("tls_error", `The TLS handshake failed: ${reason}`)
}

/** The connection failed after it was established. */
export const exchangeFailure = (error: NodeJS.ErrnoException, phase: Phase): RequestFailed => {
  if (phase === "tls") return tlsFailure(error)
  if (error.code === "HPE_HEADER_OVERFLOW") return failed("protocol_error", "The response headers are larger than 64 KiB")
  if (error.code?.startsWith("HPE_") === true) return failed("protocol_error", `The response is not valid HTTP: ${error.message}`)
  if (isHangUp(error) || error.code === undefined) return closedEarly(phase)
  return failed("protocol_error", `The connection was lost (${codeOf(error)})`)
}

/** The connection was closed without an error. */
export const closedEarly = (phase: Phase): RequestFailed =>
  phase === "tls"
    ? failed("tls_error", "The connection was closed during the TLS handshake")
    : failed(
      "protocol_error",
      `The connection was closed before ${phase === "body" ? "the body was complete" : "a response arrived"}`
    )

/** The timeout of the whole request has expired. */
export const timeoutFailure = (phase: Phase, host: string, timeoutMs: number): RequestFailed => {
  switch (phase) {
    case "dns":
      return failed("dns_error", `The DNS lookup of ${host} took longer than ${timeoutMs} ms`)
    case "connect":
      return failed("connect_timeout", `No connection to ${host} within ${timeoutMs} ms`)
    case "tls":
      return failed("timeout", `The TLS handshake with ${host} did not complete within ${timeoutMs} ms`)
    case "answer":
      return failed("timeout", `No response within ${timeoutMs} ms`)
    case "body":
      return failed("timeout", `The response body did not complete within ${timeoutMs} ms`)
  }
}
