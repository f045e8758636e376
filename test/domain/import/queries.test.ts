/** Queries of other services as assertions: Uptime Kuma's JSONata and the conditions of Gatus hold for the same answers here. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { Assertion } from "../../../schema/monitor/Assertion.ts"
import { judgeHttp, readExpectations } from "../../../src/domain/check/answer/HttpVerdict.ts"
import { makeNotes } from "../../../src/domain/import/Carry.ts"
import { gatusConditions } from "../../../src/domain/import/gatus/GatusConditions.ts"
import { kumaAssertions } from "../../../src/domain/import/kuma/KumaQuery.ts"
import { parseExactJson } from "../../../src/domain/tools/json/ExactJson.ts"
import { assignmentOf } from "../../support/probe/Assignments.ts"

const decodeExpected = Schema.decodeUnknownSync(Schema.Struct({
  expectedStatus: Schema.optionalWith(Schema.String, { exact: true }),
  keyword: Schema.optionalWith(Schema.String, { exact: true }),
  keywordAbsent: Schema.optionalWith(Schema.String, { exact: true }),
  assertions: Schema.optionalWith(Schema.Array(Assertion), { exact: true })
}))

/** Whether an answer with status 200 meets all expectations of an imported monitor. */
const isUp = (body: string, expected: unknown): boolean => {
  const { target } = assignmentOf({ url: "http://a.test/", ...decodeExpected(expected) })
  const facts = {
    status: 200,
    statusText: "OK",
    finalUrl: null,
    latencyMs: 12,
    header: () => undefined,
    body: () => body,
    bodyComplete: true,
    json: () => parseExactJson(body),
    sslDays: null,
    expiresSoon: null,
    outdatedTls: null
  }
  return judgeHttp(readExpectations(target), facts).outcome === "up"
}

describe("a JSON query of Uptime Kuma", () => {
  const document = JSON.stringify({
    status: "ok",
    version: "1.10",
    "queue-depth": 12,
    healthy: true,
    none: null,
    text: "it's \"fine\"",
    items: [{ id: 5, name: "a", price: 1.5 }, { id: 6, name: "b c", price: 20, on: false }],
    deep: { "my key": { id: 7 } }
  })
  const holds = (query: string, operator: string, value: string): boolean | null => {
    const carried = kumaAssertions(query, operator, value)
    return carried === null ? null : isUp(document, carried)
  }

  it.each<[string, string, string, boolean]>([
    ["status", "==", "ok", true],
    ["$.status", "!=", "ok", false],
    ["missing", "!=", "ok", false],
    ["version", "==", "1.1", false],
    ["`queue-depth`", ">", "9", true],
    ["$.items[0].id", "==", "5", true],
    ["items[-1].name", "contains", "c", true],
    ["items[id=6].name", "==", "b c", true],
    ["items[name=\"b c\" and price > 10].id", "==", "6", true],
    ["$.items[id = 9 or name = 'a'].price", "<=", "1.5", true],
    ["items[on = false].id", "==", "6", true],
    ["items[[0..0]].id", "==", "5", true],
    ["items[[0..1]].id", "==", "5", false],
    ["items[name=\"b c\"][0].id", "==", "6", true],
    ["items.*", "==", "5", false],
    ["**.`my key`.id", "==", "7", true],
    ["deep.\"my key\".id", "==", "7", true],
    ["$count(items)", "==", "2", true],
    ["$count(items[price > 100])", "==", "0", true],
    ["$count(items[price > 10])", ">", "0", true],
    ["$length(status)", "==", "2", true],
    ["$string(items[0].id)", "==", "5", true],
    ["$exists(none)", "==", "true", true],
    ["$exists(nothing)", "==", "true", false],
    ["status = \"ok\"", "==", "true", true],
    ["status = \"ok\" and items[0].id >= 5", "==", "true", true],
    ["status = 'ok' and items[0].id > 5", "==", "true", false],
    ["items[0].id > 5", "==", "false", true],
    ["healthy", "==", "true", true]
  ])("%s %s %s holds: %s", (query, operator, value, expected) => expect(holds(query, operator, value)).toBe(expected))

  it.each<[string, string, string]>([
    ["$sum(items.price)", "==", "21.5"],
    ["items[price > 10 ? true : false]", "==", "1"],
    ["$uppercase(status)", "==", "OK"],
    ["items[on].id", "==", "6"],
    ["$count(items[price > 10])", "==", "1"],
    ["status & version", "==", "ok1.10"],
    ["status = 'ok' and healthy = true", "==", "false"],
    ["status", "~=", "ok"],
    ["items[", "==", "1"],
    ["items[price > 1][1].id", "==", "6"],
    ["$$(", "==", "1"]
  ])("%s %s %s is not carried", (query, operator, value) => expect(holds(query, operator, value)).toBeNull())
})

