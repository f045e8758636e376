/** The pure parts of parsing: texts as fields, event types of a stream, suggestions for typing errors. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Either, Schema } from "effect"
import * as fc from "fast-check"
import { ChannelInput } from "../../../schema/alert/Channel.ts"
import { eventTypes } from "../../../schema/event/EventData.ts"
import { textBetween, Timestamp, TimestampZ } from "../../../schema/Fields.ts"
import { ManyMonitorsUpdate } from "../../../schema/monitor/ManyMonitors.ts"
import { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import { participants } from "../../../schema/oncall/Rotation.ts"
import { PageInput } from "../../../schema/page/Page.ts"
import { fieldIssues } from "../../../src/domain/input/FieldIssues.ts"
import { fieldTypes, fromTexts } from "../../../src/domain/input/FieldTexts.ts"
import { nearest } from "../../../src/domain/tools/text/Nearest.ts"
import { allOperations } from "../../../src/http/openapi/Operations.ts"
import { makePathAdvice } from "../../../src/http/server/PathAdvice.ts"
import { unrouted } from "../../../src/http/server/UnroutedPaths.ts"
import { parseTypes } from "../../../src/sse/StreamRoute.ts"

const Fields = Schema.Struct({
  text: Schema.String,
  number: Schema.Number,
  flag: Schema.Boolean,
  cleared: Schema.NullOr(Schema.Number),
  texts: Schema.Array(Schema.String),
  numbers: Schema.Array(Schema.Number),
  either: Schema.Union(Schema.Number, Schema.String),
  object: Schema.Struct({ width: Schema.Number })
})
const types = fieldTypes(Fields.ast)
const read = (name: keyof typeof Fields.Type, texts: string | ReadonlyArray<string>) => {
  const type = types.get(name)
  return type === undefined ? undefined : fromTexts(texts, type)
}

it("a text has its minimum of characters as JSON Schema counts them", () => {
  const isLongEnough = Schema.is(textBetween(4, 10))
  expect(
    ["abc", "ab\u{fdf73}", "abcd", "\u{1f600}".repeat(3), "\u{1f600}".repeat(4), "a".repeat(11)].map((one) => isLongEnough(one))
  )
    .toEqual([false, false, true, false, true, false])
})

describe("a text in a form", () => {
  it("is decoded to the original value, by the type of its field", () => {
    fc.assert(
      fc.property(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), (text, number, flag) => {
        expect(read("text", text)).toBe(text)
        expect(read("number", JSON.stringify(number))).toBe(JSON.parse(JSON.stringify(number)))
        expect(read("flag", String(flag))).toBe(flag)
        expect(read("either", text)).toBe(text)
        expect(read("numbers", [JSON.stringify(number), "1"])).toEqual([JSON.parse(JSON.stringify(number)), 1])
      })
    )
  })

  it("that its field cannot accept stays unchanged, and is rejected by name", () => {
    expect(read("number", "soon")).toBe("soon")
    expect(read("number", "")).toBe("")
    expect(read("flag", "maybe")).toBe("maybe")
    expect(read("object", "{")).toBe("{")
    expect(read("text", ["a", "b"])).toEqual(["a", "b"])
  })

  it("clears fields that accept null, and becomes a list of one", () => {
    expect(read("cleared", "")).toBe(null)
    expect(read("texts", "a")).toEqual(["a"])
    expect(read("texts", "[\"a\",\"b\"]")).toEqual(["a", "b"])
    expect(read("object", "{\"width\":1}")).toEqual({ width: 1 })
  })
})

describe("a time", () => {
  const decode = Schema.decodeUnknownEither(Schema.Struct({ at: Timestamp }))

  it("is accepted with any offset, and returned in UTC", () => {
    for (
      const written of [
        "2026-11-20T08:00:00.000Z",
        "2026-11-20T08:00Z",
        "2026-11-20t09:00:00.000000+01:00",
        "2026-11-20T03:00:00-0500"
      ]
    ) {
      const out = Either.map(decode({ at: written }), ({ at }) => Schema.encodeSync(Timestamp)(at))
      expect([written, out]).toEqual([written, Either.right("2026-11-20T08:00:00.000Z")])
    }
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z") }), (date) => {
        const at = DateTime.unsafeMake(date)
        expect(Schema.decodeSync(Timestamp)(Schema.encodeSync(Timestamp)(at))).toEqual(at)
      })
    )
  })

  it("is rejected with an explanation if it is ambiguous", () => {
    for (
      const written of [
        "2026-11-20T08:00:00",
        "2026-11-20",
        "2026",
        "1",
        "Nov 20 2026",
        "yesterday",
        "2026-13-40T08:00:00Z",
        "2026-02-30T08:00:00Z",
        "2027-02-29T08:00:00+01:00",
        "2026-04-31T08:00Z",
        ""
      ]
    ) {
      expect([written, Either.mapLeft(decode({ at: written }), fieldIssues)]).toEqual([
        written,
        Either.left([
          { path: "at", message: "Expected a time in ISO 8601 with Z or an offset, such as 2026-11-20T08:00:00Z" }
        ])
      ])
    }
  })
})

describe("a time that must be UTC", () => {
  const decode = Schema.decodeUnknownEither(Schema.Struct({ before: TimestampZ }))

  it("ends in Z, with or without fractions of a second", () => {
    for (
      const written of ["2026-11-20T08:00:00.000Z", "2026-11-20T08:00:00Z", "2026-11-20T08:00Z", "2026-11-20T08:00:00.000000Z"]
    ) {
      const out = Either.map(decode({ before: written }), ({ before }) => Schema.encodeSync(TimestampZ)(before))
      expect([written, out]).toEqual([written, Either.right("2026-11-20T08:00:00.000Z")])
    }
  })

  it("is rejected with an offset, even one of zero, and without any", () => {
    for (
      const written of [
        "2026-11-20T09:00:00+01:00",
        "2026-11-20T08:00:00+00:00",
        "2026-11-20T08:00:00-0000",
        "2026-11-20T08:00:00",
        "2026-11-20",
        "2026-13-40T08:00:00Z",
        "yesterdayZ",
        "Z"
      ]
    ) {
      expect([written, Either.mapLeft(decode({ before: written }), fieldIssues)]).toEqual([
        written,
        Either.left([
          { path: "before", message: "Expected a time in ISO 8601 in UTC, ending in Z, such as 2026-11-20T08:00:00Z" }
        ])
      ])
    }
  })
})

describe("the types of a live stream", () => {
  it("are exact types, prefixes with .*, or all", () => {
    expect(parseTypes("")).toEqual(Either.right(null))
    expect(parseTypes("monitor.up,*")).toEqual(Either.right(null))
    expect(parseTypes("test.ping, monitor.up")).toEqual(Either.right(["test.ping", "monitor.up"]))
    expect(parseTypes("maintenance.*,maintenance.started")).toEqual(
      Either.right(eventTypes.filter((type) => type.startsWith("maintenance.")))
    )
  })

  it("are rejected if they match nothing", () => {
    for (const text of ["monitor", "monitor.", "mon*", ".*", "monitor.up,nothing.*"]) {
      expect([text, Either.isLeft(parseTypes(text))]).toEqual([text, true])
    }
  })
})

describe("the suggested word", () => {
  const known = [...fieldTypes(MonitorInput.ast).keys()]

  it("is found despite other spellings and typing errors", () => {
    expect(nearest("interval_sec", known)).toBe("intervalSec")
    expect(nearest("nmae", known)).toBe("name")
    expect(nearest("expectedstatus", known)).toBe("expectedStatus")
    expect(nearest("zzz", known)).toBe(null)
    expect(nearest("x".repeat(100_000), known)).toBe(null)
  })
})

it("a field that stands beside the object that it belongs into is answered with its path", () => {
  const messages = (schema: Schema.Schema.AnyNoContext, input: object) =>
    Either.match(Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })(input), {
      onLeft: (error) => fieldIssues(error).map(({ message, path }) => [path, message]),
      onRight: () => []
    })
  expect(messages(PageInput, { name: "Acme", language: "de", acent: "#ffffff" })).toEqual([
    ["language", "Unknown field; did you mean settings.language?"],
    ["acent", "Unknown field"]
  ])
  expect(messages(ManyMonitorsUpdate, { ids: [], paused: true })).toEqual([
    ["paused", "Unknown field; did you mean set.paused?"]
  ])
})

it("a field that is wrong beside another one is named itself, not the object that holds both", () => {
  const quietHours = { timezone: "UTC", from: "10:00", to: "10:00" }
  const result = Schema.decodeUnknownEither(ChannelInput, { errors: "all" })({ name: "X", type: "slack", quietHours })
  expect(Either.isLeft(result) ? fieldIssues(result.left) : []).toEqual([
    { path: "quietHours.to", message: "Expected another time than from" }
  ])
})

it("a list that needs an item is named itself when it has none, not its missing item", () => {
  const decode = Schema.decodeUnknownEither(Schema.Struct({ participants }), { errors: "all" })
  expect(Either.mapLeft(decode({ participants: [] }), (error) => fieldIssues(error)))
    .toEqual(Either.left([{ path: "participants", message: "At least 1 item" }]))
  expect(Either.mapLeft(decode({ participants: [null] }), (error) => fieldIssues(error)))
    .toMatchObject(Either.left([{ path: "participants.0" }]))
})

describe("a misspelt event type of a channel", () => {
  const issuesOf = (events: ReadonlyArray<string>) =>
    Either.match(Schema.decodeUnknownEither(ChannelInput, { errors: "all" })({ name: "Ops", type: "webhook", events }), {
      onLeft: (error) => fieldIssues(error, "JSON"),
      onRight: () => []
    })

  it("is answered with the one that is meant; types, prefixes and the star are taken", () => {
    expect(issuesOf(["monitor.down", "component.*", "*"])).toEqual([])
    expect(issuesOf(["zzz"])).toEqual([
      { path: "events.0", message: expect.stringMatching(/^Unknown event type zzz; use one of monitor\.down, .*deploy\.created/) }
    ])
    expect(issuesOf([5 as never])).toEqual([{ path: "events.0", message: "Expected the name of an event type, got 5" }])
    expect(issuesOf(["monitor.dwn"])).toEqual([
      { path: "events.0", message: "Unknown event type monitor.dwn; did you mean monitor.down?" }
    ])
  })
})

describe("a path without a route", () => {
  const failure = unrouted([
    { method: "GET", path: "/a/:id" },
    { method: "DELETE", path: "/a/:id" },
    { method: "POST", path: "/a.b" }
  ], "https://x")

  it("reports the allowed methods if it is known", () => {
    expect(failure("PUT", "/a/1?x=/y")).toMatchObject({ details: { allow: ["DELETE", "GET", "HEAD", "OPTIONS"] } })
    expect(unrouted([...allOperations], "https://x")("POST", "/api/v1/monitors/mon_1/pause")).toMatchObject({
      hint: expect.stringContaining("{\"paused\": true}. See https://x")
    })
    expect(failure("GET", "/a.b")).toMatchObject({ details: { allow: ["OPTIONS", "POST"] } })
    for (const path of ["/a", "/a/1/2", "/axb", "/", "/a//"]) expect(failure("PUT", path)._tag).toBe("not_found")
  })
})

describe("a path that other services or typing errors would have", () => {
  const advise = makePathAdvice([...allOperations, { method: "POST", path: "/hb/:token" }])

  it("is answered with ours", () => {
    expect(advise("GET", "/monitor")).toBe("Did you mean /api/v1/monitors?")
    expect(advise("GET", "/v1/monitors/mon_1")).toBe("Did you mean /api/v1/monitors/mon_1?")
    // Of a path whose escapes are broken there is no better one.
    expect(advise("GET", "/api/v1/monitors/%zz")).toBe(null)
    expect(advise("GET", "/api/v1/monitors/mon_1/chekcs")).toBe("Did you mean /api/v1/monitors/mon_1/checks?")
    expect(advise("POST", "/api/v1/monitors/mon_1/pause")).toBe("Send PATCH /api/v1/monitors/mon_1 with {\"paused\": true}")
    expect(advise("POST", "/api/v3/checks/mon_1/resume")).toBe("Send PATCH /api/v1/monitors/mon_1 with {\"paused\": false}")
    expect(advise("POST", "/v2/getMonitors")).toBe("Send GET /api/v1/monitors")
    expect(advise("POST", "/api/v2/status-pages")).toBe("Send POST /api/v1/pages")
    expect(advise("POST", "/signup")).toBe("Send POST /api/v1/agent/bootstrap")
    expect(advise("GET", "/me")).toBe("Send GET /api/v1/agent/whoami")
    expect(advise("GET", "/ping/abc")).toBe("Send POST /hb/abc")
  })

  it("gets no advice if nothing is near, or if our own route does not exist", () => {
    for (
      const path of ["/", "/wp-login.php", "/api/v1/nothing", "/nowhere", `/${"m".repeat(300)}`, `/monitors/${"x/".repeat(50)}`]
    ) {
      expect([path, advise("GET", path)]).toEqual([path, null])
    }
    expect(makePathAdvice([])("POST", "/monitors/mon_1/pause")).toBe(null)
  })
})
