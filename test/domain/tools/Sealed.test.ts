/** A sealed text opens only with the same secret, in the same place, and only if it is unchanged. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { open, seal, secretKeys } from "../../../src/domain/tools/Sealed.ts"
import { formerlySealed } from "../../support/database/FormerlySealed.ts"

const nonce = fc.uint8Array({ minLength: 12, maxLength: 12 })
const place = fc.uint8Array({ maxLength: 60 })

const [keys, others] = [secretKeys("one secret"), secretKeys("another")]

describe("sealing", () => {
  it("returns the original text, whatever it is", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), nonce, place, (text, bytes, about) => {
      expect(open(keys, about, seal(keys, bytes, about, text))).toBe(text)
    }))
  })

  it("fails to open with another secret, in another place, or after any change", () => {
    fc.assert(fc.property(fc.string({ minLength: 1 }), nonce, place, place, fc.nat(), (text, bytes, about, elsewhere, at) => {
      const sealed = seal(keys, bytes, about, text)
      expect(open(others, about, sealed)).toBeNull()
      if (!Buffer.from(about).equals(elsewhere)) expect(open(keys, elsewhere, sealed)).toBeNull()
      const index = at % sealed.length
      const digit = sealed[index] === "A" ? "B" : "A"
      const changed = sealed.slice(0, index) + digit + sealed.slice(index + 1)
      // The last digit of base64 can have bits that stand for nothing.
      expect([null, text]).toContain(open(keys, about, changed))
      if (index < sealed.length - 1) expect(open(keys, about, changed)).toBeNull()
    }))
  })

  it("opens what the first version has sealed, with its secret alone and unchanged", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), place, fc.nat(), (text, about, at) => {
      const sealed = formerlySealed("one secret", text)
      expect(open(keys, about, sealed)).toBe(text)
      expect(open(others, about, sealed)).toBeNull()
      const raw = Buffer.from(sealed, "base64")
      const index = at % raw.length
      raw[index] = (raw[index] ?? 0) ^ 1
      expect(open(keys, about, raw.toString("base64"))).toBeNull()
    }))
  })
})
