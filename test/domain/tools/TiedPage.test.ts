/** The laws of pages that go on before a time. */
import { expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { tiedPage } from "../../../src/domain/tools/TiedPage.ts"

const most = 3

it.prop("pages that go on before the time of the last entry contain every entry once, and none is empty", [
  // How many entries there are of each time, the newest first.
  fc.array(fc.integer({ min: 1, max: most }), { maxLength: 20 }),
  fc.integer({ min: 1, max: 7 })
], ([counts, limit]) => {
  const all = counts.flatMap((count, index) => Array.from({ length: count }, () => counts.length - index))
  const seen: Array<number> = []
  for (let before = Infinity;;) {
    const read = limit + most
    const { goesOn, page } = tiedPage(all.filter((at) => at < before).slice(0, read), limit, read, (at) => at)
    expect(page.length).toBeLessThan(limit + most)
    seen.push(...page)
    if (!goesOn) break
    expect(page.length).toBeGreaterThanOrEqual(limit)
    before = page.at(-1) ?? 0
  }
  expect(seen).toEqual(all)
})
