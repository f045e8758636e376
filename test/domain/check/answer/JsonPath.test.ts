/** The supported subset of JSON path. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Option } from "effect"
import fc from "fast-check"
import { parseJsonPath, readJsonPath } from "../../../../src/domain/check/answer/AssertionCheck.ts"

const written = (path: ReadonlyArray<string | number>): string =>
  path.map((key) => (typeof key === "number" ? `[${key}]` : `[${JSON.stringify(key)}]`)).join("")

describe("a JSON path", () => {
  it("parses every path of names and indexes that it prints", () => {
    fc.assert(fc.property(fc.array(fc.oneof(fc.string(), fc.nat(999))), (path) => {
      expect(parseJsonPath(written(path))).toEqual(Either.right(path))
    }))
  })

  it("finds the value at its path", () => {
    const root = { data: { items: [{ id: 7, "a.b": null }] }, "": 1 }
    for (
      const [text, value] of [
        ["data.items[0].id", 7],
        ["$.data.items[0].id", 7],
        ["$['data'].items[0][\"a.b\"]", null],
        ["data.items.length", 1],
        ["", root],
        ["$", root]
      ] as const
    ) {
      expect([text, Either.map(parseJsonPath(text), (path) => readJsonPath(path, root))]).toEqual([
        text,
        Either.right(Option.some(value))
      ])
    }
  })

  it.each(["constructor", "data.toString", "data.items[1]", "data.items[0].id.x", "__proto__"])(
    "finds nothing at %s",
    (text) =>
      expect(Either.map(parseJsonPath(text), (path) => readJsonPath(path, { data: { items: [{ id: 7 }] } }))).toEqual(
        Either.right(Option.none())
      )
  )

  it.each(["a..b", ".a", "a[", "a[x]", "a[-1]", "[0]b", "a[\"b]", "a.", "[]"])(
    "cannot be %s",
    (text) => expect(Either.isLeft(parseJsonPath(text))).toBe(true)
  )

  it("never fails on any text", () => {
    fc.assert(fc.property(fc.string(), fc.jsonValue(), (text, root) => {
      Either.map(parseJsonPath(text), (path) => readJsonPath(path, root))
    }))
  })
})
