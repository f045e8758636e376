/** Secrets that people make up are refused however long they are; what is drawn at random is accepted. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { randomBytes, randomInt, randomUUID } from "node:crypto"
import { guessingBits, secretProblem } from "../../../src/domain/secret/SecretStrength.ts"

const madeUp = [
  "short",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  "passwordpassword",
  "PasswordPassword2026!",
  "p4ssw0rdp4ssw0rd",
  "changeme-changeme-changeme",
  "change-me-please-change-me",
  "0123456789abcdef",
  "0123456789abcdef0123456789abcdef",
  "123456789012345678901234567890",
  "qwertyuiopasdfghjklzxcvbnm",
  "1qaz2wsx3edc4rfv5tgb6yhn",
  "abcdefghijklmnopqrstuvwxyz",
  "00000000-0000-0000-0000-000000000000",
  "belltowerbelltowerbelltower",
  "my-super-secret-belltower-key",
  "thisisaverylongsecretkey",
  "the secret of this deployment",
  "another secret altogether",
  "a secret of the flow tests",
  "correct horse battery staple",
  "correcthorsebatterystaple",
  "to be or not to be that is the question",
  "bench".repeat(10),
  "s".repeat(64),
  "Company-Name-Production-2026",
  "secretsecretsecretsecret",
  "adminadminadminadmin1",
  "test".repeat(8),
  "zebras".repeat(6),
  "ab".repeat(32),
  "2026-11-26 2026-11-27 2026-11-28"
]

describe("a secret", () => {
  it.each(madeUp)("that somebody made up is refused: %s", (secret) => {
    expect(secretProblem(secret)).toMatch(/^must (have at least 16 characters|be harder to guess)\. Use a random one/)
  })

  const dice = ["cleft", "cam", "synod", "lacy", "yr", "wok", "gulp", "opt", "avert", "plume", "fjord", "knack", "oxide", "tweed"]
  const drawn = () =>
    Array.from({ length: 6 }, () => dice[randomInt(dice.length)] ?? "").filter((one, at, all) => all.indexOf(one) === at)

  it("that was drawn at random is accepted, in any of the usual forms", () => {
    for (let time = 0; time < 500; time++) {
      for (const bytes of [18, 24, 32, 64]) {
        for (const form of ["hex", "base64", "base64url"] as const) {
          const secret = randomBytes(bytes).toString(form)
          expect([secret, secretProblem(secret)]).toEqual([secret, null])
        }
      }
      expect(secretProblem(randomUUID())).toBeNull()
      const words = drawn()
      if (words.length === 6) {
        for (const between of [" ", "-", "."]) expect([words, secretProblem(words.join(between))]).toEqual([words, null])
      }
    }
  })

  it("of 16 random bytes may look like words by chance, but hardly ever does", () => {
    const refused = Array.from({ length: 2000 }, () => randomBytes(16).toString("base64url")).filter((one) =>
      secretProblem(one) !== null
    )
    expect(refused.length).toBeLessThan(3)
  })

  it("is worth no more by repeating it", () => {
    fc.assert(fc.property(fc.string({ minLength: 1, maxLength: 40 }), fc.integer({ min: 2, max: 5 }), (text, times) => {
      expect(guessingBits(text.repeat(times))).toBeLessThanOrEqual(guessingBits(text) + 23)
    }))
  })

  it("is judged in a time that does not depend on its length", () => {
    expect(guessingBits("x1".repeat(1_000_000))).toBe(guessingBits("x1".repeat(1_000)))
  })
})
