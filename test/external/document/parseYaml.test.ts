/** YAML of strangers: large maps, repeated keys, and many texts that wait for a thread. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { parseYaml } from "../../../src/external/document/ParseYaml.ts"
import { WorkOwner } from "../../../src/loops/WorkPriority.ts"

const parsedFor = (owner: string, text: string) => Effect.provideService(parseYaml(text), WorkOwner, owner)

const whyRefused = (text: string) => Effect.map(Effect.flip(parsedFor("one", text)), ({ message }) => message)

describe("A YAML text", () => {
  it.live("with a map of a hundred thousand keys is read within the deadline", () =>
    Effect.gen(function*() {
      const keys = Array.from({ length: 100_000 }, (_, at) => `k${at}: 1\n`).join("")
      expect(Object.keys(JSON.parse(yield* parsedFor("one", keys)))).toHaveLength(100_000)
    }), 30_000)

  it.live("with a repeated key is refused with the place of the repetition", () =>
    Effect.gen(function*() {
      const at = (line: number, column: number) => `Map keys must be unique at line ${line}, column ${column}:`
      expect(yield* whyRefused("a: 1\nb: 2\na: 3\n")).toBe(at(3, 1))
      expect(yield* whyRefused("a: 1\nb: {x: 1, \"x\": 2}\na: 3\n")).toBe(at(2, 11))
      expect(yield* whyRefused("- {c: 1}\n- c: 1\n  d: 2\n  c: 3\n")).toBe(at(4, 3))
      expect(yield* whyRefused("x: &x {a: 1}\ny: {<<: *x, <<: *x}\n")).toBe(at(2, 13))
      expect(JSON.parse(yield* parsedFor("one", "x: &x {a: 1}\ny: {<<: *x, a: 2}\n"))).toEqual({ x: { a: 1 }, y: { a: 2 } })
    }), 30_000)

  it.live("that is two, or has an alias of nothing, is refused in words for its author", () =>
    Effect.gen(function*() {
      expect(yield* whyRefused("a: 1\n---\nb: 2\n")).toBe("A second YAML document begins at line 2. Give one document")
      expect(yield* whyRefused("a: &x 1\nb: [*x, *.example.com]\n")).toBe(
        "No &.example.com is before *.example.com at line 2, column 9. Put a text that begins with * in quotes"
      )
      expect(yield* whyRefused("a: *x\nb: &x 1\n")).toContain("No &x is before *x at line 1, column 4")
      expect(JSON.parse(yield* parsedFor("one", "---\na: &x 1\nb: *x\n...\n"))).toEqual({ a: 1, b: 1 })
    }), 30_000)

  it.live(
    "of a workspace that sends many waits for no more than one of them, and is refused when too many wait",
    () =>
      Effect.gen(function*() {
        const slow = Array.from({ length: 250_000 }, (_, at) => `k${at}: 1\n`).join("")
        const ended: Array<string> = []
        const texts = Array.from({ length: 4 }, () => Effect.tap(parsedFor("busy", slow), () => ended.push("busy")))
        const busy = yield* Effect.forEach(texts, (text) => Effect.fork(text))
        yield* Effect.yieldNow()
        const refused = yield* Effect.flip(parsedFor("busy", "a: 1"))
        expect(refused._tag).toBe("unavailable")
        // The others take seconds, one after another.
        yield* Effect.tap(parsedFor("quiet", "a: 1"), () => ended.push("quiet"))
        expect(ended).toEqual(["quiet"])
        yield* Fiber.interruptAll(busy)
      }),
    60_000
  )
})
