/** Texts are compressed for clients that accept it, in one place for all of them. */
import { HttpApp, HttpServerResponse } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { gunzipSync } from "node:zlib"
import { compressing } from "../../../src/http/server/Compression.ts"

const long = "All systems are operational. ".repeat(200)

const ask = (response: HttpServerResponse.HttpServerResponse, accepted = "br, gzip") =>
  Effect.promise(async () => {
    const handler = HttpApp.toWebHandler(compressing(Effect.succeed(response)))
    const answer = await handler(new Request("http://localhost/", { headers: { "accept-encoding": accepted } }))
    return { headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) }
  })

describe("An answer", () => {
  for (
    const contentType of [
      "text/html; charset=utf-8",
      "text/css",
      "application/json",
      "application/problem+json",
      "application/rss+xml",
      "image/svg+xml"
    ]
  ) {
    it.effect(`of ${contentType} is compressed`, () =>
      Effect.gen(function*() {
        const { body, headers } = yield* ask(HttpServerResponse.text(long, { contentType }))
        expect([headers.get("content-encoding"), headers.get("vary")]).toEqual(["gzip", "accept-encoding"])
        expect(headers.get("content-type")).toBe(contentType)
        expect([body.length < long.length / 10, headers.get("content-length")]).toEqual([true, String(body.length)])
        expect(gunzipSync(body).toString()).toBe(long)
      }))
  }

  it.effect("is sent as it is to a client that does not accept gzip, and says that this may differ", () =>
    Effect.gen(function*() {
      for (const accepted of ["", "br", "gzip;q=0"]) {
        const { body, headers } = yield* ask(HttpServerResponse.text(long, { headers: { vary: "accept-language" } }), accepted)
        expect([headers.get("content-encoding"), headers.get("vary")]).toEqual([null, "accept-language, accept-encoding"])
        expect(body.toString()).toBe(long)
      }
    }))

  it.effect("that is short, an image, compressed already or a stream stays as it is", () =>
    Effect.gen(function*() {
      const short = yield* ask(HttpServerResponse.text("All is well"))
      const image = yield* ask(HttpServerResponse.uint8Array(Buffer.from(long), { contentType: "image/png" }))
      const kept = yield* ask(
        HttpServerResponse.text(long, { headers: { "content-encoding": "gzip", vary: "accept-encoding, accept-language" } })
      )
      const stream = yield* ask(
        HttpServerResponse.stream(Stream.encodeText(Stream.make(long)), { contentType: "text/event-stream" })
      )
      for (const { headers } of [short, image, stream]) {
        expect([headers.get("content-encoding"), headers.get("vary")]).toEqual([null, null])
      }
      expect([kept.body.toString(), kept.headers.get("vary")]).toEqual([long, "accept-encoding, accept-language"])
      expect([image, stream].map(({ body }) => body.toString())).toEqual([long, long])
    }))
})
