/** Redirects after sign-in: only to paths of this service, however a browser parses the URL. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { localPath } from "../../../src/domain/people/LocalPath.ts"

describe("the page after signing in", () => {
  it("may be any path of this service, with its query", () => {
    for (
      const path of ["/", "/app", "/app/monitors/mon_1?tab=checks#top", "/claim/abc", "/a//b", "/app?next=https://evil.test/"]
    ) {
      expect(localPath(path)).toBe(path)
    }
  })

  it("is never on another origin", () => {
    const elsewhere = [
      "https://evil.test",
      "//evil.test",
      "/\\evil.test",
      "\\\\evil.test",
      "/\t/evil.test",
      "/\n/evil.test",
      " //evil.test",
      "javascript:alert(1)",
      "/./\\evil.test",
      "/..//evil.test",
      "/.//evil.test",
      "/%2e//evil.test",
      "app",
      "",
      "/app\r\nset-cookie: a=b",
      "/ä",
      `/${"a".repeat(600)}`,
      null,
      undefined
    ]
    for (const path of elsewhere) expect([path, localPath(path)]).toEqual([path, null])
  })

  it("stays on this origin in a browser, whatever the text", () => {
    const nasty = fc.array(
      fc.constantFrom("/", "\\", ".", "%2e", "%2f", "@", ":", "evil.test", "?", "#", "\t", " ", "a", "http"),
      { maxLength: 12 }
    )
    fc.assert(
      fc.property(nasty, (parts) => {
        const path = localPath(`/${parts.join("")}`)
        if (path !== null) expect(new URL(path, "https://belltower.test/auth/link/x").origin).toBe("https://belltower.test")
      }),
      { numRuns: 2000 }
    )
  })
})
