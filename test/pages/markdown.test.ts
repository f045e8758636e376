/** The Markdown of incidents on pages, in feeds and in other programs' formats. */
import { expect, it } from "@effect/vitest"
import { runSteps } from "../../src/domain/tools/Steps.ts"
import { nothingRead } from "../../src/pages/FormReads.ts"
import { htmlForm, type PageForm } from "../../src/pages/PageForm.ts"
import { renderForm } from "../../src/pages/PageView.ts"
import { baseUrl, incidentRow, now, snapshotOf } from "./Fixtures.ts"

const source = "**Slow**: see [status](https://acme.test/s?a=1&b=2) <script>alert(1)</script>\nand `x`"
const shown =
  "<p dir=\"auto\"><strong>Slow</strong>: see <a href=\"https://acme.test/s?a=1&amp;b=2\" rel=\"nofollow noopener\">status</a> " +
  "&lt;script&gt;alert(1)&lt;/script&gt;<br>and <code>x</code></p>"
const plain = "Slow: see status (https://acme.test/s?a=1&b=2) <script>alert(1)</script>\nand x"

const incident = incidentRow({ updates: [source] })
const byPerson = { ...incident, updates: incident.updates.map((update) => ({ ...update, byPerson: true })) }
const window = { ...byPerson, kind: "maintenance", status: "scheduled", scheduledStart: now, scheduledEnd: now } as const
const snapshot = snapshotOf(["API"], { incidents: [byPerson, window] })
const visitor = { language: "en", locale: "en" } as const

const rendered = (form: PageForm): string =>
  runSteps(renderForm(snapshot, form, baseUrl, { ...nothingRead, incidents: [byPerson] })).body.toString("utf8")

/** Without the places where long words may break. */
const view = (form: PageForm): string => rendered(form).replaceAll("<wbr>", "")

it("is shown on the page, for incidents and maintenance, in the history and on an incident's own page", () => {
  expect(view(htmlForm(snapshot, "en", false)).split(shown)).toHaveLength(3)
  const period = { month: "2026-11", from: now, before: now, previous: "2026-10", next: null }
  expect(view({ _tag: "Month", visitor, period })).toContain(shown)
  const own = view({ _tag: "Incident", visitor, id: incident.id })
  expect(own).toContain(shown)
  expect(own).toContain("content=\"Slow: see status (https://acme.test/s?a=1&amp;b=2) &lt;script>alert(1)&lt;/script> and x\"")
  expect(own).not.toContain("<script>alert")
})

it("is HTML in feeds, and plain text in Statuspage's format", () => {
  for (const kind of ["rss", "atom"] as const) {
    const feed = rendered({ _tag: "Feed", kind, language: "en" })
    expect(feed.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", "\"").replaceAll("&amp;", "&")).toContain(
      shown
    )
  }
  const { incidents } = JSON.parse(rendered({ _tag: "V2", document: "incidents" }))
  expect(incidents[0].incident_updates[0].body).toBe(plain)
})

it("stays as it was written in the interface", () => {
  const { incidents } = JSON.parse(rendered({ _tag: "Json", history: false }))
  expect(incidents[0].updates[0].body).toBe(source)
})

it("lets an address break between its parts, not within them", () => {
  const addressed = {
    ...byPerson,
    updates: byPerson.updates.map((update) => ({ ...update, body: "https://acme.test/incidents/42" }))
  }
  const { body } = runSteps(
    renderForm(snapshotOf(["API"], { incidents: [addressed] }), htmlForm(snapshot, "en", false), baseUrl, {
      ...nothingRead,
      incidents: [addressed]
    })
  )
  expect(body.toString("utf8")).toContain(">https://<wbr>acme.<wbr>test/<wbr>incidents/<wbr>42</a>")
})
