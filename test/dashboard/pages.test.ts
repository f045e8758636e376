/** The views of status pages. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { filledIn, formIn } from "../support/browser/FormIn.ts"
import { newOwner } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"
import { submitted } from "./Forms.ts"

let pages = 0

const withPage = Effect.gen(function*() {
  const { visitor } = yield* newOwner()
  const slug = `views-${++pages}`
  yield* submitted(visitor, "/app/pages/new", "new-page", { name: "Acme", slug, "theme.preset": "paper" })
  const page = (yield* visitor.api("GET", `/pages/${slug}`)).body
  const read = Effect.map(visitor.api("GET", `/pages/${page.id}`), ({ body }) => body)
  return { visitor, page, read, path: `/app/pages/${page.id}` }
})

layer(programOf(), { excludeTestServices: true, timeout: "90 seconds" })("The views of status pages", (it) => {
  it.effect("lead from a name to a page, and show it in a frame that its policy allows", () =>
    Effect.gen(function*() {
      const { page, path, visitor } = yield* withPage
      expect([page.name, page.theme.preset]).toEqual(["Acme", "paper"])
      const editor = yield* visitor.get(path)
      expect(editor.text).toContain(`<iframe src="/s/${page.slug}"`)
      expect(editor.headers.get("content-security-policy")).toContain("frame-src 'self'")
      const shown = yield* visitor.get(`/s/${page.slug}`)
      expect(shown.headers.get("content-security-policy")).toContain("frame-ancestors 'self'")
      expect((yield* visitor.get("/app/pages")).text).toContain(page.name)
    }))

  it.effect("change colours and tell the contrast of those that are saved; an empty field gives the preset's back", () =>
    Effect.gen(function*() {
      const { path, read, visitor } = yield* withPage
      const weak = yield* submitted(visitor, path, "page-look", {
        "theme.accent:text?": "#eeeeee",
        "theme.mode:text?": "light",
        "theme.tokens.text": "#dddddd",
        "theme.preset": "daylight"
      })
      // The accent becomes darker by itself; tokens do not.
      expect(weak.text).toContain("Light: 2 too weak")
      expect(weak.text).toMatch(/#eeeeee is too weak to read here, so links are #[0-9a-f]{6}/)
      expect(weak.text).not.toContain("Dark: ")
      const theme = (yield* read).theme
      expect([theme.accent, theme.mode, theme.tokens]).toEqual(["#eeeeee", "light", { text: "#dddddd" }])
      const own = { "--x-gap": "4px" }
      yield* visitor.api("PATCH", `/pages/${(yield* read).id}`, {
        theme: { tokens: { text: "#dddddd", ...own }, customCss: "p{margin:var(--x-gap)}" }
      })
      const usual = yield* submitted(visitor, path, "page-look", {
        "theme.accent:text?": "",
        "theme.mode:text?": "",
        "theme.tokens.text": ""
      })
      expect(usual.text).toContain("Dark: readable")
      const { preset, tokens } = (yield* read).theme
      expect([preset, tokens]).toEqual(["daylight", own])
      const refused = yield* submitted(visitor, path, "page-look", { "theme.tokens.text": "url(x)", name: "Not saved" })
      expect([refused.status, refused.text.includes("value=\"url(x)\"")]).toEqual([422, true])
    }))

  it.effect("keep a draft for all members, publish it over what they saw, and discard it", () =>
    Effect.gen(function*() {
      const { path, read, visitor } = yield* withPage
      const form = formIn((yield* visitor.get(path)).text, "page-look") ?? { action: "", fields: [] }
      const send = (draft: string, values: Record<string, string>, of = form) =>
        visitor.submit(of.action, { ...Object.fromEntries(new URLSearchParams(filledIn(of, values))), draft })
      yield* send("keep", { name: "Drafted" })
      const seen = yield* visitor.get(path)
      expect(seen.text).toContain("Draft, not published.")
      expect(seen.text).toContain("It changes the name.")
      expect(seen.text).toMatch(/name="name" value="Drafted"/)
      expect([(yield* read).name, (yield* read).draft.fields]).toEqual(["Acme", { name: "Drafted" }])
      // The first form has not seen the draft.
      const stale = yield* send("keep", { name: "Other" })
      expect([stale.status, stale.text.includes("after what you saw")]).toEqual([409, true])
      yield* send("publish", {}, formIn(seen.text, "page-look") ?? form)
      expect([(yield* read).name, (yield* read).draft]).toEqual(["Drafted", null])
      yield* send("keep", { name: "Again" }, formIn((yield* visitor.get(path)).text, "page-look") ?? form)
      yield* submitted(visitor, path, "discard-draft")
      expect([(yield* read).name, (yield* read).draft]).toEqual(["Drafted", null])
    }))

  it.effect("add components with their sources, arrange them with one call, and fix a status", () =>
    Effect.gen(function*() {
      const { page, path, read, visitor } = yield* withPage
      for (const name of ["Website", "API"]) {
        yield* submitted(visitor, `${path}/components?source=manual`, "new-component", { name })
      }
      yield* submitted(visitor, `${path}/components`, "new-group", { "groups.0.name": "Shop" })
      const [website, api] = (yield* read).components
      yield* submitted(visitor, `${path}/components`, `down-${website.id}-c`)
      expect((yield* read).components.map(({ name }: { name: string }) => name)).toEqual(["API", "Website"])
      yield* submitted(visitor, `${path}/components/${api.id}`, "edit-component", { "group:raw": (yield* read).groups[0].id })
      expect((yield* read).components[0].group).toBe((yield* read).groups[0].id)
      const pushed = yield* submitted(visitor, `${path}/components?source=push`, "new-component", { name: "Jobs" })
      expect(pushed.text).toContain("Pushed by your program")
      yield* submitted(visitor, `${path}/components/${api.id}`, "override-on", { status: "degraded", reason: "Slow" })
      expect((yield* visitor.get(`${path}/components/${api.id}`)).text).toContain("End the override")
      yield* submitted(visitor, `${path}/components/${api.id}`, "override-off")
      expect((yield* read).components[0].override).toBeNull()
      expect(page.id).toBe((yield* read).id)
    }))

  it.effect("set links, languages and a password, and name what a deletion loses", () =>
    Effect.gen(function*() {
      const { path, read, visitor } = yield* withPage
      yield* submitted(visitor, `${path}/settings`, "page-settings", {
        "settings.language": "de",
        "settings.uptimeDays:number": "30"
      })
      yield* submitted(visitor, `${path}/settings`, "page-links", {
        "branding.headerLinks.1.label": "Help",
        "branding.headerLinks.1.url": "https://help.example.com"
      })
      const changed = yield* read
      expect([changed.settings.language, changed.settings.uptimeDays]).toEqual(["de", 30])
      expect(changed.branding.headerLinks).toEqual([{ label: "Help", url: "https://help.example.com" }])
      yield* submitted(visitor, `${path}/settings`, "make-private")
      const short = yield* submitted(visitor, `${path}/settings`, "page-password", { password: "seven77" })
      expect([short.status, short.text.includes("seven77")]).toEqual([422, false])
      const withPassword = yield* submitted(visitor, `${path}/settings`, "page-password", { password: "a shared password" })
      expect(withPassword.text).not.toContain("a shared password")
      expect([(yield* read).visibility, (yield* read).hasPassword]).toEqual(["private", true])
      yield* submitted(visitor, `${path}/settings`, "make-public")
      expect([(yield* read).visibility, (yield* read).hasPassword]).toEqual(["public", false])
      yield* submitted(visitor, `${path}/components?source=manual`, "new-component", { name: "Checkout" })
      expect((yield* visitor.get(path)).text).toMatch(/1 components? with (?:its|their) history: Checkout/)
      const deleted = yield* submitted(visitor, path, "delete-page")
      expect(deleted.text).toContain("Page deleted")
    }))

  it.effect("lead through the DNS records of a domain, and list and remove subscribers", () =>
    Effect.gen(function*() {
      const { page, path, visitor } = yield* withPage
      const domain = `${page.slug}.example.com`
      const steps = yield* submitted(visitor, `${path}/domain`, "domain", { "customDomain:host?": ` ${domain.toUpperCase()}.` })
      expect(steps.text).toContain(`_belltower.${domain}`)
      expect(steps.text).toContain("Not verified")
      yield* visitor.api("POST", `/public/pages/${page.slug}/subscribers`, { type: "email", email: "ada@example.com" })
      const listed = yield* visitor.get(`${path}/subscribers`)
      expect(listed.text).toContain("ada@example.com")
      const [, id = ""] = /id="subscriber-([a-z0-9_]+)"/.exec(listed.text) ?? []
      const removed = yield* submitted(visitor, `${path}/subscribers`, `delete-${id}`)
      expect(removed.text).toContain("ada@example.com removed")
      expect((yield* visitor.get(`${path}/subscribers?status=active`)).text).not.toContain(`subscriber-${id}`)
    }))

  it.effect("are not found in another workspace", () =>
    Effect.gen(function*() {
      const { path } = yield* withPage
      const { visitor } = yield* newOwner()
      for (const tab of ["", "/components", "/settings", "/domain", "/subscribers"]) {
        expect((yield* visitor.get(`${path}${tab}`)).status).toBe(404)
      }
    }))
})
