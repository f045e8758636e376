/** Which parts of URLs and texts are masked, and which are left as they are. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { mask } from "../../../schema/Mask.ts"
import { maskUrl, maskUrls, urlSecrets } from "../../../src/domain/secret/UrlSecrets.ts"

const secretNames = ["token", "key", "secret", "sig", "password", "auth", "access_token", "X-Amz-Signature", "apiKey", "api-key"]
const plainNames = ["page", "monkey", "q", "design", "author", "compass"]
const key = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"

describe("the mask of a URL", () => {
  it.each(secretNames)("covers the parameter %s, in the query and in the fragment", (name) => {
    expect(maskUrl(`https://a.test/p?x=1&${name}=hunter2&y=2`)).toBe(`https://a.test/p?x=1&${name}=${mask}&y=2`)
    expect(maskUrl(`https://a.test/p#${name}=hunter2`)).toBe(`https://a.test/p#${name}=${mask}`)
  })

  it.each(plainNames)("leaves the parameter %s unless its value looks like a key", (name) => {
    const url = `https://a.test/p?${name}=42`
    expect(maskUrl(url)).toBe(url)
    expect(maskUrl(`https://a.test/p?${name}=${key}`)).toBe(`https://a.test/p?${name}=${mask}`)
  })

  it.each([
    ["https://joe:hunter2@a.test/", `https://${mask}@a.test/`],
    ["postgres://joe:p@ss@db.test:5432/app", `postgres://${mask}@db.test:5432/app`],
    ["https://hooks.a.test/services/T0/AbCdEf0123456789GhIjKl", `https://hooks.a.test/services/T0/${mask}`],
    ["https://a.test/?next=https%3A%2F%2Fb.test%2F%3Ftoken%3Dhunter2", `https://a.test/?next=${mask}`],
    ["https://a.test/?tok%65n=hunter2", `https://a.test/?tok%65n=${mask}`],
    [`https://a.test/?${key}`, `https://a.test/?${mask}`]
  ])("covers what is secret in %s", (url, shown) => {
    expect(maskUrl(url)).toBe(shown)
  })

  it.each([
    "https://a.test/@joe/550e8400-e29b-41d4-a716-446655440000?v=1.2.3&token=",
    "https://shop.example.com:8443/health-check/checkout-service-production-eu-west-1?at=2026-11-22T01:02:03Z",
    "https://a.test/%E0%A4%A?x=%ZZ"
  ])("leaves %s", (url) => {
    expect(maskUrl(url)).toBe(url)
  })

  it("hides each secret, leaves a URL, and masks nothing twice", () => {
    const parameter = fc.tuple(fc.constantFrom(...secretNames), fc.stringMatching(/^[\w.~%-]{1,40}$/))
    fc.assert(fc.property(fc.webUrl(), fc.array(parameter, { minLength: 1, maxLength: 5 }), (base, parameters) => {
      const url = `${base}?${parameters.map(([name, value]) => `${name}=${value}`).join("&")}`
      const shown = maskUrl(url)
      expect(shown.split("?")[1]).toBe(parameters.map(([name]) => `${name}=${mask}`).join("&"))
      expect(URL.canParse(shown)).toBe(true)
      expect(maskUrl(shown)).toBe(shown)
      expect(urlSecrets(url)).toEqual(expect.arrayContaining(parameters.map(([, value]) => value)))
      expect(urlSecrets(shown)).toEqual([])
    }))
  })
})

describe("a text", () => {
  it.each([
    ["GET https://a.test/p?token=hunter2: 500", `GET https://a.test/p?token=${mask}: 500`],
    ["Moved (see https://a.test/?sig=abc).", `Moved (see https://a.test/?sig=${mask}).`],
    ["GET /status?token=hunter2 failed", `GET /status?token=${mask} failed`],
    ["connect postgres://joe:hunter2@db.test/app refused", `connect postgres://${mask}@db.test/app refused`],
    ["Expected status 200-299, got 503", "Expected status 200-299, got 503"]
  ])("%s shows no secret of its URLs", (text, shown) => {
    expect(maskUrls(text)).toBe(shown)
    expect(maskUrls(shown)).toBe(shown)
  })
})
