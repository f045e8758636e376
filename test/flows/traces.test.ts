/** Traces, metrics and logs at a collector, from a failing target to the webhook that reports it. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import { answering, receiver } from "../notify/alert/Receiver.ts"
import { attributesIn, localCollector, type SentSpan } from "../support/services/LocalCollector.ts"
import { listening } from "../support/targets/LocalTargets.ts"
import { until } from "../support/time/Until.ts"
import { newAgent, request } from "./support/Client.ts"
import { startedFolder, startProgram } from "./support/Program.ts"

const secretPath = "token-3f9c2d"
const called = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" }

const failing = Effect.map(
  listening(createServer((_, response) => response.writeHead(500).end())),
  (port) => `http://127.0.0.1:${port}/${secretPath}`
)

/** A span and those that led to it, the last one first. */
const lineOf = (spans: ReadonlyArray<SentSpan>, last: SentSpan): ReadonlyArray<SentSpan> => {
  const parent = spans.find(({ spanId, traceId }) => spanId === last.parentSpanId && traceId === last.traceId)
  return parent === undefined ? [last] : [last, ...lineOf(spans, parent)]
}

it.scopedLive("lead from a failed check through result, commit and fan-out to the delivery, and from a request to its event", () =>
  Effect.gen(function*() {
    const collector = yield* localCollector()
    const hook = yield* receiver(answering(204))
    const program = yield* startProgram({
      folder: yield* startedFolder,
      env: {
        BELLTOWER_LOG_FORMAT: "json",
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector-key",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
        OTEL_METRIC_EXPORT_INTERVAL: "1000"
      }
    })
    const agent = yield* newAgent(program.baseUrl)
    const channel = yield* agent.post("/channels", {
      name: "Secret team",
      type: "webhook",
      url: hook.url,
      events: ["monitor.down", "deploy.created"]
    })
    const url = yield* failing
    const monitor = yield* agent.post("/monitors", {
      name: "Secret shop",
      url,
      channelIds: [channel.body.id],
      failureThreshold: 1
    })
    expect(monitor.status).toBe(201)

    // Of a caller who traces, too; its error names the trace.
    const traceparent = `00-${called.traceId}-${called.spanId}-01`
    const headers = { ...agent.headers, traceparent, "content-type": "application/json" }
    const deploy = yield* request(`${program.baseUrl}/api/v1/deploys`, {
      method: "POST",
      headers,
      body: JSON.stringify({ version: "1" })
    })
    expect(deploy.status).toBe(201)
    const missing = yield* request(`${program.baseUrl}/api/v1/monitors/mon_none`, { headers })
    expect(missing.body.error).toMatchObject({ code: "not_found", traceId: called.traceId })

    const delivered = Effect.map(agent.get("/deliveries"), ({ body }) => body.data)
    yield* until(delivered, (all) => all.filter(({ status }: { status: string }) => status === "delivered").length === 2)
    yield* program.signal("SIGTERM")
    const ending = yield* program.ended
    expect(ending.code).toBe(0)

    const spans = collector.spans()
    const lines = spans.filter(({ name }) => name === "deliver webhook").map((last) => lineOf(spans, last))
    const names = lines.map((line) => line.map(({ name }) => name).join(" < ")).sort()
    expect(names).toEqual([
      "deliver webhook < fan out event < POST /api/v1/deploys",
      "deliver webhook < fan out event < commit change of state < result < check http"
    ].sort())
    const [ofCheck = [], ofRequest = []] = [...lines].sort((a, b) => b.length - a.length)
    expect(ofCheck.at(-1)?.parentSpanId).toBeUndefined()
    expect(attributesIn(ofCheck.at(-1)!)).toMatchObject({
      "belltower.monitor.id": monitor.body.id,
      "belltower.region": "main",
      "belltower.check.outcome": "down",
      "http.response.status_code": 500
    })
    expect(ofCheck.at(-1)?.status).toMatchObject({ code: 2 })
    expect(attributesIn(ofCheck.at(-1)!)).not.toHaveProperty("status.interrupted")
    expect(attributesIn(ofCheck[0]!)).toMatchObject({ "belltower.delivery.attempt": 1, "http.response.status_code": 204 })
    expect(ofRequest.at(-1)).toMatchObject({ traceId: called.traceId, parentSpanId: called.spanId, kind: 2 })
    expect(attributesIn(ofRequest.at(-1)!)).toMatchObject({
      "http.route": "/api/v1/deploys",
      "belltower.operation": "create_deploy",
      "http.response.status_code": 201
    })
    expect(spans.every((span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano))).toBe(true)

    const traces = collector.sent.filter(({ path }) => path === "/v1/traces")
    const secrets = [secretPath, "Secret shop", "Secret team", hook.url, agent.apiKey]
    expect(traces.filter(({ text }) => secrets.some((secret) => text.includes(secret)))).toEqual([])
    expect(collector.sent.filter(({ headers: { authorization } }) => authorization !== "Bearer collector-key")).toEqual([])
    expect(attributesIn(traces[0]?.body.resourceSpans[0].resource)).toMatchObject({
      "service.name": "belltower",
      "belltower.role": "all",
      "belltower.region": "main",
      "deployment.environment": "test"
    })
    expect(collector.metrics().some(({ name }) => name === "belltower_http_request_duration_seconds")).toBe(true)
    expect(collector.logs().some(({ body }) => String(body.stringValue).startsWith("Belltower is ready at"))).toBe(true)
    expect(ending.stdout).not.toContain("collector-key")
  }))

