/** A collector of OpenTelemetry on loopback: takes OTLP over HTTP, as JSON or protobuf, and keeps what it was sent. */
import { Effect } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import { createServer } from "node:http"
import type { Json } from "../program/TestServer.ts"
import { listening } from "../targets/LocalTargets.ts"
import { otlpOf } from "./OtlpWire.ts"

export interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code: number; readonly message?: string }
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Json }>
}

interface Sent {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Json
}

/** The attributes of a span, a point or a resource, by name. */
export const attributesIn = ({ attributes }: { readonly attributes: SentSpan["attributes"] }): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** Answers with a status, or not at all. */
export const localCollector = (status: number | "silence" = 200) =>
  Effect.gen(function*() {
    const sent: Array<Sent> = []
    let begun = 0
    const server = createServer((request, response) => {
      begun++
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const bytes = Buffer.concat(chunks)
        const { headers, url: path = "" } = request
        const body = headers["content-type"] === "application/x-protobuf"
          ? otlpOf(path, bytes)
          : JSON.parse(bytes.toString("utf8"))
        sent.push({ path, headers, text: bytes.toString("utf8"), body })
        if (status !== "silence") response.writeHead(status, { "content-type": "application/json" }).end("{}")
      })
    })
    const port = yield* listening(server)
    const at = (path: string) => sent.filter((one) => one.path === path)
    return {
      url: `http://127.0.0.1:${port}`,
      sent,
      /** Requests that have begun. */
      begun: () => begun,
      spans: (): ReadonlyArray<SentSpan> =>
        at("/v1/traces").flatMap(({ body }) => body.resourceSpans.flatMap((one: Json) => one.scopeSpans[0].spans)),
      metrics: (): ReadonlyArray<Json> =>
        at("/v1/metrics").flatMap(({ body }) => body.resourceMetrics.flatMap((one: Json) => one.scopeMetrics[0].metrics)),
      logs: (): ReadonlyArray<Json> =>
        at("/v1/logs").flatMap(({ body }) => body.resourceLogs.flatMap((one: Json) => one.scopeLogs[0].logRecords))
    }
  })
