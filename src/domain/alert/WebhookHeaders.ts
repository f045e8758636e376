/** Which custom headers a webhook channel can send: none that breaks its request or forges its signature. */
import { headerProblem } from "../check/RequestHeaders.ts"

/** Set by the connection, by the body's framing, or by the delivery itself. */
const reserved = new Set([
  "host",
  "content-length",
  "content-type",
  "content-encoding",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authorization",
  "upgrade",
  "expect",
  "te",
  "trailer",
  "user-agent"
])

const isReserved = (name: string): boolean => reserved.has(name) || name.startsWith("webhook-")

/** The problem of each header that cannot be sent. */
export const webhookHeaderProblems = (
  headers: Readonly<Record<string, string>>
): ReadonlyArray<{ readonly name: string; readonly message: string }> => {
  const seen = new Set<string>()
  return Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    const repeated = seen.has(lower)
    seen.add(lower)
    const message = isReserved(lower)
      ? `The header ${lower} is set by the delivery itself`
      : repeated
      ? `The header ${lower} is given twice; header names ignore case`
      : headerProblem(name, value)
    return message === null ? [] : [{ name, message }]
  })
}
