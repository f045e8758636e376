/** Refuses requests that do not name one host (RFC 9112, 3.2): two programs on their way could each believe another. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { BadRequest, envelopeOf, statusOf } from "../../../schema/Errors.ts"
import { protection } from "./ResponseHeaders.ts"

/** A name, an IPv4 address, or an IPv6 address in brackets, with or without a port. */
const authority = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{0,5})?$/i

const repeated = new BadRequest({ message: "The request has more than one Host header", hint: "Send one" })
const malformed = new BadRequest({ message: "The Host header is not a host", hint: "Send the name and the port of this service" })

/** The problem of a request's Host; null for none. Only HTTP/1.0 does without, and Node refuses others. */
const problemOf = ({ headers: { host }, rawHeaders }: IncomingMessage): BadRequest | null => {
  let lines = 0
  // Node keeps the first of several in `headers`.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === "host") lines++
  }
  return lines > 1 ? repeated : host === undefined || authority.test(host) ? null : malformed
}

/** Answers such a request, and ends its connection: where the next request begins is not certain, either. */
export const refusesHost = (request: IncomingMessage, response: ServerResponse): boolean => {
  const problem = problemOf(request)
  if (problem === null) return false
  const body = JSON.stringify(envelopeOf(problem))
  response.writeHead(statusOf(problem), {
    ...protection,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    connection: "close"
  }).end(body)
  return true
}
