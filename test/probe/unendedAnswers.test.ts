/** Answers that are slow or never end: a check ends as soon as nothing that may still arrive can change its verdict. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import type { HttpTarget } from "../../schema/monitor/kinds/http.ts"
import { EgressGuard } from "../../src/egress/EgressGuard.ts"
import { followRedirects, requestBounded } from "../../src/external/BoundedRequest.ts"
import { postDelivery } from "../../src/notify/alert/PostDelivery.ts"
import { handshake } from "../../src/notify/subscriber/Handshake.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentOf, assignmentTo } from "../support/probe/Assignments.ts"
import { httpTarget, probing } from "../support/targets/LocalTargets.ts"

/** Long enough that a check that waits for it has not ended early. */
const timeoutMs = 30_000

const lookAt = (target: Partial<HttpTarget> & { readonly url: string }, limit = timeoutMs) =>
  probeOnce(assignmentOf(target, { timeoutMs: limit }))

/** Sends a text again and again, and ends only with its client. */
const endless = (text: string, headers: IncomingHttpHeaders = {}, status = 200, pauseMs = 50) =>
  httpTarget((_, response) => {
    response.writeHead(status, headers)
    response.write(text)
    const timer = setInterval(() => response.write(text), pauseMs)
    response.on("close", () => clearInterval(timer))
  })

/** Sends the beginning of a body, and then nothing more. */
const stuck = (text: string, headers: IncomingHttpHeaders = {}) =>
  httpTarget((_, response) => response.writeHead(200, headers).write(text))

const isEarly = (seen: { readonly latencyMs: number | null }): boolean =>
  seen.latencyMs !== null && seen.latencyMs < timeoutMs / 2

const events = { "content-type": "text/event-stream" }

