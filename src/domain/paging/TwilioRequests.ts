/** Requests of Twilio to this server: their signature, and what they say about a message or a call. */
import { createHmac } from "node:crypto"
import { isSameToken } from "../secret/SameToken.ts"
import type { PhoneNews } from "./PhoneNews.ts"

/** The names in order, each with its different values in order, after the address (Twilio: Validating requests). */
const signedText = (url: string, fields: URLSearchParams): string =>
  [...new Set(fields.keys())].sort().reduce(
    (text, name) => [...new Set(fields.getAll(name))].sort().reduce((sofar, value) => `${sofar}${name}${value}`, text),
    url
  )

export const twilioSignature = (token: string, url: string, fields: URLSearchParams): string =>
  createHmac("sha1", token).update(signedText(url, fields), "utf8").digest("base64")

/** Whether Twilio made a request to this address with this form. In constant time. */
export const isFromTwilio = (token: string, url: string, fields: URLSearchParams, signature: string): boolean =>
  isSameToken(signature, twilioSignature(token, url, fields))

const failures: Readonly<Record<string, string>> = {
  busy: "The line was busy",
  "no-answer": "Nobody answered the call",
  canceled: "The call was canceled",
  undelivered: "The text was not delivered"
}

/** Meanings of error codes of texts (Twilio: Error and warning dictionary). */
const reasons: Readonly<Record<string, string>> = {
  "30003": "the phone is off or out of reach",
  "30004": "the number refuses texts from this sender",
  "30005": "the number does not exist or is not in service",
  "30006": "the number is a landline or cannot receive texts",
  "30007": "the network filtered it as unwanted",
  "30008": "the network does not say why",
  "30034": "the sender is not registered with the networks of that country"
}

const failureOf = (status: string, code: string): string => {
  const failure = failures[status] ?? "Twilio could not hand it over"
  return code === "" ? failure : `${failure}: ${reasons[code] ?? `error ${code}`}`
}

/** The news in a callback; null if it has none. A text that was sent, or a call that was taken, has not reached a person. */
export const twilioNews = (fields: URLSearchParams): PhoneNews | null => {
  const answeredBy = fields.get("AnsweredBy") ?? ""
  if (/^(?:machine|fax)/.test(answeredBy)) return { state: "failed", error: "An answering machine took the call" }
  if (answeredBy === "human") return { state: "received", error: null }
  const status = fields.get("MessageStatus") ?? fields.get("CallStatus") ?? ""
  switch (status) {
    case "delivered":
    case "read":
      return { state: "received", error: null }
    case "busy":
    case "no-answer":
    case "canceled":
    case "failed":
    case "undelivered":
      return { state: "failed", error: failureOf(status, fields.get("ErrorCode") ?? "") }
    case "accepted":
    case "queued":
    case "sending":
    case "sent":
    case "initiated":
    case "ringing":
    case "in-progress":
    case "answered":
    case "completed":
      return { state: "handed_over", error: null }
    default:
      return null
  }
}
