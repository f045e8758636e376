/** Holds the registry against the specification's list of operations. */
import { describe, expect, it } from "vitest"
import { operations } from "../../src/http/Operations.ts"
import specified from "./operations.json" with { type: "json" }

describe("the registry", () => {
  it("has only operations of the specification, each with its group, method, path, scope and success status", () => {
    for (const { group, id, method, path, scope, success } of operations) {
      const there = path.replace("/api/v1", "").replace(/:(\w+)/g, "{$1}")
      expect({ id, group, method, path: there, scope, success }).toEqual(specified.find((one) => one.id === id))
    }
    console.log(`${operations.length} of the ${specified.length} operations exist`)
  })

  it("names each operation once", () => {
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
  })
})
