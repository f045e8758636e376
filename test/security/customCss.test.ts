/** The style sheet of a page loads the owner's images, each exactly, and never a path of the service. */
import { describe, expect, it } from "@effect/vitest"
import { visitorLocale } from "../../src/domain/page/Languages.ts"
import { withBrandingDefaults, withThemeDefaults } from "../../src/domain/page/PageDefaults.ts"
import { runSteps } from "../../src/domain/tools/Steps.ts"
import { showSheet } from "../../src/pages/html/Sheet.tsx"
import { imageSources } from "../../src/pages/html/Shell.tsx"
import type { PageForm } from "../../src/pages/PageForm.ts"
import { renderForm } from "../../src/pages/PageView.ts"
import { baseUrl, pageRow, snapshotOf } from "../pages/Fixtures.ts"

const visitor = visitorLocale("en", undefined)
const at = "https://status.acme.test"
const customCss = `body{background:url(${baseUrl}/hb/token)}`

const sourcesIn = (policy: string | null | undefined, directive: string): string =>
  (policy ?? "").split("; ").find((one) => one.startsWith(`${directive} `))?.slice(directive.length + 1) ?? ""

describe("The policy of a page", () => {
  it("names no origin of the service for images, on the page, its embed and its own domain", () => {
    const branding = withBrandingDefaults({
      logoUrl: `${baseUrl}/hb/token`,
      logoDarkUrl: `${at}/api/v1/public/pages/acme`,
      faviconUrl: "https://cdn.acme.test/icon.png"
    })
    const theme = withThemeDefaults({ customCss })
    for (const domainVerifiedAt of [null, pageRow({}).createdAt]) {
      const snapshot = snapshotOf(["API"], {
        page: pageRow({ branding, theme, customDomain: "status.acme.test", domainVerifiedAt })
      })
      const forms: ReadonlyArray<PageForm> = [{ _tag: "Html", visitor, stale: false }, { _tag: "Embed", visitor }]
      for (const form of forms) {
        const { contentSecurityPolicy } = runSteps(renderForm(snapshot, form, baseUrl))
        const images = sourcesIn(contentSecurityPolicy, "img-src").split(" ")
        expect(images).not.toContain("'self'")
        expect(images.filter((one) => one.startsWith(baseUrl))).toEqual([])
        expect(images).toEqual(expect.arrayContaining(["data:", "https://cdn.acme.test/icon.png"]))
        if (domainVerifiedAt !== null) expect(images.filter((one) => one.startsWith(at))).toEqual([])
      }
    }
  })

  it("names no origin of the service on the sheets of a page, which are served by the service itself", () => {
    const { branding, theme, ...page } = pageRow({
      branding: withBrandingDefaults({ logoUrl: `${baseUrl}/hb/token` }),
      theme: withThemeDefaults({ customCss })
    })
    const { headers } = showSheet({
      page: { name: page.name, branding, theme, url: at, service: baseUrl },
      language: "en",
      title: "Subscribe",
      body: null
    })
    expect(sourcesIn(headers["content-security-policy"], "img-src")).toBe("data:")
  })

  it.each([
    ["a name with a wildcard, which would allow every host", "https://*/logo.png"],
    ["a wildcard below a name", "https://*.acme.test/logo.png"],
    ["a path that ends in a slash, which would allow all below it", "https://acme.test/logos/"],
    ["a host alone", "https://acme.test"],
    ["a name that ends a directive", "https://a;img-src/logo.png"],
    ["a name that ends a policy", "https://a,b/logo.png"]
  ])("has no source for %s", (_, logoUrl) => {
    expect(imageSources(withBrandingDefaults({ logoUrl }), baseUrl)).toEqual([])
  })

  it("has a source for each plain image", () => {
    const images = ["https://cdn.acme.test/logo.png?v=2", "http://192.0.2.1:8080/a;b,c.svg", "https://[2001:db8::1]/icon.ico"]
    const [logoUrl = "", logoDarkUrl = "", faviconUrl = ""] = images
    expect(imageSources(withBrandingDefaults({ logoUrl, logoDarkUrl, faviconUrl }), baseUrl)).toEqual([
      "https://cdn.acme.test/logo.png",
      "http://192.0.2.1:8080/a%3Bb%2Cc.svg",
      "https://[2001:db8::1]/icon.ico"
    ])
  })
})
