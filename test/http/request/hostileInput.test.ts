/** A stranger's request costs work in proportion to its size at most, whatever the operation and whatever the shape. */
import { HttpServerRequest } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import { allOperations, type Operation } from "../../../src/http/openapi/Operations.ts"
import { requestFields } from "../../../src/http/request/RequestFields.ts"
import { attacks, fieldsOf, numbered } from "../../support/hostile/HostileInputs.ts"
import { callCounter, callCounterOfEach } from "../../support/measure/WorkDone.ts"

/** The result of parsing and checking a body. */
const check = (operation: Operation, body: string) => {
  const { normalised } = requestFields(operation)
  const request = HttpServerRequest.fromWeb(
    new Request("http://belltower.test/", { method: "POST", body, headers: { "content-type": "application/json" } })
  )
  return Effect.flatMap(normalised(request, {}, {}), ({ body }) => body).pipe(Effect.sandbox, Effect.either)
}

const withPayload = allOperations.filter(({ payload }) => Option.isSome(payload))

describe("every operation", () => {
  it.scoped("checks what a stranger sends with work in proportion to its size at most", () =>
    Effect.gen(function*() {
      const callsOfEach = yield* callCounterOfEach
      for (const operation of withPayload) {
        const fields = fieldsOf(operation.payload)
        const attacked = (size: number) =>
          Effect.forEach(Object.values(attacks), (attack) => check(operation, JSON.stringify(attack(fields, size))))
        // The first round compiles and fills caches.
        yield* attacked(50)
        const [small = 0, large = Infinity] = yield* callsOfEach([attacked(500), attacked(2_000)])
        expect([operation.id, large < 5 * small]).toEqual([operation.id, true])
      }
    }))
})

/** The result of vetting and explaining a path and a query. */
const checkUrl = (operation: Operation, params: Readonly<Record<string, string>>, query: Readonly<Record<string, string>>) => {
  const { normalised, parts, vet } = requestFields(operation)
  const request = HttpServerRequest.fromWeb(new Request("http://belltower.test/"))
  return Effect.all([
    Effect.either(Effect.sandbox(normalised(request, params, query))),
    Effect.either(Effect.sandbox(vet({ params, query }))),
    Effect.sync(() => parts({ params, query }))
  ])
}

/** Texts for the known names, and as many unknown names. */
const hostileTexts = (names: ReadonlyArray<string>, size: number): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...names.map((name) => [name, `mon_${"a@.".repeat(size)} `]),
    ...Array.from({ length: size }, (_, index) => [`${names[index % names.length] ?? "x"}${index}`, "x"])
  ])

describe("every path and query", () => {
  it.scoped("costs work in proportion to its size at most", () =>
    Effect.gen(function*() {
      const callsOfEach = yield* callCounterOfEach
      for (const operation of allOperations) {
        const attacked = (size: number) =>
          checkUrl(operation, hostileTexts(fieldsOf(operation.pathParams), size), hostileTexts(fieldsOf(operation.query), size))
        yield* attacked(50)
        const [small = 0, large = Infinity] = yield* callsOfEach([attacked(250), attacked(1_000)])
        expect([operation.id, large < 5 * small]).toEqual([operation.id, true])
      }
    }))
})

describe("a body beyond all limits", () => {
  const [operation] = withPayload

  it.scoped("is refused before it is parsed, with its limit in the message", () =>
    Effect.gen(function*() {
      if (operation === undefined) return expect.unreachable()
      const callsOf = yield* callCounter
      const body = JSON.stringify(numbered(40_000, () => 1))
      expect(yield* callsOf(check(operation, body))).toBeLessThan(40_000)
      const refused = yield* check(operation, body)
      expect(JSON.stringify(Either.getOrNull(Either.flip(refused)))).toContain("more than 10000 fields")
    }))

  it.effect("reports at most 50 issues", () =>
    Effect.gen(function*() {
      if (operation === undefined) return expect.unreachable()
      const refused = yield* check(operation, JSON.stringify(numbered(9_000, () => 1)))
      const said = JSON.stringify(Either.getOrNull(Either.flip(refused)))
      expect(said.match(/"path"/g)?.length).toBe(50)
    }))
})
