/** The custom CSS of a page in a real browser: it reaches the owner's images, and no path of the service. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { visitorLocale } from "../../src/domain/page/Languages.ts"
import { withBrandingDefaults, withThemeDefaults } from "../../src/domain/page/PageDefaults.ts"
import { runSteps } from "../../src/domain/tools/Steps.ts"
import type { PageForm } from "../../src/pages/PageForm.ts"
import { renderForm } from "../../src/pages/PageView.ts"
import { pageRow, snapshotOf } from "../pages/Fixtures.ts"
import { chromium, openPage } from "../support/browser/Browser.ts"
import { httpTarget } from "../support/targets/LocalTargets.ts"

if (chromium === undefined) {
  console.warn("NOT TESTED: custom CSS in a real browser, since no Chromium is installed (set CHROMIUM to one)")
}

/** Each way in which a style sheet loads something, with a path of the service. */
const reaching = (base: string) =>
  `@import url("/api/v1/import.css");
  @font-face { font-family: spy; src: url("${base}/hb/font"); }
  h1, .embed { font-family: spy; }
  body { background: url(/api/v1/monitors); cursor: url("${base}/hb/cursor"), auto; }
  main, .embed { mask: url(${base}/hb/mask); list-style: url(/hb/list) inside; display: list-item; }
  .banner, .embed a { border-image: url(/subscriptions/sub_1/token/unsubscribe) 1; border-style: solid; }
  .row, .embed span { background-image: image-set("/hb/set" 1x); }
  .label { background-image: -webkit-image-set(url(/hb/webkit) 1x); }
  footer, .embed svg { filter: url(/hb/filter.svg#f); clip-path: url("${base}/hb/clip.svg#c"); }
  .top::before, .embed::before { content: url(/sign-out); }
  .top { shape-outside: url(/hb/shape); float: left; offset-path: url(/hb/offset.svg#p); }
  .aside { background: \\75 rl(/hb/escaped); }
  .bars { background: cross-fade(url(/hb/fade), url(/hb/fade-2), 50%); }`

describe.skipIf(chromium === undefined && process.env["CI"] === undefined)("The custom CSS of a page in a browser", () => {
  it.scopedLive(
    "loads nothing from the service, on its page and in a frame, also not by a redirect of the owner's image",
    () =>
      Effect.gen(function*() {
        const visitor = visitorLocale("en", undefined)
        const seen: Array<string> = []
        const redirected: Array<string> = []
        let base = ""
        const owners = yield* httpTarget((request, response) => {
          redirected.push(request.url ?? "")
          response.writeHead(302, { location: `${base}/hb/redirected` }).end()
        }, "localhost")
        base = yield* httpTarget((request, response) => {
          const path = request.url ?? ""
          const form: PageForm | null = path.startsWith("/s/acme/embed")
            ? { _tag: "Embed", visitor }
            : path.startsWith("/s/acme")
            ? { _tag: "Html", visitor, stale: false }
            : null
          if (form === null || path.includes("/live")) {
            if (!path.includes("/live")) seen.push(path)
            return response.writeHead(404).end()
          }
          const page = pageRow({
            theme: withThemeDefaults({ customCss: reaching(base) }),
            branding: withBrandingDefaults({ logoUrl: `${owners}/logo.png`, faviconUrl: `${base}/hb/icon` })
          })
          const { body, contentSecurityPolicy, contentType } = runSteps(renderForm(snapshotOf(["API"], { page }), form, base))
          // Without its policy, to show that the style sheet would reach the service.
          const policy = path.includes("?open") ? {} : { "content-security-policy": contentSecurityPolicy ?? "" }
          return response.writeHead(200, { "content-type": contentType, ...policy }).end(body)
        })
        const shown = (path: string) =>
          Effect.gen(function*() {
            const page = yield* openPage(chromium ?? "")
            yield* page.goTo(base + path)
            yield* page.evaluate("document.fonts.ready.then(() => null)")
            yield* page.evaluate(
              "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))).then(() => null)"
            )
          })

        // Its browser ends with it: what it asks for late is not taken for a request of the others.
        yield* Effect.scoped(shown("/s/acme?open"))
        expect(new Set(seen).size).toBeGreaterThan(8)
        seen.length = 0
        redirected.length = 0

        for (const path of ["/s/acme", "/s/acme/embed"]) yield* shown(path)
        expect(seen).toEqual([])
        expect(redirected).toContain("/logo.png")
      }),
    120_000
  )
})
