/** JSON that is parsed in steps has the value that JSON.parse gives it, and is refused where JSON.parse refuses it. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Option } from "effect"
import fc from "fast-check"
import { boundedJsonInSteps } from "../../../../src/domain/tools/json/JsonInSteps.ts"

const limits = { entries: 300_000, depth: 64 }

const inSteps = (text: string) => {
  const work = boundedJsonInSteps(text, limits)
  let steps = 1
  let step = work.next()
  while (step.done !== true) {
    steps++
    step = work.next()
  }
  return { result: step.value, steps }
}

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** By its text, which tells the order of keys, and `__proto__` from a prototype. */
const textOf = (result: ReturnType<typeof inSteps>["result"]) =>
  Either.match(result, { onLeft: (why) => why, onRight: JSON.stringify })
const expected = (text: string) =>
  Option.match(parse(text), { onNone: () => "invalid", onSome: (value) => JSON.stringify(value) })

/** So long that the container around it is taken apart. */
const filler = JSON.stringify("x".repeat(270_000))
const fillers = [
  filler,
  `[${filler}]`,
  `{"f": ${filler}}`,
  " ".repeat(270_000),
  `[${" ".repeat(270_000)}]`,
  `{"__proto__":[${filler}]}`
]

/** Texts that are JSON or nearly so, with long parts between their tokens. */
const token = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "[",
      "]",
      "{",
      "}",
      ",",
      ":",
      "\"k\":",
      "\"__proto__\":",
      "1",
      "-",
      "null",
      "\"\\\"",
      "\"\\\\\"",
      " ",
      "\u00a0"
    )
  },
  { weight: 1, arbitrary: fc.constantFrom(...fillers) }
)
const soup = fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(""))

/** Long containers of any values, nested, with white space, with repeated keys. */
const long: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.constantFrom(...fillers.filter((text) => text.trim() !== "")),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => `[ ${items.join(" ,\n")}]`),
    fc.array(fc.tuple(fc.constantFrom("a", "b", "__proto__", "7", "\\\"", "\\u0061"), tie("value")), { maxLength: 4 })
      .map((members) => `{${members.map(([key, value]) => ` "${key}" : ${value}`).join(",")}\t}`)
  )
})).value

/** A text with one character removed, repeated or replaced. */
const damaged = fc.tuple(long, fc.nat(), fc.constantFrom("", ",", "]", "}", "[", "\"", "1", ":")).map(([text, place, by]) => {
  // Long fillers hold most places; tokens stand outside of them.
  const places = [...text.matchAll(/[^x ]/g)].map(({ index }) => index)
  const at = places[place % Math.max(1, places.length)] ?? 0
  return `${text.slice(0, at)}${by}${text.slice(at + 1)}`
})

const agrees = (text: string): void => {
  expect(textOf(inSteps(text).result)).toBe(expected(text))
}

describe("JSON in steps", () => {
  it("has the value of JSON.parse", () => {
    fc.assert(fc.property(long, agrees), { numRuns: 300 })
  })

  it("is refused where JSON.parse refuses it", () => {
    fc.assert(fc.property(damaged, agrees), { numRuns: 500 })
    fc.assert(fc.property(soup, agrees), { numRuns: 1_000 })
    const space = " ".repeat(270_000)
    const texts = [
      `[${filler}1]`,
      `{"a":1[${filler}]}`,
      `{"a":-[${filler}]}`,
      `[[${filler}][${filler}]]`,
      `{"a":[${filler}][${filler}]}`,
      `[[${filler}] 1]`,
      `[[${filler}] 1,2]`,
      `[${filler},]`,
      `[,${filler}]`,
      `[${space},1]`,
      `[1,${space},${filler}]`,
      `{${space},"a":1}`
    ]
    for (const text of texts) {
      expect(expected(text)).toBe("invalid")
      agrees(text)
    }
  })

  it("takes many members in a few thousand characters at a time", () => {
    const items = Array.from({ length: 30_000 }, (_, index) => ({ id: index, name: `name ${index}` }))
    const keys = Object.fromEntries(items.map(({ id, name }) => [name, id]))
    for (const value of [items, keys, { items, keys }, [[items], [keys]]]) {
      const text = JSON.stringify(value)
      const { result, steps } = inSteps(text)
      expect(result).toEqual(Either.right(value))
      expect(steps).toBeGreaterThan(text.length / (2 * 64 * 1024))
    }
  })

  it("is refused for its entries or its depth before it is parsed", () => {
    const { result } = inSteps(`[${"1,".repeat(300_000)}`)
    expect(result).toEqual(Either.left("too many entries"))
    expect(inSteps(`${"[".repeat(65)}${filler}${"]".repeat(65)}`).result).toEqual(Either.left("too deep"))
    expect(Either.isRight(inSteps(`${"[".repeat(64)}${filler}${"]".repeat(64)}`).result)).toBe(true)
  })
})
