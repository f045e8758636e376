/** The views of incidents, maintenance and third parties: what their forms do, and who sees what. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { WorkspaceId } from "../../schema/Ids.ts"
import { newOwner, newVisitor, type Visitor } from "../support/browser/Visitor.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { TestProgram } from "../support/program/Program.ts"
import { submitted } from "./Forms.ts"

/** A page with a component, and a public incident on it. */
const outage = Effect.fn("outage")(function*(visitor: Visitor) {
  const { body: page } = yield* visitor.api("POST", "/pages", { name: "Acme Status" })
  const { body: component } = yield* visitor.api("POST", `/pages/${page.id}/components`, { name: "Checkout", manual: true })
  const { body: incident } = yield* visitor.api("POST", "/incidents", {
    title: "Slow checkout",
    message: "We are looking into slow checkouts.",
    components: [{ componentId: component.id, status: "degraded" }]
  })
  const path = `/app/incidents/${incident.id}`
  return { page, component, id: String(incident.id), path, form: { _form: "update", _back: path, id: String(incident.id) } }
})

layer(TestProgram, { excludeTestServices: true, timeout: "120 seconds" })("the views of incidents", (it) => {
  it.scoped("list open ones first, and by page", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const old = yield* outage(visitor)
      const { body: over } = yield* visitor.api("POST", "/incidents", { title: "Lost mails", message: "Mails are late." })
      yield* visitor.api("POST", `/incidents/${over.id}/resolve`, {})
      const { text } = yield* visitor.get("/app/incidents")
      expect(text.indexOf("Slow checkout")).toBeLessThan(text.indexOf("Lost mails"))
      const open = yield* visitor.get("/app/incidents?show=open")
      expect([open.text.includes("Slow checkout"), open.text.includes("Lost mails")]).toEqual([true, false])
      const onPage = yield* visitor.get(`/app/incidents?page=${old.page.id}`)
      expect([onPage.text.includes("Slow checkout"), onPage.text.includes("Lost mails")]).toEqual([true, false])
    }))

  it.scoped("do not pass the length of the overview's list off as the number of open ones", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      yield* visitor.api("POST", "/monitors", { name: "Job", periodSec: 3600 })
      const open = (index: number) =>
        visitor.api("POST", "/incidents", { title: `Incident ${index}`, message: "We are looking." })
      yield* Effect.forEach(Array.from({ length: 20 }, (_, index) => index), open)
      expect((yield* visitor.get("/app")).text).toContain("20 open incidents.")
      yield* open(20)
      const { text } = yield* visitor.get("/app")
      expect(text).toContain("More than 20 open incidents.")
      expect(text).toContain("Incident opened: Incident 20")
    }))

  it.scoped("are acknowledged with one button, which can be undone", () =>
    Effect.gen(function*() {
      const { email, visitor } = yield* newOwner()
      const { id, path } = yield* outage(visitor)
      expect((yield* visitor.get(path)).text).toContain("Nobody has acknowledged this")
      const taken = yield* visitor.submit("/app/do/acknowledge_incident", { _form: "acknowledge", _back: path, _then: path, id })
      expect([taken.status, taken.location]).toEqual([303, path])
      expect((yield* visitor.get(path)).text).toContain(`Acknowledged by ${email}`)
      yield* visitor.submit("/app/do/unacknowledge_incident", { _form: "unacknowledge", _back: path, _then: path, id })
      expect((yield* visitor.get(path)).text).toContain("Nobody has acknowledged this")
    }))

  it.scoped("preview what the page and the mail would show, and post nothing", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { component, form, id, path } = yield* outage(visitor)
      const typed = {
        ...form,
        message: "We are rolling back.",
        "public:boolean": "true",
        status: "identified",
        "components.0.componentId": component.id,
        "components.0.status:key": "major_outage"
      }
      const { status, text } = yield* visitor.submit("/app/do/preview_incident_update", typed)
      expect(status).toBe(200)
      expect(text).toContain("On Acme Status")
      expect(text).toContain("<b>Identified: Slow checkout</b>")
      expect(text).toContain("<b>Acme Status: Identified: Slow checkout</b>")
      expect(text).toMatch(/<textarea[^>]*>We are rolling back\.<\/textarea>/)
      const { body: before } = yield* visitor.api("GET", `/incidents/${id}`)
      expect([before.updates.length, before.status]).toEqual([1, "investigating"])
      const inside = yield* visitor.submit("/app/do/preview_incident_update", { ...typed, "public:boolean": "false" })
      expect(inside.text).toContain("Only the team will see this")
      const posted = yield* visitor.submit("/app/do/post_incident_update", { ...typed, _then: path })
      expect(posted.status).toBe(303)
      const { body: after } = yield* visitor.api("GET", `/incidents/${id}`)
      expect(after).toMatchObject({ status: "identified", components: [{ componentId: component.id, status: "major_outage" }] })
      const { body: shown } = yield* visitor.api("POST", `/incidents/${id}/updates/preview`, { message: "Soon.", notify: false })
      expect(shown.pages.map(({ mail, title }: { mail: unknown; title: string }) => [title, mail])).toEqual([
        ["Identified: Slow checkout", null]
      ])
    }))

  it.scoped("narrow the timeline to updates or to internal notes", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { id, path } = yield* outage(visitor)
      expect((yield* visitor.get(path)).text).not.toContain("timeline=notes")
      yield* visitor.api("POST", `/incidents/${id}/updates`, { message: "The cache is cold.", public: false })
      const shown = (query: string) =>
        Effect.map(visitor.get(`${path}${query}`), ({ text }) => {
          const timeline = /<ol class="timeline">.*?<\/ol>/s.exec(text)?.[0] ?? ""
          return [timeline.includes("We are looking into slow checkouts."), timeline.includes("The cache is cold.")]
        })
      expect((yield* visitor.get(path)).text).toMatch(/timeline=updates#timeline.*timeline=notes#timeline/s)
      expect(yield* shown("")).toEqual([true, true])
      expect(yield* shown("?timeline=updates")).toEqual([true, false])
      expect(yield* shown("?timeline=notes")).toEqual([false, true])
      expect(yield* shown("?timeline=nonsense")).toEqual([true, true])
    }))

  it.scoped("preview Markdown for people who are signed in, from pages of the service, as data that no browser shows as a page", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const shown = yield* visitor.submit("/app/markdown", "**bold**<script>")
      expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "application/json"])
      expect(shown.marked).toContain("<strong>bold</strong>")
      expect(shown.marked).not.toContain("<script")
      const foreign = { origin: "https://evil.test", "sec-fetch-site": "cross-site" }
      expect((yield* visitor.submit("/app/markdown", "a", foreign)).status).toBe(403)
      expect((yield* (yield* newVisitor).submit("/app/markdown", "a")).status).not.toBe(200)
    }))

  it.scoped("name similar past incidents, none that is open, and none for maintenance", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { component, id } = yield* outage(visitor)
      yield* visitor.api("POST", `/incidents/${id}/resolve`, {})
      const components = [{ componentId: component.id, status: "degraded" }]
      const errors = { title: "Errors", message: "We are looking.", components }
      const { body: open } = yield* visitor.api("POST", "/incidents", errors)
      const { body: again } = yield* visitor.api("POST", "/incidents", errors)
      const { text } = yield* visitor.get(`/app/incidents/${again.id}`)
      const similar = /<section[^>]*id="similar">.*?<\/section>/s.exec(text)?.[0] ?? ""
      expect(similar).toContain(`href="/app/incidents/${id}"`)
      expect(similar).toContain("Same component")
      for (const one of [open, again]) expect(similar).not.toContain(one.id)
      const { body: window } = yield* visitor.api("POST", "/maintenance", {
        title: "Slow checkout",
        message: "We move.",
        scheduledStart: "2099-01-01T00:00:00Z",
        scheduledEnd: "2099-01-01T01:00:00Z",
        componentIds: [component.id]
      })
      expect((yield* visitor.get(`/app/incidents/${window.id}`)).text).not.toContain("id=\"similar\"")
    }))

  it.scoped("link each page that shows the incident to visitors, and none of an internal one", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { id, page, path } = yield* outage(visitor)
      const { body: other } = yield* visitor.api("POST", "/pages", { name: "Second" })
      const { body: part } = yield* visitor.api("POST", `/pages/${other.id}/components`, { name: "Part", manual: true })
      const components = [{ componentId: part.id, status: "degraded" }]
      yield* visitor.api("POST", `/incidents/${id}/updates`, { message: "There, too.", components })
      const linksIn = (text: string) =>
        [...text.matchAll(/href="([^"]*)">View on ([^<]*)/g)].map(([, link, name]) => [link, name])
      expect(linksIn((yield* visitor.get(path)).text)).toEqual([
        [`${page.url}/incidents/${id}`, "Acme Status"],
        [`${other.url}/incidents/${id}`, "Second"]
      ])
      expect((yield* visitor.get(`/s/${other.slug}/incidents/${id}`)).text).toContain("Slow checkout")
      const { body: inside } = yield* visitor.api("POST", "/incidents", {
        title: "Rack 4",
        message: "Hot.",
        pageIds: [page.id],
        public: false
      })
      expect(linksIn((yield* visitor.get(`/app/incidents/${inside.id}`)).text)).toEqual([])
    }))

  it.scoped("keep internal notes apart from what the public reads, and what was typed after a refusal", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { form, page, path } = yield* outage(visitor)
      const note = { ...form, _then: path, message: "The primary is at 98 %.", "public:boolean": "false" }
      yield* visitor.submit("/app/do/post_incident_update", note)
      const { text } = yield* visitor.get(path)
      expect(text).toMatch(/class="internal"[\s\S]*Internal note[\s\S]*The primary is at 98 %\./)
      const { text: seen } = yield* visitor.get(`/s/${page.slug}`)
      expect([seen.includes("Slow checkout"), seen.includes("98 %")]).toEqual([true, false])
      const refused = yield* visitor.submit("/app/do/post_incident_update", {
        ...note,
        message: "Almost done",
        status: "done"
      })
      expect(refused.status).toBe(422)
      expect(refused.text).toMatch(/<textarea[^>]*>Almost done<\/textarea>/)
      expect(refused.text).toContain("role=\"alert\"")
    }))

  it.scoped("offer all components of a page by group, and keep those that are chosen after a refusal", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { body: page } = yield* visitor.api("POST", "/pages", { name: "Acme" })
      const all = yield* Effect.forEach(Array.from({ length: 120 }, (_, index) => index), (index) =>
        Effect.map(
          visitor.api("POST", `/pages/${page.id}/components`, {
            name: `Part ${index}`,
            manual: true,
            ...(index < 20 ? {} : { group: `Group ${index % 4}` })
          }),
          ({ body }) => body
        ))
      const last = all[119]
      const { text } = yield* visitor.get("/app/incidents/new")
      expect(text.match(/<input type="checkbox" name="components\.\d+\.componentId"/g)?.length).toBe(120)
      expect([...text.matchAll(/<summary>(Without a group|Group \d)/g)].map(([, name]) => name)).toEqual(
        ["Without a group", "Group 0", "Group 1", "Group 2", "Group 3"]
      )
      // Of a page with as many as are allowed, the form of each template would hold them all again.
      yield* visitor.api("POST", "/incident-templates", { name: "Slow", title: "Slow", body: "We look.", kind: "incident" })
      expect((yield* visitor.get("/app/incidents/templates")).text.match(/name="componentIds:all" value="cmp_/g)?.length).toBe(
        120
      )

      const box = new RegExp(`name="(components\\.\\d+\\.componentId)" value="${last.id}"`).exec(text)?.[1] ?? ""
      const chosen = {
        _form: "incident",
        _back: "/app/incidents/new",
        [box]: last.id,
        [box.replace("componentId", "status:key")]: "partial_outage",
        // Not chosen, so without effect.
        "components.3.status:key": "major_outage"
      }
      const refused = yield* visitor.submit("/app/do/create_incident", { ...chosen, title: "", message: "We look." })
      expect(refused.status).toBe(422)
      expect(refused.text).toContain(`name="${box}" value="${last.id}" checked`)
      expect(refused.text.match(/componentId" value="[^"]*" checked/g)?.length).toBe(1)
      expect(refused.text).toMatch(/<details open>\s*<summary>Group 3 <span[^>]*>1 chosen/)
      yield* visitor.submit("/app/do/create_incident", { ...chosen, title: "Slow", message: "We look.", _then: "/app/incidents" })
      const { body: { data: [incident] } } = yield* visitor.api("GET", "/incidents")
      expect(incident.components).toEqual([{ componentId: last.id, status: "partial_outage" }])
    }))

  it.scoped("use templates, which are written and deleted beside them", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { path } = yield* outage(visitor)
      const here = "/app/incidents/templates"
      yield* visitor.submit("/app/do/create_incident_template", {
        _form: "new-template",
        _back: here,
        _then: here,
        name: "Slow",
        title: "{{component}} is slow",
        body: "{{component}} is slow. We are on it."
      })
      const { body } = yield* visitor.api("GET", "/incident-templates")
      const [template] = body.data
      expect((yield* visitor.get(`${path}?template=${template.id}`)).text).toContain("Checkout is slow. We are on it.</textarea>")
      expect((yield* visitor.get(`/app/incidents/new?template=${template.id}`)).text).toContain(
        "is slow. We are on it.</textarea>"
      )
      const edit = `${here}?template=${template.id}`
      yield* submitted(visitor, edit, `edit-${template.id}`, {
        impact: "critical",
        componentStatus: "major_outage",
        "order:number": "7"
      })
      yield* submitted(visitor, edit, `edit-${template.id}`, { name: "Very slow" })
      const [changed] = (yield* visitor.api("GET", "/incident-templates")).body.data
      const kept = { name: "Very slow", impact: "critical", componentStatus: "major_outage", order: 7 }
      expect(changed).toEqual({ ...template, ...kept, updatedAt: changed.updatedAt })
      yield* visitor.submit("/app/do/delete_incident_template", { _form: "delete", _back: here, _then: here, id: template.id })
      expect((yield* visitor.get(here)).text).toContain("No templates yet")
    }))

  it.scoped("show what each version of a postmortem changed, and refuse to overwrite a newer one", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { id, path } = yield* outage(visitor)
      const here = `${path}/postmortem`
      const form = { _form: "save", _back: here, id }
      yield* visitor.submit("/app/do/save_postmortem", { ...form, _then: here, markdown: "# Slow\nCause unknown\nEnd" })
      const second = { ...form, "baseVersion:number": "1", markdown: "# Slow\nA deploy\nEnd" }
      yield* visitor.submit("/app/do/save_postmortem", { ...second, _then: here })
      const { text } = yield* visitor.get(`${here}?version=2`)
      expect(text).toContain("<del>- Cause unknown\n</del><ins>+ A deploy\n</ins>")
      const stale = yield* visitor.submit("/app/do/save_postmortem", { ...second, markdown: "Mine" })
      expect(stale.status).toBe(409)
      expect(stale.text).toContain(">Mine</textarea>")
      const draft = yield* visitor.submit("/app/do/generate_postmortem", { _form: "draft", _back: here, id, mode: "template" })
      expect(draft.text).toContain("It is not saved yet")
    }))

  it.scoped("show members what they may do, and viewers only what happened", () =>
    Effect.gen(function*() {
      const { id: workspace, visitor } = yield* newOwner()
      const { path } = yield* outage(visitor)
      const viewer = yield* signedIn(WorkspaceId.make(workspace), "viewer")
      const seen = yield* visitor.get(path, viewer.headers)
      expect([seen.status, seen.text.includes("We are looking into slow checkouts.")]).toEqual([200, true])
      expect(seen.text).not.toMatch(/action="\/app\/do\/(?:post|resolve|acknowledge|analyze|escalate|hand_over)/)
      const list = yield* visitor.get("/app/incidents", viewer.headers)
      const windows = yield* visitor.get("/app/maintenance", viewer.headers)
      expect([list, windows].map(({ text }) => /href="\/app\/(?:incidents|maintenance)\/new"/.test(text))).toEqual([false, false])
      const empty = yield* visitor.get("/app/incidents/new", viewer.headers)
      expect(empty.text).toContain("Your role does not allow this.")
      const { visitor: stranger } = yield* newOwner()
      expect((yield* stranger.get(path)).status).toBe(404)
    }))
})

