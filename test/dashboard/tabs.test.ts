/** Forms of tabs that were opened before something changed in another tab. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { filledIn, formIn } from "../support/browser/FormIn.ts"
import { newOwner, type Visitor } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"
import { posted, switched } from "./Forms.ts"

type Changes = Parameters<typeof filledIn>[1]

/** Sends a form as it stood in a document. */
const sentFrom = (visitor: Visitor, html: string, id: string, changes: Changes = {}) => {
  const form = formIn(html, id)
  return form === null
    ? Effect.dieMessage(`The view has no form ${id}`)
    : visitor.submit(form.action, filledIn(form, changes))
}

const sameOrigin = { "sec-fetch-site": "same-origin" }

layer(programOf(), { excludeTestServices: true })("a form of another tab", (it) => {
  it.effect("stays in the workspace of its view when the person has switched, also when it is refused", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const { text } = yield* visitor.get("/app/pages/new")
      yield* posted(visitor, "/app/workspaces", "new-workspace", { name: "Second" })
      const refused = yield* sentFrom(visitor, text, "new-page", { name: "Acme", slug: "-" })
      expect([refused.status, formIn(refused.text, "new-page")?.action.includes(`workspace=${id}`)]).toEqual([422, true])
      const done = yield* sentFrom(visitor, refused.text, "new-page", { name: "Acme", slug: null })
      expect((yield* visitor.api("GET", "/pages")).body.data).toEqual([])
      const { body } = yield* visitor.api("GET", "/pages", undefined, { ...sameOrigin, "x-workspace": id })
      const [page] = body.data
      expect([done.status, done.location]).toEqual([303, `/app/pages/${page.id}/components?workspace=${id}`])
      const next = yield* visitor.get(done.location ?? "")
      expect([next.text.includes("Page created"), next.text.includes("This is in ")]).toEqual([true, true])
      yield* switched(visitor, done.location ?? "", id)
      expect((yield* visitor.get(`/app/pages/${page.id}/components`)).status).toBe(200)
    }))

  it.effect("downloads the document of the workspace of its view when the person has switched", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      yield* visitor.api("POST", "/monitors", { name: "First shop", url: "https://shop.example.com/" })
      const { text } = yield* visitor.get("/app/plan")
      yield* posted(visitor, "/app/workspaces", "new-workspace", { name: "Second" })
      const saved = yield* sentFrom(visitor, text, "download")
      expect([saved.status, saved.headers.get("content-disposition")]).toEqual([200, `attachment; filename="belltower.json"`])
      expect(JSON.parse(saved.text).monitors).toMatchObject([{ name: "First shop" }])
    }))

  it.effect("changes nothing in the workspace of the session if the person has left that of the view", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const { text } = yield* visitor.get("/app/pages/new")
      yield* posted(visitor, "/app/workspaces", "new-workspace", { name: "Second" })
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from memberships where workspace_id = ${id}`
      const refused = yield* sentFrom(visitor, text, "new-page", { name: "Acme" })
      expect([refused.status, refused.text.includes("no longer a member")]).toEqual([404, true])
      expect((yield* visitor.api("GET", "/pages")).body.data).toEqual([])
    }))

  it.effect("does not take back what another tab has changed in a monitor, a channel, a policy, a schedule or a component", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const made = (path: string, body: object) => Effect.map(visitor.api("POST", path, body), (answer) => answer.body)
      const user = (yield* visitor.api("GET", "/oncall/members")).body.data[0].id
      const monitor = yield* made("/monitors", { name: "Shop", url: "https://shop.example.com/", tags: ["eu"] })
      const channel = yield* made("/channels", { name: "Ops", type: "webhook", url: "https://hooks.example.com/a" })
      const target = { type: "channel", id: channel.id }
      const policy = yield* made("/escalation-policies", { name: "Nights", levels: [{ afterMinutes: 0, targets: [target] }] })
      const schedule = yield* made("/oncall/schedules", {
        name: "Core",
        timezone: "Europe/Athens",
        handoffDay: 0,
        handoffTime: "09:00",
        participants: [user]
      })
      const page = yield* made("/pages", { name: "Acme" })
      const component = yield* made(`/pages/${page.id}/components`, { name: "API", monitorIds: [monitor.id] })
      const forms: ReadonlyArray<readonly [view: string, form: string, record: string, changed: object]> = [
        [`/app/monitors/${monitor.id}/edit`, "monitor", `/monitors/${monitor.id}`, { tags: ["us"], failureThreshold: 4 }],
        [`/app/channels/${channel.id}`, "edit-channel", `/channels/${channel.id}`, { events: ["monitor.down"] }],
        [`/app/escalation/${policy.id}`, "edit-policy", `/escalation-policies/${policy.id}`, {
          repeat: 2,
          monitorIds: [monitor.id]
        }],
        [`/app/on-call/${schedule.id}`, "edit-schedule", `/oncall/schedules/${schedule.id}`, { handoffTime: "10:30" }],
        [
          `/app/pages/${page.id}/components/${component.id}`,
          "edit-component",
          `/components/${component.id}`,
          { description: "For programs", confirmations: 5 }
        ]
      ]
      for (const [view, form, record, changed] of forms) {
        const { text } = yield* visitor.get(view)
        yield* visitor.api("PATCH", record, changed)
        const refused = yield* sentFrom(visitor, text, form, { name: "w".repeat(121) })
        expect([form, refused.status]).toEqual([form, 422])
        const sent = yield* sentFrom(visitor, refused.text, form, { name: "Renamed" })
        expect([form, sent.status, sent.location !== null]).toEqual([form, 303, true])
        // Nothing to change.
        const { body } = yield* visitor.api("PATCH", record, {})
        expect(body).toMatchObject({ ...changed, name: "Renamed" })
      }
    }))

  it.effect("does not take back what another tab has changed in the settings and links of a page", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const page = (yield* visitor.api("POST", "/pages", { name: "Acme" })).body
      const path = `/app/pages/${page.id}/settings`
      const { text } = yield* visitor.get(path)
      const terms = ["Acme, Inc.", "x"]
      const changed = {
        settings: { language: "de", aiAvoidTerms: terms, subscriptions: { slack: false } },
        branding: { websiteUrl: "https://acme.example/" },
        seo: { noindex: true }
      }
      yield* visitor.api("PATCH", `/pages/${page.id}`, changed)
      yield* sentFrom(visitor, text, "page-settings", { "settings.uptimeDays:number": "30", "seo.title:raw": "Status" })
      yield* sentFrom(visitor, text, "page-links", { "branding.footerText:text?": "Acme" })
      // A form that shows all of it changes nothing but its own field.
      yield* posted(visitor, path, "page-settings", { "settings.showUptimePercent:boolean": "false" })
      const { branding, seo, settings } = (yield* visitor.api("GET", `/pages/${page.id}`)).body
      expect({ branding, seo, settings }).toMatchObject({
        branding: { ...changed.branding, footerText: "Acme" },
        seo: { ...changed.seo, title: "Status" },
        settings: { ...changed.settings, uptimeDays: 30, showUptimePercent: false }
      })
    }))

  it.effect("refuses a field that another tab has changed, once and with its value of now", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { body: monitor } = yield* visitor.api("POST", "/monitors", { name: "Shop", url: "https://shop.example.com/" })
      const { body: page } = yield* visitor.api("POST", "/pages", { name: "Acme" })
      const places = [
        [`/app/monitors/${monitor.id}/edit`, "monitor", `/monitors/${monitor.id}`, "name", (name: string) => ({ name })],
        [
          `/app/pages/${page.id}/settings`,
          "page-links",
          `/pages/${page.id}`,
          "branding.footerText:text?",
          (footerText: string) => ({ branding: { footerText } })
        ]
      ] as const
      for (const [path, form, record, field, change] of places) {
        const { text } = yield* visitor.get(path)
        yield* visitor.api("PATCH", record, change("Theirs: intervalSec"))
        const refused = yield* sentFrom(visitor, text, form, { [field]: "Mine" })
        expect([form, refused.status]).toEqual([form, 409])
        expect(refused.text).toContain("This was changed after you opened the form.")
        expect(refused.text).toContain("It is now “Theirs: intervalSec”.")
        expect((yield* visitor.api("PATCH", record, {})).body).toMatchObject(change("Theirs: intervalSec"))
        // Another press of the button sends the typed value, unless the field has changed again.
        yield* visitor.api("PATCH", record, change("Theirs again"))
        const again = yield* sentFrom(visitor, refused.text, form)
        expect([again.status, again.text.includes("It is now “Theirs again”.")]).toEqual([409, true])
        expect((yield* sentFrom(visitor, again.text, form)).status).toBe(303)
        expect((yield* visitor.api("PATCH", record, {})).body).toMatchObject(change("Mine"))
        // Both want the same.
        expect((yield* sentFrom(visitor, text, form, { [field]: "Mine" })).status).toBe(303)
      }
    }))

  it.effect("adds, removes and moves groups among those that are there now", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const page = (yield* visitor.api("POST", "/pages", { name: "Acme" })).body
      const set = (groups: ReadonlyArray<object>) =>
        Effect.map(visitor.api("PUT", `/pages/${page.id}/groups`, { groups }), ({ body }) => body.groups)
      const [web, api, old] = yield* set([{ name: "Web" }, { name: "API" }, { name: "Old" }])
      const { text } = yield* visitor.get(`/app/pages/${page.id}/components`)
      yield* set([web, { ...api, name: "Interface" }, old, { name: "New" }])
      yield* sentFrom(visitor, text, `group-delete-${old.id}`)
      yield* sentFrom(visitor, text, `group-down-${web.id}`)
      yield* sentFrom(visitor, text, "new-group", { "groups.3.name": "Shop" })
      const names = (yield* visitor.api("GET", `/pages/${page.id}`)).body.groups.map(({ name }: { readonly name: string }) =>
        name
      )
      expect(names).toEqual(["Interface", "Web", "New", "Shop"])
    }))

  it.effect("moves a group among others that were moved meanwhile, and a component while groups change", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const page = (yield* visitor.api("POST", "/pages", { name: "Acme" })).body
      const path = `/app/pages/${page.id}/components`
      const set = (groups: ReadonlyArray<object>) =>
        Effect.map(visitor.api("PUT", `/pages/${page.id}/groups`, { groups }), ({ body }) => body.groups)
      const [one, two, three, four] = yield* set([{ name: "1" }, { name: "2" }, { name: "3" }, { name: "4" }])
      const components = []
      for (const name of ["A", "B"]) {
        components.push((yield* visitor.api("POST", `/pages/${page.id}/components`, { name, manual: true })).body)
      }
      const { text } = yield* visitor.get(path)
      yield* set([four, one, two, three])
      yield* sentFrom(visitor, text, `group-up-${three.id}`)
      yield* sentFrom(visitor, text, `down-${components[0].id}-c`)
      const now = (yield* visitor.api("GET", `/pages/${page.id}`)).body
      const namesOf = (rows: ReadonlyArray<{ readonly name: string }>) => rows.map(({ name }) => name).join("")
      expect([namesOf(now.groups), namesOf(now.components)]).toEqual(["4132", "BA"])
    }))

  it.effect("names a group in the view of the components as often as without others", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const timesIn = (groups: number) =>
        Effect.gen(function*() {
          const page = (yield* visitor.api("POST", "/pages", { name: "Acme" })).body
          const named = Array.from({ length: groups }, (_, index) => ({ name: `Group ${index}` }))
          const { body } = yield* visitor.api("PUT", `/pages/${page.id}/groups`, { groups: named })
          for (const { id } of body.groups) {
            for (const name of ["A", "B"]) {
              yield* visitor.api("POST", `/pages/${page.id}/components`, { name, group: id, manual: true })
            }
          }
          const { text } = yield* visitor.get(`/app/pages/${page.id}/components`)
          return text.split(body.groups[1].id).length
        })
      expect(yield* timesIn(9)).toBe(yield* timesIn(3))
    }))

  it.effect("keeps a third party that was added meanwhile", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const [one, other, third] = ["github", "stripe", "openai"].map((service) => ({ service }))
      yield* visitor.api("PATCH", "/workspace", { upstreams: [one, other] })
      const { text } = yield* visitor.get("/app/upstreams")
      yield* visitor.api("PATCH", "/workspace", { upstreams: [one, other, third] })
      yield* sentFrom(visitor, text, "keep", { "upstreams.0.service": null })
      expect((yield* visitor.api("GET", "/workspace")).body.upstreams).toEqual([other, third])
    }))
})
