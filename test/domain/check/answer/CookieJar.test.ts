/** Which cookies a redirect chain keeps, and to which requests it sends them. */
import { describe, expect, it } from "@effect/vitest"
import { cookiesFor, emptyJar, keepCookies } from "../../../../src/domain/check/answer/CookieJar.ts"

const now = Date.parse("2026-11-22T00:00:00Z")
const from = new URL("https://shop.example.com/account/login")
const jar = (...headers: ReadonlyArray<string>) => keepCookies(emptyJar, from, headers, now)
const sent = (cookies: ReturnType<typeof jar>, url: string, own?: string) => cookiesFor(cookies, new URL(url), own)

describe("the cookies of a redirect chain", () => {
  it("go back to their host and path only", () => {
    const cookies = jar("a=1", "b=2; Path=/", "c=3; Domain=example.com; Path=/")
    expect(sent(cookies, "https://shop.example.com/account/next")).toBe("a=1; b=2; c=3")
    expect(sent(cookies, "https://shop.example.com/accounting")).toBe("b=2; c=3")
    expect(sent(cookies, "https://www.example.com/")).toBe("c=3")
    expect(sent(cookies, "https://example.org/")).toBeNull()
  })

  it("never speak for a host that did not set them, nor for a top-level domain", () => {
    expect(jar("a=1; Domain=other.example", "b=2; Domain=com", "c=3; Domain=ample.com")).toEqual([])
  })

  it("stay off unencrypted requests if they are secure", () => {
    expect(sent(jar("a=1; Secure; Path=/"), "http://shop.example.com/")).toBeNull()
  })

  it("replace each other, end with their time, and replace the monitor's own of the same name", () => {
    const cookies = keepCookies(jar("a=1; Path=/", "b=2; Path=/"), from, ["a=9; Path=/", "b=; Max-Age=0; Path=/"], now)
    expect(sent(cookies, "https://shop.example.com/", "a=own; z=26")).toBe("z=26; a=9")
    expect(jar("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT")).toEqual([])
  })

  it("are bounded in number and size", () => {
    expect(jar(...Array.from({ length: 500 }, (_, index) => `n${index}=1`))).toHaveLength(50)
    expect(jar(`a=${"x".repeat(5000)}`)).toEqual([])
  })
})
