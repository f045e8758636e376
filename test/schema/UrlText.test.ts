/** URLs in texts are read the same way however often that happens. */
import { describe, expect, it } from "@effect/vitest"
import { parsedUrl, webUrl } from "../../schema/UrlText.ts"

describe("A URL in a text", () => {
  it("with letters beyond ASCII is read after many calls as at the first one", () => {
    // `URL.canParse` of Node 20 and 22 fails this after some thousand calls.
    for (let call = 0; call < 50_000; call++) {
      if (parsedUrl("https://bücher.example/Öl")?.href !== "https://xn--bcher-kva.example/%C3%96l") expect(call).toBe(-1)
      if (parsedUrl("/Öl", "https://bücher.example")?.pathname !== "/%C3%96l") expect(call).toBe(-1)
    }
  })

  it("is null for anything else", () => {
    expect(["", "example.com", "http://", "http://[::1", "https://a b/"].map((text) => parsedUrl(text))).toEqual([
      null,
      null,
      null,
      null,
      null
    ])
  })

  it("of the web has a scheme of the web", () => {
    expect(["http://a.example", "HTTPS://a.example", "ws://a.example", "javascript:0", "/a"].map((text) => webUrl(text)?.href))
      .toEqual(
        ["http://a.example/", "https://a.example/", undefined, undefined, undefined]
      )
    expect(webUrl("/a", "https://b.example")?.href).toBe("https://b.example/a")
  })
})