describe("an answer that does not end", () => {
  it.scopedLive(
    "is up by its head if nothing is expected of its body, whatever its rate and its type",
    () =>
      Effect.gen(function*() {
        const targets = [
          yield* endless("data: 1\n\n", events),
          yield* endless("x".repeat(800), { "content-type": "audio/mpeg" }),
          yield* endless("{}\n", { "content-type": "application/x-ndjson" }),
          yield* endless(".", {}),
          yield* stuck("."),
          yield* stuck("data: 1\n\n", events)
        ]
        for (const seen of yield* Effect.all(targets.map((url) => lookAt({ url })), { concurrency: "unbounded" })) {
          expect(seen).toMatchObject({ outcome: "up", error: null, statusCode: 200 })
          expect(isEarly(seen)).toBe(true)
        }
      }).pipe(Effect.provide(probing())),
    60_000
  )

  it.scopedLive("takes the time until its head, not the time for which it was read", () =>
    Effect.gen(function*() {
      const { latencyMs, timings } = yield* lookAt({ url: yield* endless(".") })
      const { connectMs, firstByteMs, totalMs } = timings!
      expect(latencyMs).toBe(totalMs)
      expect(totalMs).toBeLessThan(connectMs! + firstByteMs! + 500)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is down at its status with what came of its explanation", () =>
    Effect.gen(function*() {
      const url = yield* endless("out of disk\n", {}, 503)
      expect(yield* lookAt({ url })).toMatchObject({
        outcome: "down",
        cause: "status",
        error: "Expected status 200-299, got 503 Service Unavailable: out of disk"
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is read until what is expected of it is found, and no longer", () =>
    Effect.gen(function*() {
      const url = yield* endless("data: tick\n\n", events)
      const assertion = (op: "contains" | "not_contains" | "matches" | "exists", value: string) => ({
        assertions: [{ source: "body", op, value } as const]
      })
      const settled: ReadonlyArray<readonly [Partial<HttpTarget>, string | null]> = [
        [{ keyword: "tick" }, null],
        [{ keywordAbsent: "tick" }, "keyword"],
        [assertion("contains", "tick"), null],
        [assertion("matches", "t.ck"), null],
        [assertion("exists", ""), null],
        [assertion("not_contains", "tick"), "assertion"]
      ]
      const seen = yield* Effect.all(settled.map(([target]) => lookAt({ url, ...target })), { concurrency: "unbounded" })
      expect(seen.map(({ cause }) => cause)).toEqual(settled.map(([, cause]) => cause))
      expect(seen.every(isEarly)).toBe(true)
    }).pipe(Effect.provide(probing())), 60_000)

  it.scopedLive("is down if only its end could show what is expected of it", () =>
    Effect.gen(function*() {
      const url = yield* endless("data: tick\n\n", events)
      const open: ReadonlyArray<Partial<HttpTarget>> = [
        { keyword: "tock" },
        { keywordAbsent: "tock" },
        { assertions: [{ source: "body", op: "matches", value: "tick\\s*$", severity: "down" }] },
        { assertions: [{ source: "json", op: "exists", severity: "down" }] }
      ]
      for (
        const seen of yield* Effect.all(open.map((target) => lookAt({ url, ...target }, 1500)), { concurrency: "unbounded" })
      ) {
        expect(seen).toMatchObject({
          outcome: "down",
          cause: "timeout",
          error: expect.stringMatching(/^The response body did not complete within 1500 ms: \d+ bytes arrived$/)
        })
      }
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is judged by what came, also if the time is up before it was looked at", () =>
    Effect.gen(function*() {
      expect(yield* lookAt({ url: yield* endless("tick"), keyword: "tick" }, 300)).toMatchObject({ outcome: "up", error: null })
      expect(yield* lookAt({ url: yield* endless("tick") }, 300)).toMatchObject({ outcome: "up", error: null })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is slow if it has not ended within the limit, unless it is a stream", () =>
    Effect.gen(function*() {
      expect(yield* lookAt({ url: yield* endless("."), degradedAfterMs: 1200 })).toMatchObject({
        outcome: "degraded",
        cause: "slow"
      })
      expect(yield* lookAt({ url: yield* endless(".", events), degradedAfterMs: 1200 })).toMatchObject({ outcome: "up" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("says its length and keeps coming: up; says it and stops: down", () =>
    Effect.gen(function*() {
      const headers = { "content-length": "1000000" }
      expect(yield* lookAt({ url: yield* endless(".", headers) }, 1500)).toMatchObject({ outcome: "up", error: null })
      expect(yield* lookAt({ url: yield* stuck("twelve bytes", headers) }, 1500)).toMatchObject({
        outcome: "down",
        error: "The response body did not complete within 1500 ms: 12 of 1,000,000 bytes arrived"
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("redirects with its head", () =>
    Effect.gen(function*() {
      const there = yield* httpTarget((_, response) => response.end("there"))
      const url = yield* endless("moved", { location: there }, 302)
      const seen = yield* lookAt({ url, keyword: "there" })
      expect([seen.outcome, isEarly(seen)]).toEqual(["up", true])
      const guard = yield* EgressGuard
      const answer = yield* followRedirects(new URL(url), (hop) =>
        Effect.gen(function*() {
          const seen = yield* requestBounded(guard, { url: hop, headers: {}, timeoutMs, limit: 100 })
          const { headers, statusCode } = seen.response!
          return { headers, status: statusCode }
        }))
      expect(answer?.status).toBe(200)
    }).pipe(Effect.provide(probing())))

  it.scopedLive(
    "of a webhook is the verdict with its status, and proves an endpoint once it repeats the challenge",
    () =>
      Effect.gen(function*() {
        const post = { url: new URL(yield* endless("thanks", {}, 202)), headers: {}, body: "{}", timeoutMs }
        expect(yield* postDelivery(post)).toMatchObject({ _tag: "Answered", statusCode: 202 })
        const asked = yield* postDelivery(
          { ...post, url: new URL(yield* endless("thanks", {}, 200)), timeoutMs: 2_000 },
          { read: () => ({}) }
        )
        expect(asked).toMatchObject({ _tag: "Answered", statusCode: 200 })
        const page = { id: "pg_1", name: "Acme", url: "https://status.acme.example" }
        expect(yield* handshake(new URL(yield* stuck("challenge-1")), page, "challenge-1")).toBeNull()
      }).pipe(Effect.provide(probing())),
    20_000
  )

  it.scopedLive("gives a script what came of a stream within a second", () =>
    Effect.gen(function*() {
      const url = yield* endless("data: tick\n\n", events)
      const code = `const r = await http.get("${url}"); if (!r.truncated || !r.body.includes("tick")) throw new Error(r.body)`
      expect(yield* probeOnce(assignmentTo({ kind: "script", code, degradedAfterMs: null }, { timeoutMs }))).toMatchObject({
        outcome: "up",
        error: null
      })
    }).pipe(Effect.provide(probing())), 60_000)
})
