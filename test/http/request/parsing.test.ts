/** The steps between a request and its operation. */
import { assert, describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import { operations } from "../../../src/http/openapi/Operations.ts"
import { call, callJson, type Json, newKey, post, TestServer } from "../../support/program/TestServer.ts"

/** A body without a declared length. */
const streamed = (body: ReadableStream): RequestInit => Object.assign({ body }, { duplex: "half" })

layer(TestServer, { excludeTestServices: true })("a request", (it) => {
  const sent = (path: string, body: string, headers: Record<string, string>, method = "POST") =>
    callJson(path, { method, body, headers })

  describe("with JSON", () => {
    it.effect("passes its fields to the operation", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body } = yield* post("/api/v1/monitors", { name: "api", url: "https://example.com", intervalSec: 30 }, headers)
        expect(body.seen.payload).toEqual({ name: "api", url: "https://example.com", intervalSec: 30 })
      }))

    it.effect("reports every issue with its dotted path in short words", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body, status } = yield* post("/api/v1/monitors", {
          url: "gopher://x",
          intervalSec: 5,
          port: "80",
          method: "FETCH",
          degradedAfterMs: 7.5,
          tags: ["x".repeat(41)],
          assertions: [{ source: "status", op: "equals" }, { op: "eq", value: {} }],
          paused: "maybe",
          regions: []
        }, headers)
        expect(status).toBe(422)
        expect(body.error.code).toBe("validation_failed")
        expect(Object.fromEntries(body.error.details.map((one: Json) => [one.path, one.message]))).toEqual({
          "name": "Required",
          "url": "Expected an absolute http, https, ws or wss URL",
          "intervalSec": "Expected a whole number from 10 to 86400, got 5",
          "port": "Expected a whole number from 1 to 65535 or null, got the text \"80\"",
          "method":
            "Expected one of \"GET\", \"HEAD\", \"POST\", \"PUT\", \"PATCH\", \"DELETE\", \"OPTIONS\" or null, got the text \"FETCH\"",
          "degradedAfterMs": "Expected a whole number from 50 to 86400000, got 7.5",
          "tags.0": "At most 40 characters",
          "assertions.0.op": expect.stringMatching(/^Expected one of "eq", "neq"/),
          "assertions.1.source": "Required",
          "assertions.1.value": "Expected a string or a number or true or false, got an object",
          "paused": "Expected true or false, got the text \"maybe\"",
          "regions": "At least 1 item"
        })
      }))

    it.effect("loses no digit of an integer where a text may stand for it", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const text = "{\"name\": \"api\", \"url\": \"https://example.com\", \"assertions\": [" +
          "{\"source\": \"json\", \"path\": \"id\", \"op\": \"eq\", \"value\": 9007199254740993}]}"
        const { body } = yield* sent("/api/v1/monitors", text, { ...headers, "content-type": "application/json" })
        expect(body.seen.payload.assertions[0].value).toBe("9007199254740993")
      }))

    it.effect("contains true and false as such: no text stands for them", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        for (const paused of ["", "false", "true", 0, null]) {
          const { body, status } = yield* post("/api/v1/monitors", { name: "api", paused }, headers)
          expect([paused, status, body.error?.details[0].path]).toEqual([paused, 422, "paused"])
        }
      }))

    it.effect("says of each id of another resource what it is, and what reads it", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const body26 = "01k9x2m4q8e7s9v3bthn5wza6c"
        const page = yield* callJson(`/api/v1/monitors/pg_${body26}`, { headers })
        expect([page.status, page.body.error.message]).toEqual([
          404,
          `pg_${body26} is a status page; use GET /api/v1/pages/{pageId}`
        ])
        const monitor = yield* callJson(`/api/v1/pages/mon_${body26}`, { headers })
        expect(monitor.body.error.message).toBe(`mon_${body26} is a monitor; use GET /api/v1/monitors/{id}`)
        const event = yield* callJson(`/api/v1/events?after=ch_${body26}`, { headers })
        expect([event.status, event.body.error.details]).toEqual([422, [
          { path: "after", message: `ch_${body26} is an alert channel; use GET /api/v1/channels` }
        ]])
        const empty = yield* callJson("/api/v1/monitors?after=", { headers })
        expect([empty.status, empty.body.error.details]).toEqual([422, [
          { path: "after", message: "Expected an id that starts with mon_" }
        ]])
        // Any text has a place in the order of a list, so a cursor that is none would show some other page.
        const lists = ["monitors?after", "pages?after", "events?after", "incidents?before", "deliveries?before", "images?before"]
        for (const list of [...lists, "mutes?before", "audit?before", "deploys?before"]) {
          const wrong = yield* callJson(`/api/v1/${list}=x`, { headers })
          expect([list, wrong.status, wrong.body.error.details]).toEqual([list, 422, [
            { path: list.split("?")[1], message: expect.stringMatching(/^Expected an id that starts with [a-z]+_$/) }
          ]])
        }
        for (const filter of ["deploys?pageId", "incidents?pageId", "pages?monitorIds", "audit?actor", "audit?operation"]) {
          const none = yield* callJson(`/api/v1/${filter}=`, { headers })
          expect([filter, none.status, none.body.error.details]).toMatchObject([filter, 422, [{ path: filter.split("?")[1] }]])
        }
        const sent = yield* post("/api/v1/monitors", { name: "a", url: "https://a.b", channelIds: [`mon_${body26}`] }, headers)
        expect(sent.body.error).toMatchObject({ message: expect.stringContaining("channelIds.0") })
        // Every id parameter of every operation.
        for (const { id, method, path, pathParams, scope } of operations) {
          if (scope === "public" || pathParams._tag === "None" || /token|slug/.test(path)) continue
          const there = path.replace(/:\w+/g, `upd_${body26}`)
          const { body, status } = yield* callJson(there, { method, headers })
          expect([id, status, body.error.message]).toEqual([id, 404, `upd_${body26} is an incident update`])
        }
      }))

    it.effect("accepts the id of each kind of resource that a field takes, and no other", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const paged = (type: string, prefix: string) =>
          post("/api/v1/escalation-policies", {
            name: "Platform",
            levels: [{ afterMinutes: 0, targets: [{ type, id: `${prefix}_01k9x2m4q8e7s9v3bthn5wza6c` }] }]
          }, headers)
        for (const [type, prefix] of [["channel", "ch"], ["schedule", "sch"], ["user", "usr"]] as const) {
          expect([type, (yield* paged(type, prefix)).status]).toEqual([type, 200])
        }
        expect((yield* paged("channel", "mon")).body.error.details).toMatchObject([{ path: "levels.0.targets.0.id" }])
      }))

    it.effect("bounds the headers of a monitor, each, in number and together", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const messageFor = (count: number, size: number) =>
          Effect.map(
            post("/api/v1/monitors", {
              name: "a",
              url: "https://a.b",
              headers: Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, "v".repeat(size)]))
            }, headers),
            ({ body }) => body.error?.details[0].message
          )
        expect(yield* messageFor(16, 4000)).toBeUndefined()
        expect(yield* messageFor(17, 4000)).toBe("At most 65536 characters of headers together")
        expect(yield* messageFor(65, 1)).toBe("At most 64 entries")
        expect(yield* messageFor(1, 4001)).toBe("At most 4000 characters")
      }))

    it.effect("rejects an unknown field by name, and suggests the closest one", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body, status } = yield* post("/api/v1/monitors", { name: "api", interval_sec: 30, zzz: 1 }, headers)
        expect(status).toBe(422)
        expect(body.error.message).toBe("2 fields are invalid: interval_sec, zzz")
        expect(body.error.details).toEqual([
          { path: "interval_sec", message: "Unknown field; did you mean intervalSec?" },
          { path: "zzz", message: "Unknown field" }
        ])
      }))

    it.effect("is rejected as malformed when it is not JSON, or not an object", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        for (const text of ["{\"name\":", "[1]", "\"text\"", "7", "null x"]) {
          const { body, status } = yield* sent("/api/v1/monitors", text, { ...headers, "content-type": "application/json" })
          expect([text, status, body.error.code]).toEqual([text, 400, "bad_request"])
          expect(body.error.hint).toContain("application/json")
        }
      }))

    it.effect("is the message of a program's report if it is no JSON, and only there", () =>
      Effect.gen(function*() {
        const json = { "content-type": "application/json" }
        const texts = [
          "{\"message\": \"it said \"no\"\"}",
          "{\"status\":",
          "{'status': 'down'}",
          " rsync: 7 \n"
        ]
        for (const text of texts) {
          const ping = yield* sent("/api/v1/heartbeat/token", text, json)
          expect([text, ping.status, ping.body.seen?.payload]).toEqual([text, 200, { message: text.trim() }])
          const push = yield* sent("/api/v1/push/token", text, json)
          expect([text, push.status, push.body.error.details]).toEqual([text, 422, [{ path: "status", message: "Required" }]])
        }
        const long = yield* sent("/api/v1/heartbeat/token", `{"log": "${"x".repeat(900)}`, json)
        expect(long.body.seen.payload).toEqual({ message: `{"log": "${"x".repeat(491)}` })
        const latin = yield* callJson("/api/v1/heartbeat/token?status=down", {
          method: "POST",
          headers: json,
          body: new Uint8Array(Buffer.from("d\u00e9j\u00e0", "latin1"))
        })
        expect(latin.body.seen.payload).toEqual({ status: "down", message: "d\ufffdj\ufffd" })
        for (const text of ["[1]", "\"text\"", "null"]) {
          expect((yield* sent("/api/v1/heartbeat/token", text, json)).status).toBe(400)
        }
        const blank = yield* sent("/api/v1/heartbeat/token", " \n", json)
        expect(blank.body.seen.payload).toEqual({})
        // A long field was named by its sender, who can cut it.
        const field = yield* sent("/api/v1/heartbeat/token", JSON.stringify({ message: "x".repeat(501) }), json)
        expect([field.status, field.body.error.details[0].path]).toEqual([422, "message"])
        const form = { "content-type": "application/x-www-form-urlencoded" }
        for (const log of ["exit=1 & out", "a&b=".repeat(12_000)]) {
          const logged = yield* sent("/api/v1/heartbeat/token", log, form)
          expect([logged.status, logged.body.seen?.payload]).toEqual([200, { message: log.slice(0, 500) }])
        }
        for (const named of ["staus=down", "status=down & out=1", `status=down&${"a&b=".repeat(12_000)}`]) {
          expect((yield* sent("/api/v1/heartbeat/token", named, form)).status).toBe(422)
        }
        const { headers } = yield* newKey()
        const update = yield* sent("/api/v1/incidents/inc_1/updates", "{\"message\":", { ...headers, ...json })
        expect(update.status).toBe(400)
      }))

    it.effect("is read without its byte order mark, and rejected in any encoding other than UTF-8", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const encoded = (body: Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) =>
          callJson("/api/v1/monitors", {
            method: "POST",
            body,
            headers: { ...headers, "content-type": "application/json", ...more }
          })
        const text = `{"name":"caf\u00e9","url":"https://example.com"}`
        const marked = yield* encoded(new Uint8Array(Buffer.from(`\uFEFF${text}`, "utf8")))
        expect([marked.status, marked.body.seen.payload.name]).toEqual([200, "caf\u00e9"])
        for (const coding of ["latin1", "utf16le"] as const) {
          const { body, status } = yield* encoded(new Uint8Array(Buffer.from(text, coding)))
          expect([coding, status, body.error.message]).toEqual([coding, 400, "The JSON body is not valid UTF-8"])
        }
        const { body, status } = yield* encoded(new Uint8Array(gzipSync(text)), { "content-encoding": "gzip" })
        expect([status, body.error.message]).toEqual([400, "Bodies with Content-Encoding: gzip are not accepted"])
      }))

    it.effect("reports every text that could not be stored", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const why = "Contains a character that cannot be stored: NUL or an unpaired surrogate"
        const { body, status } = yield* sent(
          "/api/v1/monitors",
          `{"name":"a\\u0000b","url":"https://example.com","tags":["ok","\\ud800"],"headers":{"x":"\\u0000"},"description":"\\ud83d\\ude00"}`,
          { ...headers, "content-type": "application/json" }
        )
        expect(status).toBe(422)
        expect(body.error.details).toEqual(["name", "tags.1", "headers.x"].map((path) => ({ path, message: why })))
        const query = yield* callJson("/api/v1/audit?actor=%00", { headers })
        expect([query.status, query.body.error.details]).toEqual([422, [{ path: "actor", message: why }]])
        const path = yield* callJson("/api/v1/api-keys/%00", { method: "DELETE", headers })
        expect([path.status, path.body.error.code]).toEqual([404, "not_found"])
      }))

    it.effect("may be empty if nothing is required", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body, status } = yield* sent("/api/v1/monitors/mon_1/check", "", {
          ...headers,
          "content-type": "application/json"
        })
        expect([status, body.seen]).toEqual([200, { payload: {}, path: { id: "mon_1" } }])
      }))

    it.effect("is no JSON if it has white space alone", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body, status } = yield* sent("/api/v1/monitors/mon_1/check", "\n", {
          ...headers,
          "content-type": "application/json"
        })
        expect([status, body.error.code]).toEqual([400, "bad_request"])
      }))

    it.effect("above 1 MiB is rejected, with or without a declared length", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const text = JSON.stringify({ name: "x".repeat(2_000_000) })
        const declared = yield* sent("/api/v1/monitors", text, { ...headers, "content-type": "application/json" })
        const chunked = yield* callJson("/api/v1/monitors", {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          ...streamed(new Blob([text]).stream())
        })
        for (const { body, status } of [declared, chunked]) {
          expect([status, body.error.code]).toEqual([413, "bad_request"])
        }
      }))
  })

  describe("with a form", () => {
    it.effect("has its texts decoded as the types of the fields", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const form = new URLSearchParams([
          ["name", "60"],
          ["intervalSec", "60"],
          ["followRedirects", "true"],
          ["degradedAfterMs", ""],
          ["tags", "a"],
          ["tags", "b"],
          ["regions", "main"],
          ["assertions", "[{\"source\":\"status\",\"op\":\"eq\",\"value\":200}]"]
        ])
        const { body } = yield* sent("/api/v1/monitors", form.toString(), {
          ...headers,
          "content-type": "application/x-www-form-urlencoded"
        })
        expect(body.seen.payload).toEqual({
          name: "60",
          intervalSec: 60,
          followRedirects: true,
          degradedAfterMs: null,
          tags: ["a", "b"],
          regions: ["main"],
          assertions: [{ source: "status", op: "eq", value: 200 }]
        })
      }))

    it.effect("needs no content type", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body } = yield* callJson("/api/v1/monitors", {
          method: "POST",
          headers,
          body: Buffer.from("name=api&paused=true")
        })
        expect(body.seen.payload).toEqual({ name: "api", paused: true })
        const json = yield* callJson("/api/v1/monitors", { method: "POST", headers, body: Buffer.from("{\"name\":\"a=b\"}") })
        expect(json.body.seen.payload).toEqual({ name: "a=b" })
      }))

    it.effect("that is JSON, as curl -d sends it, is treated as JSON", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body } = yield* sent("/api/v1/monitors", "{\"name\":\"a=b\"}", {
          ...headers,
          "content-type": "application/x-www-form-urlencoded"
        })
        expect(body.seen.payload).toEqual({ name: "a=b" })
      }))

    it.effect("has every issue reported too", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body, status } = yield* sent("/api/v1/monitors", "name=&intervalSec=soon&nmae=x", {
          ...headers,
          "content-type": "application/x-www-form-urlencoded"
        })
        expect([status, body.error.details.map((one: Json) => one.path).sort()]).toEqual([422, ["intervalSec", "name", "nmae"]])
      }))
  })

  describe("with neither", () => {
    it.effect("is JSON if it parses, whatever its content type", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body } = yield* sent("/api/v1/monitors", "{\"name\":\"api\"}", { ...headers, "content-type": "text/plain" })
        expect(body.seen.payload).toEqual({ name: "api" })
      }))

    it.effect("is rejected as plain text if the operation takes no message", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body, status } = yield* sent("/api/v1/monitors", "hello", { ...headers, "content-type": "text/plain" })
        expect([status, body.error.code]).toEqual([400, "bad_request"])
      }))
  })

  describe("with a query", () => {
    it.effect("merges it under the body, and the path above both", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body } = yield* callJson("/api/v1/monitors/mon_1?intervalSec=60&name=query&id=mon_2", {
          method: "PATCH",
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify({ name: "body", id: "mon_3" })
        })
        expect(body.seen).toEqual({ payload: { name: "body", intervalSec: 60 }, path: { id: "mon_1" } })
      }))

    it.effect("that is unknown is refused, with the nearest field", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body, status } = yield* callJson("/api/v1/monitors?status=down&utm_source=x&tag=a", { headers })
        expect([status, body.error.message, body.error.details]).toEqual([422, "2 fields are invalid: status, utm_source", [
          { path: "status", message: "Unknown field; did you mean state?" },
          { path: "utm_source", message: "Unknown field" }
        ]])
        const withBody = yield* callJson("/api/v1/monitors/mon_1?paussed=1", { method: "PATCH", headers })
        expect([withBody.status, withBody.body.error.details]).toEqual([
          422,
          [{ path: "paussed", message: "Unknown field; did you mean paused?" }]
        ])
        // A stranger learns nothing of it.
        expect((yield* callJson("/api/v1/monitors?status=down")).status).toBe(401)
      }))

    it.effect("that is unknown is refused by every operation, but ignored where everybody may read", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        for (const { id, method, path, scope } of operations) {
          const { body, status } = yield* callJson(`${path.replace(/:\w+/g, "x")}?zzz=1`, { method, headers })
          const named = status === 422 && JSON.stringify(body.error.details ?? []).includes("\"zzz\"")
          expect([id, named]).toEqual([id, !(scope === "public" && method === "GET")])
        }
      }))

    it.effect("that is wrong has every issue reported", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body, status } = yield* callJson(
          "/api/v1/monitors/mon_1/checks?limit=0&outcome=red&before=yesterday&evidence=perhaps",
          {
            headers
          }
        )
        expect(status).toBe(422)
        expect(body.error.details.map((one: Json) => one.path).sort()).toEqual(["before", "evidence", "limit", "outcome"])
        for (const limit of ["0", "many", "1.5", ""]) {
          const answer = yield* callJson(`/api/v1/monitors/mon_1/checks?limit=${limit}`, { headers })
          expect([limit, answer.body.error.details]).toEqual([limit, [{
            path: "limit",
            message: `Expected a whole number from 1 to 500, got "${limit}"`
          }]])
        }
      }))

    it.effect("that contains a time with an offset is rejected if the time must be UTC", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const asked = (before: string) =>
          callJson(`/api/v1/monitors/mon_1/checks?before=${encodeURIComponent(before)}`, { headers })
        expect((yield* asked("2026-11-20T08:00:00Z")).status).toBe(200)
        const { body, status } = yield* asked("2026-11-20T09:00:00+01:00")
        expect([status, body.error.details.map((one: Json) => one.path)]).toEqual([422, ["before"]])
      }))
  })

  it.effect("without a key is rejected before its body is read", () =>
    Effect.gen(function*() {
      const { status } = yield* sent("/api/v1/monitors", "nonsense", { "content-type": "application/json" })
      expect(status).toBe(401)
    }))

  it.effect("whose client disconnects halfway through its body does no harm", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const half = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{\"name\"")) })
      const left = yield* Effect.either(
        Effect.disconnect(call("/api/v1/monitors", {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          ...streamed(half),
          signal: AbortSignal.timeout(50)
        })).pipe(Effect.catchAllDefect((defect) => Effect.fail(defect)))
      )
      assert.strictEqual(left._tag, "Left")
      expect((yield* callJson("/healthz")).status).toBe(200)
    }))
})
