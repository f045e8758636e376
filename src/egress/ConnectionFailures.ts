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
    case "EMFILE":
    case "ENFILE":
      return failed("internal_error", `No connection to ${to} was made: too many files are open on our side`)
    default:
      return failed("connect_error", `The connection to ${to} failed (${codeOf(error)})`)
  }
}

export const closedInHandshake = failed("tls_error", "The connection was closed during the TLS handshake")

/** OpenSSL's codes for an answer that is not a TLS record at all. */
const notTls = new Set(["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG", "ERR_SSL_HTTP_REQUEST"])

/** An alert that the other side sent (RFC 8446, section 6). */
export const isAlert = ({ code }: NodeJS.ErrnoException): boolean =>
  code?.startsWith("ERR_SSL_") === true && code.includes("_ALERT_")

/** The meaning of alerts that a client certificate may help with, by the end of OpenSSL's code. */
const clientAlerts: ReadonlyArray<readonly [RegExp, string]> = [
  [/ALERT_CERTIFICATE_REQUIRED$/, "The server asks for a client certificate: set clientCertificate and clientKey"],
  [/ALERT_UNKNOWN_CA$/, "The server does not know the authority of the client certificate"],
  [/ALERT_CERTIFICATE_EXPIRED$/, "The server says that the client certificate has expired"],
  [/ALERT_CERTIFICATE_REVOKED$/, "The server says that the client certificate is revoked"],
  [
    /ALERT_HANDSHAKE_FAILURE$/,
    "The server refuses the TLS handshake: it may ask for a client certificate, or for a cipher that clients no longer have"
  ],
  [/ALERT_(?:BAD|UNSUPPORTED)_CERTIFICATE$|ALERT_CERTIFICATE_UNKNOWN$/, "The server refuses the client certificate"]
]

export const tlsFailure = (error: NodeJS.ErrnoException): RequestFailed => {
  if (isHangUp(error)) return closedInHandshake
  const alert = clientAlerts.find(([codes]) => codes.test(error.code ?? ""))
  if (alert !== undefined) return failed("tls_error", alert[1])
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
