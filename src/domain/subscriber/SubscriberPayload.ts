/** The bodies of webhooks for subscribers (Specification: Events, Subscriber payload and Subscriber handshake). */
import { Option, Schema } from "effect"
import type { BroadcastContents, Content } from "./BroadcastContent.ts"

export interface Subscription {
  readonly id: string
  readonly components: ReadonlyArray<string>
  /** The endpoint of the subscription, with its manage token. */
  readonly manage: string
}

/** The encoded part that all subscribers of a language share: there may be tens of thousands, and the incident may be long. */
const sharedParts = new WeakMap<Content, Buffer>()

const sharedPart = ({ id, timestamp, type }: BroadcastContents, content: Content): Buffer => {
  const known = sharedParts.get(content)
  if (known !== undefined) return known
  const { data, page } = content
  const bytes = Buffer.from(JSON.stringify({ id, type, timestamp, page, data }).slice(0, -1))
  sharedParts.set(content, bytes)
  return bytes
}

export const subscriberPayload = (contents: BroadcastContents, content: Content, subscription: Subscription): Buffer =>
  Buffer.concat([sharedPart(contents, content), Buffer.from(`,"subscription":${JSON.stringify(subscription)}}`)])

export type VerifiedPage = Pick<Content["page"], "name" | "url"> & { readonly id: string }

const verificationType = "subscription.verify"

export const verification = (challenge: string, timestamp: string, page: VerifiedPage): string =>
  JSON.stringify({
    type: verificationType,
    timestamp,
    challenge,
    page,
    instructions: "Answer with a 2xx status and the challenge as plain text, or as JSON {\"challenge\": \"...\"}. " +
      "Do not require a signature: the signing secret exists only after the subscription does."
  })

const Echo = Schema.parseJson(Schema.Struct({ challenge: Schema.String, type: Schema.optional(Schema.Unknown) }))

/** True if an answer repeats the challenge. One that repeats the whole request does not: some servers do that with everything. */
export const echoes = (answer: string, challenge: string): boolean => {
  const text = answer.trim()
  if (text === challenge || text === JSON.stringify(challenge)) return true
  return Option.exists(
    Schema.decodeUnknownOption(Echo)(text),
    (echo) => echo.challenge === challenge && echo.type !== verificationType
  )
}
