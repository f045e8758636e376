/** Answers plain pings, `/hb/<token>` and `/ping/<token>` without fields, before the router, because most cron jobs ping on the full hour. */
import type { HttpServerResponse } from "@effect/platform"
import { Effect, Exit, Layer, Option, Runtime } from "effect"
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { HeartbeatReceipt } from "../../../schema/monitor/Heartbeat.ts"
import { TakePings } from "../../operations/monitor/TakePings.ts"
import { enveloped } from "../server/Envelope.ts"
import { FastLane } from "../server/FastLane.ts"
import { measure } from "../server/HttpMetrics.ts"
import { RequestId } from "../server/RequestId.ts"
import { interfaceHeaders } from "../server/ResponseHeaders.ts"
import { briefReceipt, pingHeaders, receiptText } from "./PingRoutes.ts"

/** An address that jobs ping. */
interface Place {
  readonly prefix: string
  /** The metrics label; the same as for pings answered by the router. */
  readonly label: string
  /** Of the answer to a stored ping. */
  readonly headers: Readonly<Record<string, string>>
  readonly receipt: (receipt: HeartbeatReceipt) => string
}

const places: ReadonlyArray<Place> = [
  { prefix: "/hb/", label: "/hb/:token", headers: { ...pingHeaders, "content-type": "application/json" }, receipt: receiptText },
  {
    prefix: "/ping/",
    label: "/ping/:token",
    headers: { ...pingHeaders, "content-type": "text/plain" },
    receipt: () => briefReceipt
  }
]

/** Characters of a path. The router takes no part of a path above 100. */
const longestPath = 120

const isPlain = ({ headers, method }: IncomingMessage): boolean =>
  (method === "GET" || method === "POST") && headers["transfer-encoding"] === undefined &&
  (headers["content-length"] ?? "0") === "0"

/** The token after a prefix; null for requests that the router must answer: with fields, a body or another path. */
const tokenOf = (request: IncomingMessage, prefix: string): string | null => {
  if (!isPlain(request)) return null
  const token = (request.url ?? "").slice(prefix.length)
  return /^[0-9A-Za-z]+$/.test(token) ? token : null
}

const decoded = Option.liftThrowable(decodeURIComponent)

/** The router finds no route for a path with escapes that are none, nor for a long one; a job's words are no reason to lose its ping. */
const withoutOddities = (url: string): string => {
  const question = url.indexOf("?")
  const path = question === -1 ? url : url.slice(0, question)
  if (path.length <= longestPath && (!path.includes("%") || Option.isSome(decoded(path)))) return url
  return path.slice(0, longestPath).replace(/%/g, "%25") + url.slice(path.length)
}

const bodyOf = ({ body }: HttpServerResponse.HttpServerResponse): Uint8Array =>
  body._tag === "Uint8Array" ? body.body : new Uint8Array()

/** The fast lane for pings without a report; its responses are identical to the router's. */
export const layer: Layer.Layer<FastLane, never, TakePings> = Layer.effect(
  FastLane,
  Effect.gen(function*() {
    const pings = yield* TakePings
    const clock = yield* Effect.clock
    const run = Runtime.runFork(yield* Effect.runtime())

    return (request: IncomingMessage, response: ServerResponse): boolean => {
      const place = places.find(({ prefix }) => request.url?.startsWith(prefix))
      const token = place === undefined ? null : tokenOf(request, place.prefix)
      if (place !== undefined && token === null) request.url = withoutOddities(request.url ?? "")
      if (place === undefined || token === null) return false
      const start = clock.unsafeCurrentTimeNanos()
      const requestId = randomUUID()

      const send = (status: number, headers: Readonly<Record<string, string>>, body: string | Uint8Array) => {
        measure(place.label, status, Number(clock.unsafeCurrentTimeNanos() - start) / 1e9)
        response.writeHead(status, { ...interfaceHeaders, ...headers, "content-length": body.length, "x-request-id": requestId })
        response.end(body)
      }
      const fail = (cause: Exit.Failure<never, unknown>["cause"]) =>
        enveloped(Effect.failCause(cause)).pipe(
          Effect.provideService(RequestId, requestId),
          Effect.map((answer) => send(answer.status, answer.headers, bodyOf(answer))),
          run
        )

      pings.submit(token, {}, (exit) => {
        if (Exit.isFailure(exit)) return void fail(exit.cause)
        send(200, place.headers, place.receipt(exit.value))
      })
      return true
    }
  })
)
