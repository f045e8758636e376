/** Pure parts of probing: redirects, secrets, buffers, canaries and texts for the database. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import fc from "fast-check"
import { isSameParty } from "../../../../src/domain/check/answer/Redirect.ts"
import { maskCookie, maskSecrets, secretsOf } from "../../../../src/domain/check/answer/SecretMask.ts"
import { parseCanary } from "../../../../src/domain/check/probe/Canary.ts"
import { makeBoundedBuffer } from "../../../../src/domain/tools/queues/BoundedBuffer.ts"
import { storable } from "../../../../src/domain/tools/text/Storable.ts"

describe("a bounded buffer", () => {
  it("keeps the latest items in order and reports when it drops one", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.nat(), fc.record({ take: fc.nat(7) }))),
        fc.integer({ min: 1, max: 8 }),
        (steps, capacity) => {
          const buffer = makeBoundedBuffer<number>({ items: capacity, bytes: Infinity, weigh: () => 1 })
          let model: Array<number> = []
          for (const step of steps) {
            if (typeof step === "number") {
              expect(buffer.offer(step)).toBe(model.length < capacity ? 0 : 1)
              model = [...model, step].slice(-capacity)
            } else {
              expect(buffer.take(step.take)).toEqual(model.slice(0, step.take))
              model = model.slice(step.take)
            }
            expect(buffer.size()).toBe(model.length)
          }
        }
      )
    )
  })
})

describe("a buffer bounded in bytes", () => {
  it("holds no more than its limit, except for one item that is larger, and counts what it holds", () => {
    fc.assert(fc.property(fc.array(fc.oneof(fc.nat(50), fc.record({ take: fc.nat(3) }))), (steps) => {
      const buffer = makeBoundedBuffer<number>({ items: 100, bytes: 60, weigh: (item) => item })
      let held: Array<number> = []
      for (const step of steps) {
        if (typeof step === "number") {
          held = [...held, step]
          held = held.slice(buffer.offer(step))
        } else {
          const taken = buffer.take(step.take)
          expect(taken).toEqual(held.slice(0, step.take))
          held = held.slice(step.take)
          if (step.take === 2) held = [...taken, ...held].slice(buffer.putBack(taken))
        }
        expect(buffer.bytes()).toBe(held.reduce((sum, item) => sum + item, 0))
        expect(buffer.size() <= 1 || buffer.bytes() <= 60).toBe(true)
      }
    }))
  })
})

describe("secrets", () => {
  it("never remain in a masked text", () => {
    fc.assert(fc.property(fc.array(fc.stringMatching(/^[!-Z]{6,20}$/)), fc.string(), (secrets, filler) => {
      const sorted = secretsOf(Object.fromEntries(secrets.map((value, index) => [`x-${index}`, value])))
      const masked = maskSecrets(sorted, secrets.join(filler))
      for (const secret of secrets) expect(masked.split("[hidden]").some((part) => part.includes(secret))).toBe(false)
    }))
  })

  it("include a token without its scheme, but no text that identifies a client", () =>
    expect(secretsOf({ authorization: "Bearer abc", "user-agent": "x", accept: "y" })).toEqual(["Bearer abc", "abc"]))

  it("in cookies are hidden up to the attributes", () => expect(maskCookie("sid=a=b; Path=/")).toBe("sid=[hidden]; Path=/"))
})

describe("texts for the database", () => {
  it("contain no NUL and no lone surrogate, and are otherwise unchanged", () => {
    expect(storable("a\0b\ud800c😀")).toBe("a\ufffdb\ufffdc😀")
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(encodeURIComponent(storable(text))).not.toContain("%00")
    }))
  })
})

describe("a redirect", () => {
  it.each([
    ["http://a.example/", "https://a.example/x", true],
    ["https://a.example/", "http://a.example/", false],
    ["http://a.example:8080/", "https://a.example/", false],
    ["https://a.example/", "https://b.example/", false],
    ["https://a.example/", "https://a.example:443/", true]
  ])(
    "from %s to %s stays with the same party: %s",
    (from, to, same) => expect(isSameParty(new URL(from), new URL(to))).toBe(same)
  )
})

describe("a canary", () => {
  it.each([["one.one.one.one:53", "one.one.one.one", 53], ["https://example.com/x", "example.com", 443], [
    "[::1]:80",
    "::1",
    80
  ]])(
    "can be written as %s",
    (text, host, port) => expect(parseCanary(text)).toEqual(Either.right({ host, port }))
  )
  it.each(["example.com", "", ":53", "a:0", "a:b"])(
    "cannot be \"%s\"",
    (text) => expect(Either.isLeft(parseCanary(text))).toBe(true)
  )
})
