/** Web push: a notification of a browser, by its push service (RFC 8030), sealed for the device (RFC 8291). */
import { DateTime, Effect, Either, Schema } from "effect"
import { createECDH } from "node:crypto"
import webPush from "web-push"
import { wayAddress } from "../../../../schema/oncall/Way.ts"
import { Answer } from "../../../domain/alert/DeliveryVerdict.ts"
import type { Message, Problem } from "../../alert/ChannelKind.ts"
import { blockedProblems, formProblems, postDelivery } from "../../alert/PostDelivery.ts"
import { PushKeys } from "../PushKeys.ts"
import { makeWayKind, type WayMessage } from "../WayKind.ts"

const Address = Schema.Struct({ endpoint: wayAddress.endpoint, p256dh: wayAddress.p256dh, auth: wayAddress.auth })
type Address = typeof Address.Type

/** A push service keeps a page for so long for a device that is off, in seconds. */
const keptFor = 3600

const meanings: Readonly<Record<number, string>> = {
  400: "The push service does not accept the notification",
  401: "The push service does not know this server's key; the device must be added again",
  403: "The push service does not know this server's key; the device must be added again",
  404: "The browser has ended its subscription; add the device again",
  410: "The browser has ended its subscription; add the device again",
  413: "The notification is too long for the push service"
}

/** What the service worker shows: `acknowledge` is where its button posts to, `url` where it leads. */
const body = (message: WayMessage): object => {
  switch (message._tag) {
    case "Page":
      return {
        kind: "page",
        title: message.title,
        body: message.text,
        at: DateTime.formatIso(message.startedAt),
        tag: message.incidentLink,
        url: message.incidentLink,
        acknowledge: message.acknowledgeLink
      }
    case "Code":
      return { kind: "note", title: `Your code is ${message.code}`, body: "Enter it to be paged on this device." }
    case "Test":
      return { kind: "note", title: "Test from Belltower", body: "Pages reach this device. Nothing is wrong." }
  }
}

/** An uncompressed point of the curve. */
const isPoint = (key: string): boolean => {
  const bytes = Buffer.from(key, "base64url")
  const pair = createECDH("prime256v1")
  pair.generateKeys()
  return bytes.length === 65 && Either.isRight(Either.try(() => pair.computeSecret(bytes)))
}

const problems = ({ auth, endpoint, p256dh }: Address) =>
  Effect.map(blockedProblems(endpoint), (blocked): ReadonlyArray<Problem> => [
    ...blocked.map(({ message }) => ({ path: "endpoint", message })),
    ...formProblems("auth", auth, /^[\w-]{22}={0,2}$/, "Expected 16 bytes as base64url, as the browser gives them"),
    ...(isPoint(p256dh) ? [] : [{ path: "p256dh", message: "Expected a P-256 key as base64url, as the browser gives it" }])
  ])

const send = Effect.fnUntraced(function*({ body, timeoutMs }: Message, { auth, endpoint, p256dh }: Address) {
  const vapidDetails = yield* PushKeys
  if (vapidDetails === null) return Answer.Impossible({ reason: "This server has no key for web push" })
  const request = webPush.generateRequestDetails({ endpoint, keys: { auth, p256dh } }, body, {
    vapidDetails,
    TTL: keptFor,
    urgency: "high",
    contentEncoding: "aes128gcm"
  })
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
  const answer = yield* postDelivery(
    { url: new URL(endpoint), headers, body: request.body ?? Buffer.alloc(0), timeoutMs },
    { meanings, secrets: [auth, p256dh] }
  )
  // RFC 8030, section 7.3: the subscription is gone.
  return answer._tag === "Answered" && (answer.statusCode === 404 || answer.statusCode === 410)
    ? Answer.Answered({ ...answer, fate: "gone" })
    : answer
})

export const push = makeWayKind({
  kind: "push",
  address: Address,
  shown: ({ endpoint }) => new URL(endpoint).hostname,
  label: "Browser",
  proof: "device",
  problems,
  missing: Effect.map(PushKeys, (keys) => keys === null ? "This server has no key for web push" : null),
  compose: (message) => JSON.stringify(body(message)),
  send
})
