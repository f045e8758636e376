/** Two-factor authentication: one-time passwords as apps generate them, and recovery codes as people type them. */
import { describe, expect, it } from "@effect/vitest"
import { Option } from "effect"
import * as fc from "fast-check"
import { canonicalRecoveryCode, recoveryCodeOf } from "../../../src/domain/people/RecoveryCode.ts"
import { codeAt, matchingStep, secretText, setupUri, stepOf } from "../../../src/domain/people/Totp.ts"

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const instants = fc.integer({ min: 90_000, max: 4_000_000_000_000 })

describe("a one-time password", () => {
  it("is the one of RFC 6238, appendix B, in six digits", () => {
    const secret = new TextEncoder().encode("12345678901234567890")
    const known = [[59, "287082"], [1_111_111_109, "081804"], [1_234_567_890, "005924"], [20_000_000_000, "353130"]] as const
    for (const [second, code] of known) expect(codeAt(secret, second * 1000)).toBe(code)
  })

  it("is valid one step before and after its own, and no further", () => {
    fc.assert(fc.property(bytes(20), instants, fc.integer({ min: -3, max: 3 }), (secret, now, off) => {
      const then = now + off * 30_000
      const step = matchingStep(secret, codeAt(secret, then), now, null)
      // Two steps of one secret may share a code: any match lies within the window.
      if (Math.abs(off) <= 1) expect(Option.isSome(step)).toBe(true)
      if (Option.isSome(step)) expect(Math.abs(step.value - stepOf(now))).toBeLessThanOrEqual(1)
    }))
  })

  it("is accepted once: neither it nor an older one is accepted again", () => {
    fc.assert(fc.property(bytes(20), instants, (secret, now) => {
      const used = stepOf(now)
      const again = matchingStep(secret, codeAt(secret, now), now, used)
      if (Option.isSome(again)) expect(again.value).toBeGreaterThan(used)
      expect(Option.filter(matchingStep(secret, codeAt(secret, now - 30_000), now, used), (step) => step <= used)).toEqual(
        Option.none()
      )
    }))
  })

  it("may be typed with spaces, but has six digits", () => {
    const secret = new Uint8Array(20)
    const code = codeAt(secret, 1_000_000)
    expect(Option.isSome(matchingStep(secret, ` ${code.slice(0, 3)} ${code.slice(3)} `, 1_000_000, null))).toBe(true)
    for (const wrong of ["", "12345", `${code}0`, "abcdef", "１２３４５６"]) {
      expect(matchingStep(secret, wrong, 1_000_000, null)).toEqual(Option.none())
    }
  })

  it("is set up with a URL that names the account and contains the secret", () => {
    const secret = new Uint8Array(20).fill(7)
    const uri = new URL(setupUri(secret, "ada+x@example.com"))
    expect(decodeURIComponent(uri.pathname)).toBe("/Belltower:ada+x@example.com")
    expect(uri.searchParams.get("secret")).toBe(secretText(secret))
    expect(uri.searchParams.get("issuer")).toBe("Belltower")
  })
})

describe("a recovery code", () => {
  it("is recognised however it is typed", () => {
    fc.assert(fc.property(bytes(16), fc.constantFrom(" ", "-", ""), (random, between) => {
      const code = recoveryCodeOf(random)
      expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/)
      const plain = code.replaceAll("-", "")
      const typed = ` ${code.replaceAll("-", between).toUpperCase().replaceAll("0", "O").replaceAll("1", "l")} `
      expect(canonicalRecoveryCode(typed)).toBe(plain)
    }))
  })

  it("is rejected in any other form", () => {
    for (
      const wrong of ["", "123456", "aaaa-bbbb-cccc", "aaaa-bbbb-cccc-dddd-eeee", "aaaa-bbbb-cccc-ddd!", "uuuu-uuuu-uuuu-uuuu"]
    ) {
      expect(canonicalRecoveryCode(wrong)).toBeNull()
    }
  })
})