it.scopedLive("go by protobuf, lead from an incident to the batches of its broadcast, and are named by values of histograms", () =>
  Effect.gen(function*() {
    const collector = yield* localCollector()
    const hook = yield* receiver((response, _, { body }) =>
      void response.writeHead(200).end(JSON.stringify({ challenge: JSON.parse(body).challenge }))
    )
    const program = yield* startProgram({
      folder: yield* startedFolder,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
        OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/json",
        BELLTOWER_LOG_FORMAT: "json"
      }
    })
    const agent = yield* newAgent(program.baseUrl)
    const page = yield* agent.post("/pages", { name: "Acme", slug: "acme" })
    const component = yield* agent.post(`/pages/${page.body.id}/components`, { name: "Shop" })
    for (const path of ["a", "b", "c"]) {
      const subscribed = yield* request(`${program.baseUrl}/api/v1/public/pages/acme/subscribers`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ type: "webhook", url: `${hook.url}/${path}` })
      })
      expect(subscribed.status).toBe(201)
    }
    const traceparent = `00-${called.traceId}-${called.spanId}-01`
    const opened = yield* request(`${program.baseUrl}/api/v1/incidents`, {
      method: "POST",
      headers: { ...agent.headers, traceparent, "content-type": "application/json" },
      body: JSON.stringify({
        title: "Shop is down",
        message: "We look into it.",
        impact: "critical",
        pageIds: [page.body.id],
        components: [{ componentId: component.body.id, status: "major_outage" }]
      })
    })
    expect(opened.status).toBe(201)
    yield* until(Effect.sync(() => hook.seen.filter(({ body }) => body.includes("Shop is down")).length), (count) => count >= 3)
    const scraped = yield* Effect.promise(() =>
      fetch(`${program.baseUrl}/metrics`, { headers: { accept: "application/openmetrics-text; version=1.0.0" } })
    )
    expect(scraped.headers.get("content-type")).toContain("application/openmetrics-text")
    const text = yield* Effect.promise(() => scraped.text())
    expect(text).toMatch(new RegExp(`operation="create_incident".* # \\{trace_id="${called.traceId}",span_id="[0-9a-f]{16}"\\} `))
    expect(text).toContain("# TYPE belltower_delivery_attempts counter\n")
    expect(text.endsWith("\n# EOF\n")).toBe(true)
    // The other form stays as it is.
    const plain = yield* Effect.promise(() => fetch(`${program.baseUrl}/metrics`).then((answer) => answer.text()))
    expect(plain).toContain("# TYPE belltower_delivery_attempts_total counter\n")
    expect(plain).not.toContain("trace_id")
    yield* program.signal("SIGTERM")
    yield* program.ended

    const typeOf = (path: string) =>
      collector.sent.filter((one) => one.path === path).map(({ headers }) => headers["content-type"])
    expect(new Set(typeOf("/v1/traces"))).toEqual(new Set(["application/x-protobuf"]))
    expect(new Set(typeOf("/v1/metrics"))).toEqual(new Set(["application/x-protobuf"]))
    expect(new Set(typeOf("/v1/logs"))).toEqual(new Set(["application/json"]))
    const spans = collector.spans()
    const batches = spans.filter(({ name }) => name === "notify subscribers")
    expect(batches.length).toBeGreaterThan(0)
    const attributes = batches.map((batch) => attributesIn(batch))
    expect(attributes.reduce((sum, one) => sum + Number(one["belltower.subscribers.delivered"] ?? 0), 0)).toBe(3)
    expect(attributes[0]).toMatchObject({ "belltower.page.id": page.body.id })
    for (const batch of batches) {
      expect(lineOf(spans, batch).map(({ name }) => name)).toEqual(["notify subscribers", "POST /api/v1/incidents"])
      expect([batch.traceId, batch.kind]).toEqual([called.traceId, 4])
    }
    const durations = collector.metrics().findLast(({ name }) => name === "belltower_http_request_duration_seconds")
    const [point] = durations.histogram.dataPoints
    expect(point.bucketCounts.reduce((sum: number, count: string) => sum + Number(count), 0)).toBe(Number(point.count))
    expect(point.explicitBounds).toHaveLength(point.bucketCounts.length - 1)
  }))
