/** An edit that sends back what a record shows changes nothing; an edit of one header changes only that. */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { mask } from "../../../../schema/Mask.ts"
import { keptSecrets, keptUrl, shownSecrets, type View } from "../../../../src/domain/monitor/settings/MaskedSettings.ts"
import { holdsSecret } from "../../../../src/domain/secret/HeldSecrets.ts"
import { maskUrl } from "../../../../src/domain/secret/UrlSecrets.ts"

const name = fc.oneof(
  fc.constantFrom("Authorization", "Cookie", "X-Api-Key", "Accept", "X-Request-Id", "X-Auth-Token"),
  fc.stringMatching(/^[A-Za-z][A-Za-z-]{0,20}$/)
)
const value = fc.oneof(fc.string(), fc.constantFrom("Bearer abc", "text/html", "sk_live_4eC39HqLyjWDarjtT1zdp7dc", "sid=1"))
  .filter((text) => !text.includes(mask))
const secrets = fc.record({
  headers: fc.dictionary(name, value, { maxKeys: 8 }),
  body: fc.option(fc.oneof(value, fc.json()).filter((text) => !text.includes(mask)), { nil: null }),
  clientKey: fc.option(value, { nil: null }),
  clientSecret: fc.option(value, { nil: null })
})

describe("the headers and body that a record shows", () => {
  it("keep every stored value when they are sent back, by a writer and as a list shows them", () => {
    fc.assert(fc.property(secrets, fc.constantFrom<View>("writer", "reader"), (stored, view) => {
      expect(keptSecrets(shownSecrets(view, stored), stored)).toEqual(Either.right(stored))
      expect(keptSecrets({}, stored)).toEqual(Either.right(stored))
    }))
  })

  it("change only in the values that are replaced", () => {
    fc.assert(fc.property(secrets, value, (stored, replacement) => {
      const [first] = Object.keys(stored.headers)
      if (first === undefined) return
      const edited = { headers: { ...shownSecrets("writer", stored).headers, [first]: replacement } }
      expect(keptSecrets(edited, stored)).toEqual(
        Either.right({ ...stored, headers: { ...stored.headers, [first]: replacement } })
      )
    }))
  })

  it("keep a value whose header is sent back in another case", () => {
    const rest = { body: null, clientKey: null, clientSecret: null }
    expect(keptSecrets({ headers: { authorization: mask } }, { headers: { Authorization: "Bearer x" }, ...rest })).toEqual(
      Either.right({ headers: { authorization: "Bearer x" }, ...rest })
    )
  })

  it("keep a URL that is sent back as readers and events show it", () => {
    const url = "https://shop.test/?token=hunter2&page=2"
    expect(keptUrl(maskUrl(url), url)).toEqual(Either.right(url))
    expect(Either.isLeft(keptUrl(maskUrl(url), "https://shop.test/"))).toBe(true)
  })
})

describe("a body", () => {
  it.each([
    "{\"password\":\"hunter2\"}",
    "{ \"auth\" : { \"clientSecret\" : \"x1y2\" } }",
    "user=joe&passwd=hunter2",
    "<login><password>hunter2</password></login>",
    "--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nhunter2\r\n--x--",
    "key ghp_16C7e42F292c6912E7710c838347Ae178B4a"
  ])("holds a secret: %s", (body) => {
    expect(holdsSecret(body)).toBe(true)
  })

  it.each(["{\"query\":\"{ stock { count } }\",\"page\":2}", "a=1&b=two", "<order id=\"7\"><item>Tea</item></order>", ""])(
    "holds none: %s",
    (body) => {
      expect(holdsSecret(body)).toBe(false)
    }
  )
})
