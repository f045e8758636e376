import { expect, it } from "@effect/vitest"
import { counted } from "../../../../src/domain/tools/text/Counted.ts"

it.each([
  [0, "0 days"],
  [1, "1 day"],
  [2, "2 days"]
])("counts %d in words", (count, text) => {
  expect(counted(count, "day")).toBe(text)
})

it("takes the words of several things", () => {
  expect([1, 2].map((count) => counted(count, "person is", "people are"))).toEqual(["1 person is", "2 people are"])
})
