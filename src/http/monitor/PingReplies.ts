/** Answers pings, with their metrics and traces. */
import type { HttpServerResponse } from "@effect/platform"
import { type Cause, Context, DateTime, Effect, Exit, Runtime } from "effect"
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { HeartbeatReceipt } from "../../../schema/monitor/Heartbeat.ts"
import { longestLog } from "../../../schema/monitor/JobRun.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { CurrentTrace } from "../../telemetry/Tracing.ts"
import { enveloped } from "../server/Envelope.ts"
import { measure } from "../server/HttpMetrics.ts"
import { RequestId } from "../server/RequestId.ts"
import { interfaceHeaders, transport } from "../server/ResponseHeaders.ts"
import { makePathTraces } from "../server/TraceRequest.ts"
import type { PingAddress, PingForm } from "./PingAddress.ts"

/** The headers of each answer to a stored ping: `ping-body-limit` says how much of a body is kept. */
const stored = { ...interfaceHeaders, "ping-body-limit": String(longestLog) }

interface Receipts {
  readonly headers: Readonly<Record<string, string>>
  readonly textOf: (receipt: HeartbeatReceipt) => string
}

const receipts: Readonly<Record<PingForm, Receipts>> = {
  hb: {
    headers: { ...stored, "content-type": "application/json" },
    // Built by hand for speed; nothing in it needs escaping.
    textOf: ({ at }) => `{"ok":true,"at":"${DateTime.formatIso(at)}"}`
  },
  // The answer that clients of Healthchecks expect.
  ping: { headers: { ...stored, "content-type": "text/plain" }, textOf: () => "OK" }
}

const bodyOf = ({ body }: HttpServerResponse.HttpServerResponse): Uint8Array =>
  body._tag === "Uint8Array" ? body.body : new Uint8Array()

export interface PingReply {
  readonly requestId: string
  /** The trace of the request; null for none. */
  readonly traceparent: string | null
  readonly send: (answer: Exit.Exit<HeartbeatReceipt, unknown>) => void
}

export const makePingReplies = Effect.gen(function*() {
  const secure = transport(yield* BaseUrl)
  const clock = yield* Effect.clock
  const traceOf = yield* makePathTraces
  const run = Runtime.runFork(yield* Effect.runtime())

  return ({ form, route }: PingAddress, { headers, method = "" }: IncomingMessage, response: ServerResponse): PingReply => {
    const start = clock.unsafeCurrentTimeNanos()
    const requestId = randomUUID()
    const trace = traceOf({ method, path: route, operation: route }, headers.traceparent?.toString())
    const { headers: ofStored, textOf } = receipts[form]

    const write = (status: number, own: Readonly<Record<string, string>>, body: string | Uint8Array): void => {
      measure(route, status, Number(clock.unsafeCurrentTimeNanos() - start) / 1e9, trace.traceparent)
      trace.answered(status)
      response.writeHead(status, {
        ...own,
        ...secure(headers.host),
        "content-length": body.length,
        "x-request-id": requestId
      })
      response.end(body)
    }
    const fail = (cause: Cause.Cause<unknown>) =>
      enveloped(Effect.failCause(cause)).pipe(
        Effect.map((answer) => write(answer.status, { ...interfaceHeaders, ...answer.headers }, bodyOf(answer))),
        Effect.provide(Context.make(RequestId, requestId).pipe(Context.add(CurrentTrace, trace.traceparent))),
        run
      )
    return {
      requestId,
      traceparent: trace.traceparent,
      send: (answer) => {
        if (Exit.isSuccess(answer)) write(200, ofStored, textOf(answer.value))
        else fail(answer.cause)
      }
    }
  }
})
