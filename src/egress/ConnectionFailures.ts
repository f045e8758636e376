/** Maps errors of DNS, sockets and TLS handshakes to a cause for machines and a message for people. */
import type { Cause } from "../../schema/check/Check.ts"
import { RequestFailed } from "./EgressGuard.ts"

export const failed = (cause: Cause, message: string): RequestFailed => new RequestFailed({ cause, message })

export const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? error.message

export const isHangUp = (error: NodeJS.ErrnoException): boolean => error.code === "ECONNRESET" || error.code === "EPIPE"

/** `192.0.2.1:80`, `[2001:db8::1]:443`. */
export const endpoint = (address: string, port: number): string => `${address.includes(":") ? `[${address}]` : address}:${port}`

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

export const closedInHandshake = failed("tls_error", "The connection was closed during the TLS handshake")

/** OpenSSL's codes for an answer that is not a TLS record at all. */
const notTls = new Set(["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG", "ERR_SSL_HTTP_REQUEST"])

export const tlsFailure = (error: NodeJS.ErrnoException): RequestFailed => {
  if (isHangUp(error)) return closedInHandshake
  if (error.code !== undefined && notTls.has(error.code)) return failed("tls_error", "The port does not speak TLS")
  // OpenSSL's message wraps the reason in numbers and file names.
  const reason = "reason" in error && typeof error.reason === "string" ? error.reason : codeOf(error)
  return failed("tls_error", `The TLS handshake failed: ${reason}`)
}

export const connectionTimeout = (phase: "dns" | "connect" | "tls", host: string, timeoutMs: number): RequestFailed => {
  switch (phase) {
    case "dns":
      return failed("dns_error", `The DNS lookup of ${host} took longer than ${timeoutMs} ms`)
    case "connect":
      return failed("connect_timeout", `No connection to ${host} within ${timeoutMs} ms`)
    case "tls":
      return failed("timeout", `The TLS handshake with ${host} did not complete within ${timeoutMs} ms`)
  }
}
