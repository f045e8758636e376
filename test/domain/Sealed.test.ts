/** What is sealed opens under the same secret only, and only unchanged. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { seal, sealingKey, unseal } from "../../src/domain/Sealed.ts"

const nonce = fc.uint8Array({ minLength: 12, maxLength: 12 })

describe("sealing", () => {
  it("gives back what was sealed, whatever the text", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), nonce, (text, bytes) => {
      const key = sealingKey("one secret")
      expect(unseal(key, seal(key, bytes, text))).toBe(text)
    }))
  })

  it("opens neither under another secret nor after any change", () => {
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
