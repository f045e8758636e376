/** Assertions: every operator, and the handling of truncated bodies and invalid input. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import fc from "fast-check"
import type { Assertion } from "../../../../schema/monitor/Assertion.ts"
import { compileAssertion, judgeAssertion } from "../../../../src/domain/check/answer/AssertionCheck.ts"
import type { AssertionFacts } from "../../../../src/domain/check/answer/AssertionCheck.ts"
import { parseExactJson } from "../../../../src/domain/tools/json/ExactJson.ts"

const facts = (body: string, bodyComplete = true): AssertionFacts => ({
  status: 200,
  latencyMs: 120.5,
  header: (name) => (name === "x-count" ? "12" : undefined),
  body: () => body,
  bodyComplete,
  json: () => parseExactJson(body),
  sslDays: null
})

const judge = (assertion: Assertion, body = "", complete = true) =>
  judgeAssertion(Either.getOrThrow(compileAssertion(assertion)), facts(body, complete))

const json = "{\"n\": 5, \"s\": \"5\", \"t\": true, \"z\": null, \"l\": [1, \"two\"], \"o\": {\"k\": 1}}"

describe("an assertion", () => {
  it.each<[Assertion, boolean]>([
    [{ source: "status", op: "eq", value: 200 }, true],
    [{ source: "status", op: "eq", value: "200" }, true],
    [{ source: "status", op: "neq", value: 200 }, false],
    [{ source: "latency", op: "lt", value: 120 }, false],
    [{ source: "latency", op: "lte", value: 120.5 }, true],
    [{ source: "header", path: " X-Count ", op: "gt", value: 11 }, true],
    [{ source: "header", path: "x-none", op: "neq", value: "a" }, true],
    [{ source: "header", path: "x-none", op: "eq", value: "a" }, false],
    [{ source: "header", path: "x-none", op: "not_exists" }, true],
    [{ source: "header", path: "x-none", op: "not_contains", value: "a" }, true],
    [{ source: "ssl_days", op: "gt", value: 7 }, false],
    [{ source: "json", path: "n", op: "eq", value: 5 }, true],
    [{ source: "json", path: "s", op: "gte", value: 5 }, true],
    [{ source: "json", path: "t", op: "eq", value: true }, true],
    [{ source: "json", path: "t", op: "eq", value: "true" }, true],
    [{ source: "json", path: "z", op: "exists" }, true],
    [{ source: "json", path: "z", op: "lt", value: 1 }, false],
    [{ source: "json", path: "l", op: "contains", value: "two" }, true],
    [{ source: "json", path: "l", op: "not_contains", value: "tw" }, true],
    [{ source: "json", path: "o", op: "contains", value: "\"k\"" }, true],
    [{ source: "json", path: "l[5]", op: "exists" }, false],
    [{ source: "body", op: "matches", value: "(?i)TW[o]" }, true],
    [{ source: "body", op: "exists" }, true]
  ])("%j holds: %s", (assertion, passed) => expect(judge(assertion, json).passed).toBe(passed))

  describe.each<[string, string, NonNullable<Assertion["value"]>, { readonly eq: boolean; readonly order?: "<" | ">" }]>([
    ["two texts compare as texts", "{\"v\": \"1.10\"}", "1.1", { eq: false }],
    ["two texts compare as texts", "{\"v\": \"0e123456\"}", "0e654321", { eq: false }],
    ["two texts compare as texts", "{\"v\": \" 1\"}", "1", { eq: false }],
    ["two texts compare as texts", "{\"v\": \"9007199254740993\"}", "9007199254740993", { eq: true }],
    ["numbers compare by value", "{\"v\": 1.10}", 1.1, { eq: true }],
    ["numbers compare by value", "{\"v\": 1e2}", 100, { eq: true }],
    ["numbers compare exactly", "{\"v\": 9007199254740993}", 9007199254740992, { eq: false, order: ">" }],
    ["numbers compare exactly", "{\"v\": 9007199254740993}", "9007199254740993", { eq: true }],
    ["numbers compare exactly", "{\"v\": -12345678901234567890.5}", "-12345678901234567890.50", { eq: true }],
    ["numbers compare exactly", "{\"v\": 0.1000000000000000055}", 0.1, { eq: false, order: ">" }],
    ["numbers compare exactly", "{\"v\": 1e400}", "1e401", { eq: false, order: "<" }],
    ["a number and a decimal text compare by value", "{\"v\": 1.10}", "1.1", { eq: true }],
    ["a number and a decimal text compare by value", "{\"v\": \"1.10\"}", 1.1, { eq: true }],
    ["a number and a decimal text compare by value", "{\"v\": \" 42\\n\"}", 42, { eq: true }],
    ["a number and another text differ", "{\"v\": \"0x10\"}", 16, { eq: false }],
    ["a number and another text differ", "{\"v\": \"\"}", 0, { eq: false }],
    ["true, false and null equal the text that reads the same", "{\"v\": true}", "true", { eq: true }],
    ["true, false and null equal the text that reads the same", "{\"v\": \"false\"}", false, { eq: true }],
    ["true, false and null equal the text that reads the same", "{\"v\": null}", "null", { eq: true }],
    ["true, false and null equal nothing else", "{\"v\": true}", 1, { eq: false }],
    ["true, false and null equal nothing else", "{\"v\": false}", "", { eq: false }],
    ["true, false and null equal nothing else", "{\"v\": null}", 0, { eq: false }],
    [
      "a list or an object equals the JSON of it",
      "{\"v\": {\"b\": [1.0, \"x\"], \"a\": null}}",
      "{\"a\": null, \"b\": [1, \"x\"]}",
      { eq: true }
    ],
    ["a list or an object equals the JSON of it", "{\"v\": [9007199254740993]}", "[9007199254740992]", { eq: false }],
    ["a list or an object equals the JSON of it", "{\"v\": [1]}", 1, { eq: false }]
  ])("%s: %s and %j", (_, body, value, { eq, order }) => {
    const holding = (op: Assertion["op"], source: "json" | "header" | "body" = "json") =>
      judgeAssertion(Either.getOrThrow(compileAssertion({ source, path: "v", op, value })), facts(body)).passed
    it("for eq, neq and lists that contain it", () => {
      expect([holding("eq"), holding("neq")]).toEqual([eq, !eq])
      const list = judge(
        { source: "json", path: "l", op: "contains", value },
        body.replace(/^\{"v": (.*)\}$/s, "{\"l\": [\"x\", $1]}")
      )
      expect(list.passed).toBe(eq)
    })
    if (order !== undefined) {
      it("for lt, lte, gt and gte", () => {
        expect([holding("lt"), holding("lte"), holding("gt"), holding("gte")]).toEqual(
          order === "<" ? [true, true, false, false] : [false, false, true, true]
        )
      })
    }
  })

  it("compares headers and bodies alike: both are texts", () => {
    const seen = {
      ...facts("1.10"),
      header: (name: string) => (name === "x-version" ? "1.10" : name === "x-commit" ? "0e123456" : undefined)
    }
    const passes = (assertion: Assertion) => judgeAssertion(Either.getOrThrow(compileAssertion(assertion)), seen).passed
    expect(passes({ source: "header", path: "x-version", op: "eq", value: "1.1" })).toBe(false)
    expect(passes({ source: "header", path: "x-version", op: "eq", value: 1.1 })).toBe(true)
    expect(passes({ source: "header", path: "x-commit", op: "neq", value: "0e654321" })).toBe(true)
    expect(passes({ source: "body", op: "eq", value: "1.1" })).toBe(false)
    expect(passes({ source: "body", op: "gte", value: "1.1" })).toBe(true)
    expect(passes({ source: "body", op: "contains", value: 1.1 })).toBe(true)
  })

  it("reads a number as the answer writes it", () => {
    expect(judge({ source: "json", path: "v", op: "matches", value: "^1\\.10$" }, "{\"v\": 1.10}")).toMatchObject({
      passed: true,
      actual: "1.10"
    })
    expect(
      judge(
        { source: "json", path: "o", op: "contains", value: "\"id\":9007199254740993" },
        "{\"o\": {\"id\": 9007199254740993}}"
      ).passed
    )
      .toBe(true)
  })

  it("holds if each of the values that a path selects meets it", () => {
    const body = "{\"checks\": [{\"s\": \"ok\", \"n\": 1}, {\"s\": \"ok\", \"n\": 5}, {\"s\": \"bad\", \"n\": 9}]}"
    const all = (op: Assertion["op"], path: string, value?: string) =>
      judge({ source: "json", path, op, ...(value === undefined ? {} : { value }) }, body)
    expect(all("eq", "checks[*].s", "ok")).toMatchObject({
      passed: false,
      actual: "bad",
      message: "Expected each of the 3 values of JSON checks[*].s to equal ok, but value 3 is bad"
    })
    expect(all("eq", "checks[:2].s", "ok")).toMatchObject({
      passed: true,
      actual: "ok, ok",
      message: "Expected each of the 2 values of JSON checks[:2].s to equal ok"
    })
    expect(all("neq", "checks[*].s", "bad").passed).toBe(false)
    expect(all("neq", "checks[*].s", "down").passed).toBe(true)
    expect(all("lt", "checks[*].n", "10").passed).toBe(true)
    expect(all("gt", "$.checks[?@.s == 'ok'].n", "0").passed).toBe(true)
    expect(all("eq", "checks[?@.s == 'none'].n", "0")).toMatchObject({ passed: false, actual: null })
    expect(all("exists", "$..s")).toMatchObject({ passed: true, message: "Expected JSON $..s to exist" })
    expect(all("not_exists", "checks[?@.s == 'bad']")).toMatchObject({
      passed: false,
      message: "Expected JSON checks[?@.s == 'bad'] not to exist, got {\"s\":\"bad\",\"n\":9}"
    })
    expect(all("not_exists", "checks[?@.n > 9]").passed).toBe(true)
  })

  it("on JSON is not met by an answer that is none, whatever it says", () => {
    for (const op of ["not_exists", "neq", "not_contains"] as const) {
      const assertion: Assertion = { source: "json", path: "errors", op, ...(op === "not_exists" ? {} : { value: "x" }) }
      expect(judge(assertion, "{}").passed).toBe(true)
      for (const body of ["<h1>Welcome to nginx!</h1>", "", "{\"errors\": "]) expect(judge(assertion, body).passed).toBe(false)
    }
    const because = (body: string) => judge({ source: "json", path: "errors", op: "not_exists" }, body).message
    expect(because("<h1>Down</h1>")).toBe("Expected JSON errors not to exist, but the body is not JSON (begins \"Down\")")
    expect(because("<div id=\"app\"></div>")).toBe(
      "Expected JSON errors not to exist, but the body is not JSON (no visible text)"
    )
    expect(because(" ")).toBe("Expected JSON errors not to exist, but the body is empty")
  })

  it("is undecided exactly when the unread part of a body could change the result", () => {
    const undecided = (assertion: Assertion) => judge(assertion, "the beginning", false).needsMore
    expect(undecided({ source: "body", op: "contains", value: "beginning" })).toBe(false)
    expect(undecided({ source: "body", op: "contains", value: "end" })).toBe(true)
    expect(undecided({ source: "body", op: "not_contains", value: "beginning" })).toBe(false)
    expect(undecided({ source: "body", op: "not_contains", value: "end" })).toBe(true)
    expect(undecided({ source: "body", op: "eq", value: "the beginning" })).toBe(false)
    expect(undecided({ source: "json", op: "exists" })).toBe(true)
    expect(undecided({ source: "status", op: "eq", value: 1 })).toBe(false)
  })

  it.each<[Assertion, RegExp]>([
    [{ source: "body", op: "matches", value: "(" }, /missing closing/],
    [{ source: "body", op: "matches", value: "(?=a)" }, /invalid/],
    [{ source: "body", op: "matches", value: "((x{1,100}){1,10})y" }, /too large/],
    [{ source: "body", op: "contains" }, /requires a value/],
    [{ source: "status", op: "lt", value: "many" }, /requires a number/],
    [{ source: "header", op: "exists" }, /requires the header name/],
    [{ source: "json", path: "a[", op: "exists" }, /Invalid JSON path/]
  ])(
    "%j is rejected with a reason",
    (assertion, problem) =>
      expect(Either.getLeft(compileAssertion(assertion))).toMatchObject({ value: { message: expect.stringMatching(problem) } })
  )

  it("matches in linear time patterns that stall backtracking engines", () =>
    expect(judge({ source: "body", op: "matches", value: "^(a+)+$" }, `${"a".repeat(200_000)}b`).passed).toBe(false))

  it("judges any JSON without failing, and quotes at most 500 characters of it", () => {
    const op = fc.constantFrom(
      "eq",
      "neq",
      "lt",
      "lte",
      "gt",
      "gte",
      "contains",
      "not_contains",
      "matches",
      "exists",
      "not_exists"
    )
    fc.assert(fc.property(fc.json(), op, (body, operator) => {
      const { actual } = judge({ source: "json", op: operator, value: "1" }, body)
      expect(actual === null || actual.length <= 500).toBe(true)
    }))
  })
})
