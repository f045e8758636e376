import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { ChannelId, EventId, WorkspaceId } from "../../../schema/Ids.ts"
import { makeSecret } from "../../../src/domain/alert/Signature.ts"
import type { AllowList } from "../../../src/domain/check/address/Egress.ts"
import { EgressGuard } from "../../../src/egress/EgressGuard.ts"
import { webhook } from "../../../src/notify/alert/channels/webhook.ts"
import { answering, loopback, receiver } from "./Receiver.ts"

const signing = [{ secret: makeSecret(new Uint8Array(32)), until: null }]

const ids = { eventId: EventId.make("evt_1"), workspaceId: WorkspaceId.make("ws_1"), channelId: ChannelId.make("ch_1") }

const send = (url: string, timeoutMs = 5000, allow: AllowList = loopback) =>
  webhook.send(
    { ...ids, body: "{\"a\":\"ü\"}", signing, timeoutMs },
    { shown: { url, headers: ["X-Team"] }, sealed: { headers: { "X-Team": "one" } } }
  ).pipe(Effect.provide(EgressGuard.Default({ allow })))

/** A port without a listener. */
const closedPort = Effect.async<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

describe("a webhook attempt", () => {
  it.scopedLive("posts the exact bytes of the body with the signature headers and the channel's headers", () =>
    Effect.gen(function*() {
      const { next, url } = yield* receiver(answering(204))
      const answer = yield* send(url)
      expect(answer).toMatchObject({ _tag: "Answered", statusCode: 204 })
      const { body, headers } = yield* next
      expect(body).toBe("{\"a\":\"ü\"}")
      expect(headers).toMatchObject({
        "content-type": "application/json",
        "content-length": "10",
        "user-agent": "Belltower-Webhook/1.0",
        "webhook-id": "evt_1",
        "x-team": "one"
      })
    }))

  it.scopedLive("does not follow redirects", () =>
    Effect.gen(function*() {
      const target = yield* receiver(answering(200))
      const { url } = yield* receiver(answering(302, { location: target.url }))
      expect(yield* send(url)).toMatchObject({ _tag: "Answered", statusCode: 302 })
      expect(target.seen).toEqual([])
    }))

  it.scopedLive("reports the wait that the receiver asks for", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(answering(503, { "retry-after": "60" }))
      const answer = yield* send(url)
      expect(answer._tag === "Answered" ? Option.isSome(answer.retryAfter) : false).toBe(true)
    }))

  it.scopedLive("ends at its time limit when no answer arrives", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(() => {})
      expect(yield* send(url, 200)).toMatchObject({ _tag: "Unanswered", reason: "Connected, but no response within 200 ms" })
    }))

  it.scopedLive("is judged by the answer's status when its body never ends", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver((response) => void response.writeHead(200).write("a"))
      expect(yield* send(url, 2000)).toMatchObject({ _tag: "Answered", statusCode: 200 })
    }))

  it.scopedLive("is judged by the answer's status when its body breaks off or is malformed", () =>
    Effect.gen(function*() {
      for (const statusCode of [200, 410, 500]) {
        const broken = yield* receiver((response) =>
          void response.writeHead(statusCode, { "content-length": "9" }).write("a", () => response.socket?.destroy())
        )
        const malformed = yield* receiver((response) =>
          void response.socket?.end(`HTTP/1.1 ${statusCode} X\r\ntransfer-encoding: chunked\r\n\r\nno chunk`)
        )
        for (const { url } of [broken, malformed]) {
          expect(yield* send(url)).toMatchObject({ _tag: "Answered", statusCode })
        }
      }
    }))

  it.scopedLive("does not read a long answer to its end", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver((response) => void response.writeHead(200).write(Buffer.alloc(200_000)))
      expect(yield* send(url)).toMatchObject({ _tag: "Answered", statusCode: 200 })
    }))

  it.scopedLive("reports that the connection was refused", () =>
    Effect.gen(function*() {
      const answer = yield* send(`http://127.0.0.1:${yield* closedPort}/`)
      expect(answer).toMatchObject({ _tag: "Unanswered", reason: expect.stringContaining("refused") })
    }))

  it.scopedLive("is impossible to an address that is neither public nor allowed, and sends nothing to it", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(answering(200))
      const byName = url.replace("127.0.0.1", "localhost")
      expect(yield* send(url, 5000, [])).toMatchObject({ _tag: "Impossible" })
      expect(yield* send(byName, 5000, [])).toMatchObject({ _tag: "Impossible" })
      expect(seen).toEqual([])
    }))
})
