/** Addresses as people type and paste them. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { parsedUrl } from "../../../../schema/UrlText.ts"
import { completedSocket, completedUrl, hostOf } from "../../../../src/domain/tools/text/TypedAddress.ts"

describe("An address that somebody typed", () => {
  it.each([
    ["example.com", "https://example.com"],
    [" shop.example.com/health?x=1 ", "https://shop.example.com/health?x=1"],
    ["example.com:8443/a", "https://example.com:8443/a"],
    ["example.com:80", "http://example.com:80"],
    ["//cdn.example.com/a", "https://cdn.example.com/a"],
    ["bücher.example", "https://bücher.example"],
    ["127.0.0.1:8190/", "http://127.0.0.1:8190/"],
    ["192.168.1.4", "http://192.168.1.4"],
    ["10.0.0.1:443", "https://10.0.0.1:443"],
    ["[::1]:8080", "http://[::1]:8080"],
    ["localhost", "http://localhost"],
    ["localhost:3000/x", "http://localhost:3000/x"],
    ["grafana:3000", "http://grafana:3000"],
    ["nas.local", "http://nas.local"]
  ])("%s becomes %s", (typed, url) => {
    expect(completedUrl(typed)).toBe(url)
    expect(parsedUrl(url)).not.toBeNull()
  })

  it.each([
    "https://example.com",
    "HTTP://example.com",
    "data:image/png;base64,AA",
    "mailto:a@b.example",
    "hello",
    "two words",
    "/logo.svg"
  ])(
    "%s stays as it is",
    (typed) => {
      expect(completedUrl(typed)).toBe(typed)
    }
  )

  it("is completed once", () => {
    fc.assert(fc.property(fc.string(), (text) => {
      expect(completedUrl(completedUrl(text))).toBe(completedUrl(text))
    }))
    fc.assert(fc.property(fc.webUrl(), (url) => {
      expect(completedUrl(url)).toBe(url)
      expect(completedUrl(url.replace(/^https?:\/\//, ""))).toMatch(/^https?:\/\//)
    }))
  })

  it("of a WebSocket gets the scheme of one", () => {
    expect(completedSocket("example.com/socket")).toBe("wss://example.com/socket")
    expect(completedSocket("127.0.0.1:9000")).toBe("ws://127.0.0.1:9000")
  })
})

describe("A host that somebody pasted", () => {
  it.each([
    ["https://status.acme.com/", "status.acme.com"],
    ["http://Status.Acme.com:8080/path?x", "status.acme.com"],
    [" status.acme.com. ", "status.acme.com"],
    ["status.acme.com/path", "status.acme.com"],
    ["_dmarc.example.com", "_dmarc.example.com"],
    ["::1", "::1"]
  ])("%s is %s", (typed, host) => {
    expect(hostOf(typed)).toBe(host)
  })
})