layer(TestProgram, { excludeTestServices: true, timeout: "120 seconds" })("the views of maintenance and third parties", (it) => {
  it.scoped("schedule a window in the person's clock time, and show it and its series in the calendar", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      visitor.cookies.set("belltower_zone", "Europe%2FBerlin")
      const back = "/app/maintenance/new"
      const fields = {
        _form: "maintenance",
        _back: back,
        title: "Database upgrade",
        message: "Checkout is away.",
        "scheduledStart:moment@Europe/Berlin": "2031-03-29T02:30",
        "scheduledEnd:moment@Europe/Berlin": "2031-03-29T04:00",
        "recurrence.timezone:key": "Europe/Berlin",
        "remindMinutes:numbers": "60"
      }
      const once = yield* visitor.submit("/app/do/schedule_maintenance", { ...fields, _then: "/app/incidents/{id}" })
      expect(once.location).toMatch(/^\/app\/incidents\/inc_/)
      const { body } = yield* visitor.api("GET", "/incidents?kind=maintenance")
      expect(body.data[0]).toMatchObject({
        scheduledStart: "2031-03-29T01:30:00.000Z",
        scheduledEnd: "2031-03-29T03:00:00.000Z"
      })
      yield* visitor.submit("/app/do/schedule_maintenance", {
        ...fields,
        _then: "/app/maintenance",
        title: "Rotation",
        "recurrence.rule": "FREQ=WEEKLY"
      })
      const { text } = yield* visitor.get("/app/maintenance?month=2031-04")
      expect(text).toContain("April 2031")
      expect(text.match(/Rotation \(planned\)/g)?.length).toBe(5)
      const march = yield* visitor.get("/app/maintenance?month=2031-03")
      expect(march.text).toMatch(/class="window is-calm"[^>]*title="Database upgrade/)
      const refused = yield* visitor.submit("/app/do/schedule_maintenance", {
        ...fields,
        "scheduledEnd:moment@Europe/Berlin": "2031-03-28T04:00"
      })
      expect(refused.status).toBe(422)
      expect(refused.text).toContain("value=\"2031-03-28T04:00\"")
    }))

  it.scoped("say when the windows of a series would begin, on the clock of its zone", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const times = (query: Readonly<Record<string, string>>) =>
        visitor.api("GET", `/maintenance/times?${new URLSearchParams(query).toString()}`)
      const series = { rule: "FREQ=WEEKLY;BYDAY=SU", start: "2031-03-23T01:30:00Z", timezone: "Europe/Berlin" }
      const { body } = yield* times({ ...series, limit: "3" })
      expect(body.data.map(({ at }: { readonly at: string }) => at)).toEqual([
        "2031-03-23T01:30:00.000Z",
        // That night the clock skips 2:30.
        "2031-03-30T01:30:00.000Z",
        "2031-04-06T00:30:00.000Z"
      ])
      expect((yield* times({ ...series, rule: "FREQ=DAILY;COUNT=2" })).body.data).toHaveLength(2)
      const refused = yield* times({ ...series, rule: "FREQ=SOMETIMES" })
      expect([refused.status, refused.body.error.message]).toEqual([422, expect.stringContaining("FREQ must be")])
    }))

  it.scoped("keep the list of third parties, down to none", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const here = "/app/upstreams"
      expect((yield* visitor.get(here)).text).toContain("No third parties yet")
      const { body: known } = yield* visitor.api("GET", "/upstreams")
      const [one] = known.data
      expect((yield* visitor.get(`${here}?add=${one.service}`)).text).toContain(`Add ${one.name}`)
      const add = {
        _form: "add-upstream",
        _back: here,
        _then: here,
        "upstreams.0.service": one.service,
        "upstreams.0.component": ""
      }
      expect((yield* visitor.submit("/app/do/update_workspace", add)).status).toBe(303)
      expect((yield* visitor.get(here)).text).toContain(`href="/status/${one.service}/all"`)
      yield* visitor.submit("/app/do/update_workspace", { _form: "keep", _back: here, _then: here, "upstreams:all": "" })
      expect((yield* visitor.api("GET", "/workspace")).body.upstreams).toEqual([])
    }))
})
