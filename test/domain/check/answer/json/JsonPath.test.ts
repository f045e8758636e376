/** JSON paths: RFC 9535 with exact numbers, and the shorter forms that people write. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import fc from "fast-check"
import { readFileSync } from "node:fs"
import { compileJsonPath } from "../../../../../src/domain/check/answer/json/JsonPath.ts"
import { exactJsonText, parseExactJson } from "../../../../../src/domain/tools/json/ExactJson.ts"

/** The values that a path selects from a JSON text, each as JSON; or why it is refused. */
const selectedIn = (path: string, json: string): ReadonlyArray<string> | string =>
  Either.merge(
    Either.map(compileJsonPath(path), ({ select }) => select(Either.getOrThrow(parseExactJson(json))).map(exactJsonText))
  )

const selected = (path: string, document: unknown) => selectedIn(path, JSON.stringify(document))

const asJson = (values: ReadonlyArray<unknown>): ReadonlyArray<string> => values.map((value) => JSON.stringify(value))

const Case = Schema.Struct({
  name: Schema.String,
  selector: Schema.String,
  document: Schema.optional(Schema.Unknown),
  result: Schema.optional(Schema.Array(Schema.Unknown)),
  results: Schema.optional(Schema.Array(Schema.Array(Schema.Unknown))),
  invalid_selector: Schema.optional(Schema.Boolean)
})

/** The suite of github.com/jsonpath-standard/jsonpath-compliance-test-suite at commit 7be7c1f. Its license is beside it. */
const { tests } = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ tests: Schema.Array(Case) })))(
  readFileSync("test/support/files/jsonpath-compliance-tests.json", "utf8")
)

/** Refused by the suite, and accepted here: space around a path, and a name after a dot that needs quotes. */
const accepted = ["basic, no leading whitespace", "basic, no trailing whitespace", "basic, name shorthand, number"]

