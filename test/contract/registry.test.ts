/** Compares the registry with the specification's list of operations and the list of additional ones. */
import { describe, expect, it } from "vitest"
import { operations } from "../../src/http/openapi/Operations.ts"
import beyond from "./beyond.json" with { type: "json" }
import specified from "./operations.json" with { type: "json" }

describe("the registry", () => {
  it("contains only the listed operations, each with its group, method, path, scope and success status", () => {
    for (const { group, id, method, path, scope, success } of operations) {
      const there = path.replace("/api/v1", "").replace(/:(\w+)/g, "{$1}")
      const listed = [...specified, ...beyond].find((one) => one.id === id)
      expect(listed, id).toMatchObject({ id, group, method, path: there, scope, success })
    }
    const known = operations.filter(({ id }) => specified.some((one) => one.id === id))
    console.log(`${known.length} of the ${specified.length} operations of the specification exist`)
  })

  it("names each operation once", () => {
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
  })
})
