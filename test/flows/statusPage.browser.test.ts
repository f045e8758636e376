/** A visitor of a status page in a real browser: subscribing, live changes, language, dark mode, and hostile custom CSS. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chromium, openPage } from "../support/browser/Browser.ts"
import { httpTarget } from "../support/targets/LocalTargets.ts"
import { until } from "../support/time/Until.ts"
import { newAgent, request } from "./support/Client.ts"
import { freshProgram } from "./support/Program.ts"

if (chromium === undefined) {
  console.warn("NOT TESTED: visitors of a status page in a real browser, since no Chromium is installed (set CHROMIUM to one)")
}

/** Tries to load, to leave the style sheet, and to run a script. */
const hostileCss = (url: string) =>
  `@import url("${url}/import");
  .brand { letter-spacing: 3px }
  body { background: url("${url}/background"); }
  @font-face { font-family: leak; src: url("${url}/font"); } h1 { font-family: leak; }
  input[value^="a"] { background: url("${url}/leak"); }
  </style><script>document.title = "taken"; fetch("${url}/script")</script><img src="${url}/image"><style>`

describe.skipIf(chromium === undefined && process.env["CI"] === undefined)("a visitor with a browser", () => {
  it.scopedLive(
    "subscribes in the dialog, sees changes without a reload, and is safe from the page's style sheet",
    () =>
      Effect.gen(function*() {
        const program = yield* freshProgram()
        const agent = yield* newAgent(program.baseUrl)
        const shop = yield* agent.post("/pages", { name: "Shop", slug: "shop" })
        const component = yield* agent.post("/pages/shop/components", { name: "Checkout", manual: true })
        const page = yield* openPage(chromium ?? "")
        const url = `${program.baseUrl}/s/shop`
        const served = Effect.map(request(url), ({ text }) => text)

        // Live: the stream tells the page, which replaces its content and announces it.
        yield* page.goTo(url)
        expect(yield* page.read(".banner h2")).toBe("All systems operational")
        yield* page.evaluate("window.same = true; null")
        yield* agent.post(`/components/${component.body.id}/override`, { status: "major_outage" })
        yield* page.evaluate(`new Promise((done) => {
          const look = () => document.querySelector(".banner h2").textContent === "Major outage" && done()
          new MutationObserver(look).observe(document.querySelector("main"), { childList: true, subtree: true })
          look()
        }).then(() => null)`)
        expect(yield* page.evaluate("window.same")).toBe(true)
        expect(yield* page.read("#announce")).toBe("Major outage")

        // The dialog opens without a script's help, shows the fields of the chosen type, and survives changes of the page.
        expect(yield* page.evaluate("document.querySelector('#subscribe').matches(':popover-open')")).toBe(false)
        yield* page.evaluate("document.querySelector('[popovertarget=subscribe]').click()")
        expect(yield* page.evaluate("document.querySelector('#subscribe').matches(':popover-open')")).toBe(true)
        const shows = (selector: string) => page.evaluate(`document.querySelector("#subscribe ${selector}").offsetWidth > 0`)
        expect([yield* shows(".to-email"), yield* shows(".to-url")]).toEqual([true, false])
        yield* page.evaluate("document.querySelector('#subscribe [value=slack]').click()")
        expect([yield* shows(".to-email"), yield* shows(".to-url"), yield* shows(".to-slack")]).toEqual([false, true, true])
        const chat = yield* httpTarget((_, response) => response.end())
        yield* page.type("#subscribe input[name=url]", `${chat}/hook`)
        yield* page.click("#subscribe form .button")
        expect(yield* page.text).toContain("You are subscribed.")
        const subscribers = yield* agent.get(`/pages/${shop.body.id}/subscribers`)
        expect(subscribers.body.data).toMatchObject([{ type: "slack", status: "active" }])

        // Language and dark mode.
        yield* agent.patch("/pages/shop", { settings: { language: "de" } })
        yield* until(served, (html) => html.includes("lang=\"de\""))
        // The browser may show the page of the last 30 s again, but not at an address that it does not know.
        yield* page.goTo(`${url}?de`)
        expect([yield* page.evaluate("document.documentElement.lang"), yield* page.read(".banner h2")]).toEqual([
          "de",
          "Schwerer Ausfall"
        ])
        const ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        yield* page.prefer("light")
        const light = yield* ground
        yield* page.prefer("dark")
        expect(yield* ground).not.toBe(light)

        // On paper: what a closed group holds, the light colours, no links to click, and no entry on two sheets.
        yield* agent.post("/pages/shop/components", { name: "Ledger", group: "Inner", manual: true })
        const [group] = (yield* agent.get("/pages/shop")).body.groups
        yield* agent.put("/pages/shop/groups", { groups: [{ ...group, collapsed: true }] })
        yield* agent.post("/incidents", { title: "Slow", message: "We look into it.", pageIds: [shop.body.id] })
        yield* until(served, (html) => html.includes("Ledger") && html.includes("We look into it."))
        yield* page.goTo(`${url}?paper`)
        const isShown = (selector: string) =>
          page.evaluate(`document.querySelector("${selector}").checkVisibility({ contentVisibilityAuto: true })`)
        expect([yield* isShown(".group .row"), yield* isShown(".more")]).toEqual([false, true])
        yield* page.printed
        expect([yield* isShown(".group .row"), yield* isShown(".more"), yield* isShown(".banner")]).toEqual([true, false, true])
        expect(yield* ground).toBe(light)
        yield* page.goTo(`${url}/history`)
        expect(yield* page.evaluate("getComputedStyle(document.querySelector('.entry')).breakInside")).toBe("avoid")
        yield* page.prefer("light")

        // The owner's style sheet applies, but cannot load, leave its place or run anything.
        const seen: Array<string> = []
        const attacker = yield* httpTarget((request, response) => {
          seen.push(request.url ?? "")
          response.end()
        })
        yield* agent.patch("/pages/shop", { theme: { customCss: hostileCss(attacker) } })
        yield* until(served, (html) => html.includes("letter-spacing: 3px"))
        yield* page.goTo(`${url}?css`)
        expect(yield* page.evaluate("getComputedStyle(document.querySelector('h1')).letterSpacing")).toBe("3px")
        expect(yield* page.evaluate("document.title")).not.toBe("taken")
        expect(yield* page.evaluate("document.images.length")).toBe(0)
        yield* page.evaluate("document.fonts.ready.then(() => null)")
        expect(seen).toEqual([])
      }),
    120_000
  )
})