describe("a condition of Gatus", () => {
  const document = " " + JSON.stringify({
    status: "UP",
    version: "1.10",
    name: "john.doe",
    data: [{ id: 1 }, { id: 2 }],
    roles: ["admin", "user"],
    count: 7
  }) + "\n"
  const holds = (body: string, ...conditions: ReadonlyArray<string>): boolean | null => {
    const notes = makeNotes()
    const expected = gatusConditions(notes, conditions, "http")
    return notes.all.length > 0 ? null : isUp(body, expected)
  }

  it.each<[string, boolean]>([
    ["[BODY].data[0].id == 1", true],
    ["1 == [BODY].data[0].id", true],
    ["[body].status == UP", true],
    ["[BODY].version == 1.1", false],
    ["[BODY].version == 1.10", true],
    ["[BODY].count > 6", true],
    ["8 > [BODY].count", true],
    ["[BODY].status == any(UP, DEGRADED)", true],
    ["[BODY].status == any(DOWN, DEGRADED)", false],
    ["[BODY].status != any(DOWN, DEGRADED)", true],
    ["[BODY].status != any(UP, DEGRADED)", false],
    ["[BODY].name == pat(john*)", true],
    ["[BODY].name == pat(john?doe)", true],
    ["[BODY].name == pat(j[a-n]*)", false],
    ["[BODY].name == pat(j[n-p]hn.*)", true],
    ["[BODY].name == pat(*.d*)", true],
    ["[BODY].name != pat(*x*)", true],
    ["[BODY].name != pat(*.doe*)", false],
    ["[BODY].roles == pat(*admin*)", true],
    ["len([BODY].data) == 2", true],
    ["len([BODY].name) > 8", false],
    ["has([BODY].errors) == false", true],
    ["has([BODY].data[1]) == true", true],
    ["has([BODY].data[2]) == true", false],
    ["[STATUS] == 200", true],
    ["[STATUS] == any(200, 204)", true],
    ["[STATUS] == pat(2*)", true],
    ["[STATUS] != any(500, 502)", true],
    ["[STATUS] != 200", false],
    ["[RESPONSE_TIME] < 1s", true]
  ])("%s holds: %s", (condition, expected) => expect(holds(document, condition)).toBe(expected))

  it("compares the whole body without the space around it", () => {
    expect(holds("OK\n", "[BODY] == OK")).toBe(true)
    expect(holds("NOT OK\n", "[BODY] == OK")).toBe(false)
    expect(holds("OK\n", "[BODY] == any(OK, FINE)")).toBe(true)
    expect(holds("[1, 2, 3]", "len([BODY]) >= 3")).toBe(true)
    expect(holds("", "has([BODY]) == false")).toBe(true)
  })

  it("holds beside others of the same thing", () => {
    expect(holds("a b", "[BODY] == pat(*a*)", "[BODY] == pat(*b*)", "[BODY] != pat(*x*)", "[BODY] != pat(*y*)")).toBe(true)
    expect(holds("a b", "[BODY] == pat(*c*)", "[BODY] == pat(*b*)")).toBe(false)
    expect(holds("a b", "[BODY] != pat(*a*)", "[BODY] != pat(*x*)")).toBe(false)
    expect(holds("a", "[STATUS] == 200", "[STATUS] < 300")).toBe(true)
    expect(holds("a", "[STATUS] == any(201, 202)", "[STATUS] < 300")).toBe(false)
    expect(holds("a", "[STATUS] < 300", "[STATUS] == any(201, 202)")).toBe(false)
  })

  it.each([
    "[BODY].name != pat(john?doe)",
    "[BODY].a == [BODY].b",
    "[IP] == 192.0.2.1",
    "len([STATUS]) == 3",
    "[BODY].count > many",
    "[BODY].a[?] == 1",
    "[STATUS] ~ 200"
  ])("%s is not carried", (condition) => expect(holds(document, condition)).toBeNull())
})
