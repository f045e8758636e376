/** Which addresses an app may register, and which of them it may ask for. */
import { describe, expect, it } from "@effect/vitest"
import { formTarget, isRegistered, redirectHost, redirectRefusal } from "../../../src/domain/oauth/RedirectUri.ts"

describe("a redirect URI", () => {
  it("is https, http on the app's own machine, or a scheme of an app", () => {
    for (
      const uri of [
        "https://claude.ai/api/mcp/auth_callback",
        "http://localhost:8787/callback",
        "http://127.0.0.1/",
        "http://[::1]:4000/cb",
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "vscode://vscode.github-authentication/did-authenticate"
      ]
    ) expect([uri, redirectRefusal(uri)]).toEqual([uri, null])
    for (
      const uri of [
        "http://example.com/",
        "https://a.example/#x",
        "https://u:p@a.example/",
        "JavaScript://a/%0a",
        "blob://a",
        "https://a.example/ b",
        "https://a.example\\@b.example/",
        "//a.example",
        "callback"
      ]
    ) expect([uri, redirectRefusal(uri)]).not.toEqual([uri, null])
  })

  it("is compared as it is, but for the port of a loopback address", () => {
    expect(isRegistered(["http://127.0.0.1/cb"], "http://127.0.0.1:50123/cb")).toBe(true)
    expect(isRegistered(["http://127.0.0.1/cb"], "http://127.0.0.1:50123/cb2")).toBe(false)
    expect(isRegistered(["http://127.0.0.1/cb"], "http://localhost:50123/cb")).toBe(false)
    expect(isRegistered(["https://a.example/cb"], "https://a.example:8443/cb")).toBe(false)
    expect(isRegistered(["https://a.example/cb"], "https://a.example/cb/")).toBe(false)
    expect(isRegistered(["https://a.example/cb"], "https://a.example/cb?x")).toBe(false)
  })

  it("is named by its host, or by the scheme of its app", () => {
    expect([redirectHost("https://claude.ai/cb"), formTarget("https://claude.ai/cb")]).toEqual(["claude.ai", "https://claude.ai"])
    expect([redirectHost("cursor://x/cb"), formTarget("cursor://x/cb")]).toEqual(["cursor://", "cursor:"])
  })
})
