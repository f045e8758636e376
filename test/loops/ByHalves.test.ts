/** Items that make the work fail are left out one by one, whatever their places; the others are done once, in their order. */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, FastCheck } from "effect"
import { byHalves } from "../../src/loops/ByHalves.ts"

const attempt = (items: ReadonlyArray<{ readonly id: number; readonly isBad: boolean }>) =>
  Effect.gen(function*() {
    const done: Array<number> = []
    const leftOut: Array<number> = []
    let tries = 0
    yield* byHalves(items, {
      work: (part) => {
        tries += 1
        if (part.some(({ isBad }) => isBad)) return Effect.fail("content")
        done.push(...part.map(({ id }) => id))
        return Effect.void
      },
      isTheirFault: (cause) => Cause.squash(cause) === "content",
      leaveOut: ({ id }) => Effect.sync(() => leftOut.push(id))
    })
    return { done, leftOut, tries }
  })

describe("work by halves", () => {
  it.effect.prop(
    "does all but the items at fault",
    { faults: FastCheck.array(FastCheck.boolean(), { maxLength: 40 }) },
    ({ faults }) =>
      Effect.gen(function*() {
        const items = faults.map((isBad, id) => ({ id, isBad }))
        const { done, leftOut, tries } = yield* attempt(items)
        const idsWhere = (isBad: boolean) => items.filter((item) => item.isBad === isBad).map(({ id }) => id)
        expect([done, leftOut]).toEqual([idsWhere(false), idsWhere(true)])
        const bad = leftOut.length
        expect(tries).toBeLessThanOrEqual(items.length === 0 ? 0 : 1 + 2 * bad * Math.ceil(Math.log2(items.length)))
      })
  )

  it.effect("ends with a failure that is not theirs, and leaves nothing out", () =>
    Effect.gen(function*() {
      const leftOut: Array<number> = []
      const exit = yield* Effect.exit(byHalves([1, 2, 3], {
        work: () => Effect.fail("away"),
        isTheirFault: () => false,
        leaveOut: (item) => Effect.sync(() => leftOut.push(item))
      }))
      expect([exit, leftOut]).toEqual([Exit.fail("away"), []])
    }))
})