describe("the compliance suite of RFC 9535", () => {
  const valid = tests.filter((test) => test.invalid_selector !== true)
  it("finds what it says for each valid path", () => {
    expect(valid.length).toBeGreaterThan(450)
    for (const { document, name, result, results = [result ?? []], selector } of valid) {
      const found = selected(selector, document)
      const expected = results.map(asJson)
      // Most paths have one right order.
      expect([name, found]).toEqual([name, expected.find((one) => JSON.stringify(one) === JSON.stringify(found)) ?? expected[0]])
    }
  })

  it("refuses each invalid path, and says where it is wrong", () => {
    const invalid = tests.filter((test) => test.invalid_selector === true && !accepted.includes(test.name))
    expect(invalid.length).toBeGreaterThan(240)
    for (const { name, selector } of invalid) {
      expect([name, selected(selector, null)]).toEqual([name, expect.stringMatching(/^Invalid JSON path .* at (?:its end|")/s)])
    }
  })
})

describe("a path without `$` and quotes", () => {
  const root = {
    data: { items: [{ id: 7, "a.b": null, "content-type": "text" }], "my list": [1, 2] },
    "": 1,
    "@type": "x",
    "2xx": 5
  }

  it.each<[string, ReadonlyArray<unknown>]>([
    ["data.items[0].id", [7]],
    ["$.data.items[0].id", [7]],
    ["$['data'].items[0][\"a.b\"]", [null]],
    ["data.items[-1].id", [7]],
    ["data.items.0.id", [7]],
    ["data.items.length", [1]],
    ["data.items[0].content-type.length", [4]],
    ["data.items[0].content-type", ["text"]],
    ["data.items[*].content-type", ["text"]],
    ["data.items[?@.id == 7].content-type", ["text"]],
    ["data.my list[1]", [2]],
    ["data..id", [7]],
    ["..content-type", ["text"]],
    ["@type", ["x"]],
    ["2xx", [5]],
    ["$2xx", [5]],
    [" $.2xx ", [5]],
    [".data.items[0].id", [7]],
    ["[\"\"]", [1]],
    ["", [root]],
    ["$", [root]]
  ])("%s selects %j", (path, values) => expect(selected(path, root)).toEqual(asJson(values)))

  it.each([
    "constructor",
    "data.toString",
    "data.items[1]",
    "data.items[0].id.x",
    "__proto__",
    "data.items.01x",
    "data.items[0].id.length"
  ])(
    "%s selects nothing",
    (path) => expect(selected(path, root)).toEqual([])
  )

  it("reads every path of names and indexes that it prints", () => {
    fc.assert(fc.property(fc.array(fc.oneof(fc.string(), fc.nat(999))), (keys) => {
      const path = keys.map((key) => `[${JSON.stringify(key)}]`).join("")
      const document = keys.reduceRight<unknown>(
        (
          inner,
          key
        ) => (typeof key === "number" ? [...Array.from({ length: key }, () => 0), inner] : Object.fromEntries([[key, inner]])),
        "found"
      )
      expect(selected(path, document)).toEqual(["\"found\""])
    }))
  })

  it("has no other names in a path that may select several", () => {
    expect(selected("$..length", { a: [1, 2], b: { length: 3 } })).toEqual(["3"])
    expect(selected("$.*.0", { a: [1, 2] })).toEqual([])
  })
})

describe("a JSON path", () => {
  it.each([
    ["$.a[", "at its end: unclosed bracketed selection"],
    ["a.b.", "at its end: it ends too early"],
    ["items[?(@.x = 1)]", "at \"= 1)]\" (character 13): unexpected filter selector token '='"],
    ["$.a[?@.b ==]", "at \"]\" (character 12): unexpected end of expression"],
    ["$[?foo(@.a)]", "at \"foo(@.a)]\" (character 4): no such function 'foo'"],
    ["$[?length(@.*) == 1]", "at \"@.*) == 1]\" (character 11): length() argument 0 must be of ValueType"],
    ["a[x]", "at \"x]\" (character 3): unexpected token 'x' in bracketed selection"],
    ["[0]b", "at \"b\" (character 4)"],
    ["$[?match(@.a, '(')]", "the pattern of match() is invalid: error parsing regexp: missing closing )"],
    [
      "$[?search(@.a, '((x{1,100}){1,10})y')]",
      "the pattern of search() is invalid: The pattern \"((x{1,100}){1,10})y\" is too large"
    ]
  ])("%s is refused: %s", (path, problem) => expect(selected(path, null)).toContain(problem))

  it("compares numbers exactly in its filters", () => {
    const document =
      "{\"items\": [{\"id\": 9007199254740992}, {\"id\": 9007199254740993, \"v\": 1.10, \"w\": 1e400}, {\"id\": \"9007199254740993\"}]}"
    expect(selectedIn("$.items[?@.id == 9007199254740993].v", document)).toEqual(["1.10"])
    expect(selectedIn("$.items[?@.id > 9007199254740992].v", document)).toEqual(["1.10"])
    expect(selectedIn("$.items[?@.id <= 9007199254740992].id", document)).toEqual(["9007199254740992"])
    expect(selectedIn("$.items[?@.v == 1.1].id", document)).toEqual(["9007199254740993"])
    expect(selectedIn("$.items[?@.w > 1e399].id", document)).toEqual(["9007199254740993"])
    expect(selectedIn("$.items[?@.v == 1.1000000000000000000001].id", document)).toEqual([])
  })

  it("matches in linear time patterns that stall backtracking engines, also those of the answer", () => {
    const document = { texts: [`${"a".repeat(50_000)}b`, "aa"], pattern: "(a+)+" }
    expect(selected("$.texts[?match(@, '(a+)+')]", document)).toEqual(["\"aa\""])
    expect(selected("$.texts[?match(@, $.pattern)]", document)).toEqual(["\"aa\""])
    expect(selected("$.texts[?search(@, $.none)]", document)).toEqual([])
  })

  it("reads long lists and deep documents", () => {
    expect(selectedIn("$[*]", JSON.stringify(Array.from({ length: 300_000 }, () => 1)))).toHaveLength(300_000)
    expect(selectedIn("$..*", `${"[".repeat(500)}${"]".repeat(500)}`)).toHaveLength(499)
    expect(Either.getLeft(parseExactJson(`${"[".repeat(501)}${"]".repeat(501)}`))).toMatchObject({
      value: "nests more than 500 levels"
    })
  })

  it("never fails on any text", () => {
    const part = fc.constantFrom(
      "$",
      "@",
      ".",
      "..",
      "[",
      "]",
      "?",
      "*",
      "'a'",
      "\"",
      "a",
      "0",
      "-1",
      ":",
      ",",
      "(",
      ")",
      "==",
      "!",
      "&&",
      "match",
      " "
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""))
        ),
        fc.jsonValue(),
        (text, root) => {
          selected(text, root)
        }
      )
    )
  })
})
