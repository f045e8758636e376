/** Names and messages from right to left, on pages, in feeds and in mails. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import { GroupId, IncidentId } from "../../schema/Ids.ts"
import { withBrandingDefaults, withSettingsDefaults } from "../../src/domain/page/PageDefaults.ts"
import { runSteps } from "../../src/domain/tools/Steps.ts"
import { escalationMail } from "../../src/notify/mail/EscalationMail.ts"
import { invitationMail } from "../../src/notify/mail/InvitationMail.ts"
import { layOut } from "../../src/notify/mail/MailLayout.ts"
import { confirmationMail, newsMail } from "../../src/notify/subscriber/SubscriberMail.ts"
import { nothingRead } from "../../src/pages/FormReads.ts"
import { htmlForm, type PageForm } from "../../src/pages/PageForm.ts"
import { renderForm } from "../../src/pages/PageView.ts"
import { foreignTexts, isMixed } from "../support/browser/OwnDirection.ts"
import { baseUrl, incidentRow, now, pageRow, snapshotOf } from "./Fixtures.ts"

const marker = "שלום"
const name = `${marker} 24/7`

const open = incidentRow({
  title: name,
  updates: [`${name}: **${marker}** (1)`, `- ${marker}\n- b`, "We are investigating a problem with Checkout."]
})

const snapshot = snapshotOf([name, `${name}!`], {
  page: pageRow({
    name,
    description: name,
    branding: withBrandingDefaults({ footerText: name, footerLinks: [{ label: name, url: "https://a.test/" }] }),
    settings: withSettingsDefaults({}, "UTC")
  }),
  groups: [{ id: GroupId.make("grp_1"), name, description: name, collapsed: false }],
  incidents: [
    open,
    { ...open, id: IncidentId.make("inc_2"), automatic: true },
    { ...open, id: IncidentId.make("inc_3"), status: "resolved", resolvedAt: DateTime.add(now, { minutes: 9 }) },
    { ...open, id: IncidentId.make("inc_4"), kind: "maintenance", status: "scheduled", scheduledStart: now, scheduledEnd: now }
  ]
})
const { components, ...rest } = snapshot
const shown = {
  ...rest,
  components: components.map((one, index) => ({
    ...one,
    description: name,
    statusMessage: name,
    group: index === 0 ? GroupId.make("grp_1") : null
  }))
}

const visitor = { language: "en", locale: "en" } as const
const period = { month: "2026-11", from: now, before: now, previous: "2026-10", next: null }
const forms: ReadonlyArray<PageForm> = [
  htmlForm(shown, "en", false),
  htmlForm(shown, "de", true),
  { _tag: "Month", visitor, period },
  { _tag: "Incident", visitor, id: open.id },
  { _tag: "Embed", visitor }
]

describe("a name from right to left", () => {
  it.each(forms)("has its own direction on a page ($_tag)", (form) => {
    const html = runSteps(renderForm(shown, form, baseUrl, { ...nothingRead, incidents: [open] })).body.toString("utf8")
    expect(html).toContain(marker)
    expect(foreignTexts(html, marker)).toEqual([])
  })

  it("has its own direction in feeds", () => {
    const feed = runSteps(
      renderForm(shown, { _tag: "Feed", kind: "rss", language: "en" }, baseUrl, { ...nothingRead, incidents: [open] })
    ).body.toString("utf8")
    const [, html = ""] = /<description>(&lt;[^<]*)<\/description>/.exec(feed) ?? []
    expect(foreignTexts(html.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", "\""), marker)).toEqual([])
  })

  it("has its own direction in mails, and in their subjects and plain text beside other words", () => {
    const link = "https://belltower.test/x"
    const mails = [
      confirmationMail({ language: "en", link, pageName: name }),
      newsMail({
        language: "en",
        tone: "down",
        manage: link,
        unsubscribe: link,
        content: {
          page: {
            id: pageRow().id,
            slug: "acme",
            name,
            url: link,
            status: "major_outage",
            statusText: "Major outage",
            api: link
          },
          data: {},
          told: { title: `Investigating: \u2068${name}\u2069`, text: `${name} **${marker}**`, facts: [], link }
        }
      }),
      escalationMail({
        title: name,
        policy: { name: name, level: 1, levels: 2 },
        startedAt: DateTime.unsafeMake("2026-11-22T10:00:00Z"),
        unacknowledgedForMinutes: 0,
        acknowledgeLink: link,
        incidentLink: link,
        incidentId: "inc_1"
      }),
      invitationMail({ link, workspaceName: name, role: "admin", invitedBy: name, validDays: 7 }),
      {
        subject: "x",
        ...layOut({ title: name, paragraphs: [name], facts: [{ label: name, value: name }], action: null, closing: [] })
      }
    ]
    for (const { html, subject, text } of mails) {
      expect(foreignTexts((html ?? "").replace(/<title>.*<\/title>/, ""), marker)).toEqual([])
      expect(isMixed(subject, marker)).toBe(false)
      // A line that somebody wrote has the direction of its own text.
      const lines = text.split("\n").filter((line) => !line.startsWith(marker) && isMixed(line, marker))
      expect(lines).toEqual([])
    }
  })
})
