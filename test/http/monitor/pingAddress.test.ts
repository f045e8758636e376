/** Which addresses are those of pings, and what they say. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { pingAddress } from "../../../src/http/monitor/PingAddress.ts"

const said = (url: string) => {
  const found = pingAddress(url)
  return found === null ? null : [found.form, found.token, found.suffix, found.query]
}

describe("the address of a ping", () => {
  it.each([
    ["/hb/abc", ["hb", "abc", null, null]],
    ["/ping/abc", ["ping", "abc", null, null]],
    ["/hb/abc/", ["hb", "abc", null, null]],
    ["/hb/abc//?", ["hb", "abc", null, ""]],
    ["/hb/abc/fail?rid=1?2", ["hb", "abc", "fail", "rid=1?2"]],
    ["/hb/abc?a=/fail", ["hb", "abc", null, "a=/fail"]],
    ["/hb/abc#x?y", ["hb", "abc", null, null]],
    ["/hb/%61bc/%31", ["hb", "abc", "1", null]],
    ["/%68b/abc", ["hb", "abc", null, null]],
    ["/hb/abc/%zz", ["hb", "abc", "%zz", null]],
    ["/hb/abc/done;ok", ["hb", "abc", "done;ok", null]],
    ["/ping/key/slug/start", ["ping", "key", "slug/start", null]],
    ["http://belltower.test/hb/abc/0?x", ["hb", "abc", "0", "x"]],
    ["/hb/", ["hb", "", null, null]]
  ])("is read from %s", (url, expected) => {
    expect(said(url)).toEqual(expected)
  })

  it.each([
    "",
    "*",
    "/",
    "/hb",
    "/hb?/hb/abc",
    "/hbx/abc",
    "/HB/abc",
    "//hb/abc",
    "/x/hb/abc",
    "/%/hb/abc",
    "/ping",
    "http://hb/abc"
  ])(
    "is not %s",
    (url) => {
      expect(said(url)).toBeNull()
    }
  )

  it.prop(
    "says the token, whatever follows it",
    [fc.stringMatching(/^[0-9A-Za-z]{24}$/), fc.string({ unit: "binary" })],
    ([token, rest]) => {
      expect(pingAddress(`/hb/${token}/${rest}`)?.token).toBe(token)
      expect(pingAddress(`/hb/${token}?${rest}`)?.token).toBe(token)
    }
  )
})
