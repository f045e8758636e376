/** Hosts that are private as they are written, in every spelling. */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { isPublic, parseAllowList, privateHost } from "../../../../src/domain/check/address/Egress.ts"

const allow = (text: string) => Either.getOrThrow(parseAllowList(text))

const byte = fc.integer({ min: 0, max: 255 })

describe("a host", () => {
  it("is private in any spelling of a private address, and the refusal names the plain one", () => {
    for (const host of ["10.0.0.1", "0xa.0.0.1", "012.0.0.1", "10.1", "167772161", "10.0.0.1.", "0X0A000001"]) {
      expect([host, privateHost([], host)]).toEqual([host, expect.stringMatching(/^10\.0\.0\.1$/)])
    }
    for (const host of ["::1", "[::1]", "fd00::1", "::ffff:10.0.0.1", "[::ffff:a00:1]", "64:ff9b::10.0.0.1", "fe80::1"]) {
      expect([host, privateHost([], host)]).not.toEqual([host, null])
    }
    for (const host of ["localhost", "LOCALHOST.", "a.localhost", "localhost.localdomain"]) {
      expect([host, privateHost([], host)]).not.toEqual([host, null])
    }
  })

  it("is not private as a name, a public address, or one that the operator allows", () => {
    for (const host of ["example.com", "intranet", "10.example.com", "localhost.example.com", "8.8.8.8", "2606:4700::1111"]) {
      expect([host, privateHost([], host)]).toEqual([host, null])
    }
    expect(privateHost(allow("10.0.0.0/8"), "167772161")).toBe(null)
    expect(privateHost(allow("127.0.0.0/8"), "localhost")).toBe(null)
    expect(privateHost(allow("::1/128"), "localhost")).toBe(null)
    expect(privateHost(allow("10.0.0.0/8"), "localhost")).toBe("localhost")
  })

  it("is judged as the egress guard judges its address, whatever the spelling", () => {
    fc.assert(fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      const plain = `${a}.${b}.${c}.${d}`
      const hex = `0x${[a, b, c, d].map((one) => one.toString(16).padStart(2, "0")).join("")}`
      for (const spelt of [plain, hex, String(Number(hex)), `[::ffff:${plain}]`]) {
        expect([spelt, privateHost([], spelt) === null]).toEqual([spelt, isPublic(plain)])
      }
    }))
  })
})
