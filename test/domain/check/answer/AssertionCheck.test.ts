/** Assertions: every operator, and the handling of truncated bodies and invalid input. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import fc from "fast-check"
import type { Assertion } from "../../../../schema/monitor/Assertion.ts"
import { compileAssertion, judgeAssertion } from "../../../../src/domain/check/answer/AssertionCheck.ts"
import type { AssertionFacts } from "../../../../src/domain/check/answer/AssertionCheck.ts"
import { parseExactJson } from "../../../../src/domain/tools/ExactJson.ts"

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
