/** The difference of two texts tells both of them. */
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { lineDifference } from "../../../src/domain/incident/LineDifference.ts"

const text = fc.array(fc.constantFrom("", "a", "b", "c", "- d"), { maxLength: 30 }).map((lines) => lines.join("\n"))

const sideOf = (before: string, after: string, change: "added" | "removed"): string =>
  lineDifference(before, after).flatMap((one) => (one.change === "same" || one.change === change ? [one.line] : [])).join("\n")

describe("the difference of two texts", () => {
  it("holds the old text and the new one", () => {
    fc.assert(fc.property(text, text, (before, after) => {
      expect(sideOf(before, after, "removed")).toBe(before)
      expect(sideOf(before, after, "added")).toBe(after)
    }))
  })

  it("marks nothing in equal texts, and only the lines that differ in others", () => {
    fc.assert(fc.property(text, (same) => {
      expect(lineDifference(same, same).every(({ change }) => change === "same")).toBe(true)
    }))
    expect(lineDifference("a\nb\nc", "a\nx\nc")).toEqual([
      { change: "same", line: "a" },
      { change: "removed", line: "b" },
      { change: "added", line: "x" },
      { change: "same", line: "c" }
    ])
  })

  it("of large texts is coarser but true", () => {
    const [before, after] = ["a", "b"].map((letter) => Array.from({ length: 1500 }, (_, line) => `${letter}${line}`).join("\n"))
    expect([sideOf(before ?? "", after ?? "", "removed"), sideOf(before ?? "", after ?? "", "added")]).toEqual([before, after])
  })
})
