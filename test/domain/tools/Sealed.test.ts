/** A sealed text opens only with the same secret and only if it is unchanged. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { seal, sealingKey, unseal } from "../../../src/domain/tools/Sealed.ts"

const nonce = fc.uint8Array({ minLength: 12, maxLength: 12 })

describe("sealing", () => {
  it("returns the original text, whatever it is", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), nonce, (text, bytes) => {
      const key = sealingKey("one secret")
      expect(unseal(key, seal(key, bytes, text))).toBe(text)
    }))
  })

  it("fails to open with another secret or after any change", () => {
    fc.assert(fc.property(fc.string({ minLength: 1 }), nonce, fc.nat(), (text, bytes, at) => {
      const key = sealingKey("one secret")
      const sealed = seal(key, bytes, text)
      expect(() => unseal(sealingKey("another"), sealed)).toThrow()
      const raw = Buffer.from(sealed, "base64")
      const index = at % raw.length
      raw[index] = (raw[index] ?? 0) ^ 1
      expect(() => unseal(key, raw.toString("base64"))).toThrow()
    }))
  })
})
