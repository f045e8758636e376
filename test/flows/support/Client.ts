/** A user of the public interface: requests with or without a key, and the live stream. */
import { Effect, Queue, Stream } from "effect"
import type { Json } from "../../support/program/TestServer.ts"

export type { Json }

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The text parsed as JSON; null if it is not JSON. */
  readonly body: Json
}

const readJson = (headers: Headers, text: string): Json =>
  (headers.get("content-type") ?? "").includes("json") ? JSON.parse(text) : null

export const request = Effect.fn("request")(function*(url: string, init: RequestInit = {}) {
  const response = yield* Effect.promise((signal) => fetch(url, { signal, ...init }))
  const text = yield* Effect.promise(() => response.text())
  const answer: Answer = { status: response.status, headers: response.headers, text, body: readJson(response.headers, text) }
  return answer
})

/** A client of the API with a key, or without one. */
export const clientOf = (baseUrl: string, key?: string) => {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const send = (method: string) => (path: string, body?: unknown) =>
    request(`${baseUrl}/api/v1${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  return { headers, get: send("GET"), post: send("POST"), patch: send("PATCH"), delete: send("DELETE"), put: send("PUT") }
}

export type Client = ReturnType<typeof clientOf>

/** An agent that has just bootstrapped its workspace. */
export const newAgent = Effect.fn("newAgent")(function*(baseUrl: string) {
  const { body, status } = yield* clientOf(baseUrl).post("/agent/bootstrap", { agentName: "flow" })
  if (status !== 201) return yield* Effect.dieMessage(`bootstrap answered ${status}: ${JSON.stringify(body)}`)
  const apiKey: string = body.apiKey
  const claimUrl: string = body.claimUrl
  return { ...clientOf(baseUrl, apiKey), apiKey, claimUrl }
})

export interface Frame {
  readonly id: string | undefined
  readonly data: Json
}

const frameOf = (text: string): Frame => {
  const field = (name: string) => text.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  return { id: field("id"), data: JSON.parse(field("data") ?? "null") }
}

/** An open live stream; every frame is returned once, in order. */
export const openStream = Effect.fn("openStream")(function*(
  baseUrl: string,
  headers: Record<string, string>,
  query = ""
) {
  const frames = yield* Queue.unbounded<Frame>()
  const controller = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (one) => Effect.sync(() => one.abort())
  )
  const response = yield* Effect.promise(() => fetch(`${baseUrl}/api/v1/stream${query}`, { headers, signal: controller.signal }))
  const body = response.body
  if (response.status !== 200 || body === null) return yield* Effect.dieMessage(`The stream answered ${response.status}`)
  yield* Stream.fromReadableStream(() => body, (cause) => cause).pipe(
    Stream.decodeText(),
    Stream.mapAccum("", (rest, text) => {
      const parts = (rest + text).split("\n\n")
      return [parts.pop() ?? "", parts]
    }),
    Stream.flattenIterables,
    Stream.filter((frame) => frame.includes("data: ")),
    Stream.runForEach((frame) => Queue.offer(frames, frameOf(frame))),
    Effect.ignore,
    Effect.forkScoped
  )
  /** The frames up to and including the next one of a type. */
  const until = (type: string): Effect.Effect<ReadonlyArray<Frame>> =>
    Effect.gen(function*() {
      const seen: Array<Frame> = []
      for (;;) {
        const frame = yield* Queue.take(frames)
        seen.push(frame)
        if (frame.data.type === type) return seen
      }
    })
  return { until, next: (type: string) => Effect.map(until(type), (seen) => seen[seen.length - 1]!) }
})
