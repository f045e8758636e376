/** Which custom headers a webhook channel may send: none that would break the request or forge its signature. */
import { headerProblem } from "../check/answer/RequestHeaders.ts"

/** Headers that the connection, the body's framing or the delivery sets. */
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

/** Each header that cannot be sent, with the reason. */
export const webhookHeaderProblems = (
  headers: Readonly<Record<string, string>>
): ReadonlyArray<{ readonly name: string; readonly message: string }> => {
  const seen = new Set<string>()
  return Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    const repeated = seen.has(lower)
    seen.add(lower)
    const message = isReserved(lower)
      ? `The header ${lower} is reserved: the delivery sets it`
      : repeated
      ? `The header ${lower} appears twice; header names are case-insensitive`
      : headerProblem(name, value)
    return message === null ? [] : [{ name, message }]
  })
}
