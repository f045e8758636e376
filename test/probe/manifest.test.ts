/** The manifest check against a real server: documents in each form, documents that are none, and the request's own failures. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ManifestTarget } from "../../schema/monitor/kinds/manifest.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentTo } from "../support/probe/Assignments.ts"
import { httpTarget, probing, tcpTarget } from "../support/targets/LocalTargets.ts"

const manifest = (url: string, rest: Partial<ManifestTarget> = {}): ManifestTarget => ({
  kind: "manifest",
  url,
  degradedAfterMs: null,
  sslExpiryDays: null,
  ...rest
})

const serving = (body: string) => httpTarget((_, response) => response.end(body))

describe("a manifest check", () => {
  it.scopedLive("is up if the document has statuses, whatever they are, and keeps them as evidence", () =>
    Effect.gen(function*() {
      const url = yield* serving(JSON.stringify({ components: [{ id: "x", name: "API", status: "major_outage" }] }))
      const seen = yield* probeOnce(assignmentTo(manifest(url)))
      expect(seen).toMatchObject({ outcome: "up", statusCode: 200, error: null })
      const entries = [{ key: "x", names: ["x", "API"], status: "major_outage", message: null }]
      expect((yield* seen.evidence)!.manifest).toEqual(entries)
      expect(seen.manifest).toEqual(entries)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("sends the monitor's headers, and follows redirects", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) => {
        if (request.url === "/") return response.writeHead(302, { location: "/status" }).end()
        return response.end(JSON.stringify({ key: request.headers["x-key"] === "abcdef" ? "up" : "down" }))
      })
      const seen = yield* probeOnce(assignmentTo(manifest(url), { secrets: { headers: { "x-key": "abcdef" } } }))
      expect((yield* seen.evidence)!.manifest).toMatchObject([{ key: "key", status: "operational" }])
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is down if the document is missing, no JSON, empty or too large", () =>
    Effect.gen(function*() {
      const failures = {
        "<html>": ["manifest", "The manifest is not JSON"],
        "{\"version\":\"1.2\"}": ["manifest", expect.stringContaining("The manifest has no statuses")],
        [JSON.stringify({ api: "up", rest: "x".repeat(300_000) })]: ["body_too_large", "The manifest is larger than 256 KiB"]
      }
      for (const [body, [cause, error]] of Object.entries(failures)) {
        const seen = yield* probeOnce(assignmentTo(manifest(yield* serving(body))))
        expect(seen).toMatchObject({ outcome: "down", cause, error })
      }
      const missing = yield* httpTarget((_, response) => response.writeHead(404).end("{\"api\":\"up\"}"))
      expect(yield* probeOnce(assignmentTo(manifest(missing)))).toMatchObject({ outcome: "down", cause: "status" })
      const closed = yield* Effect.scoped(tcpTarget(() => {}))
      expect(yield* probeOnce(assignmentTo(manifest(`http://127.0.0.1:${closed}`)))).toMatchObject({ cause: "connect_refused" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is degraded if the document takes too long", () =>
    Effect.gen(function*() {
      const url = yield* serving("{\"api\":\"up\"}")
      expect(yield* probeOnce(assignmentTo(manifest(url, { degradedAfterMs: 0 })))).toMatchObject({
        outcome: "degraded",
        cause: "slow"
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("reads nothing from addresses that are not public", () =>
    Effect.gen(function*() {
      const url = yield* serving("{\"api\":\"up\"}")
      expect(yield* probeOnce(assignmentTo(manifest(url)))).toMatchObject({ outcome: "down", cause: "blocked_target" })
    }).pipe(Effect.provide(probing({ allow: "" }))))
})
