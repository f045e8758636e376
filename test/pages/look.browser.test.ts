/** How a status page looks: WCAG 2.2 AA in each preset and mode, by axe in a real browser; nothing wider than a phone. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Option } from "effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { ComponentId, GroupId, IncidentId, MonitorId, UpdateId } from "../../schema/Ids.ts"
import { monthPeriod } from "../../src/domain/page/Month.ts"
import { withThemeDefaults } from "../../src/domain/page/PageDefaults.ts"
import type { PageIncident } from "../../src/domain/page/PageIncident.ts"
import type { Snapshot } from "../../src/domain/page/snapshot/Snapshot.ts"
import { presets } from "../../src/domain/page/Theme.ts"
import { runSteps } from "../../src/domain/tools/Steps.ts"
import { type FormRead, nothingRead } from "../../src/pages/FormReads.ts"
import { htmlForm, type PageForm } from "../../src/pages/PageForm.ts"
import { renderForm } from "../../src/pages/PageView.ts"
import { chromium, openPage } from "../support/browser/Browser.ts"
import { httpTarget } from "../support/targets/LocalTargets.ts"
import { baseUrl, now, pageRow, snapshotOf } from "./Fixtures.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Set to a folder to keep a picture of each page there. */
const pictures = process.env["PICTURES"]

const incidentOf = (id: string, more: Partial<PageIncident>): PageIncident => ({
  id: IncidentId.make(id),
  kind: "incident",
  title: "Slow checkout",
  status: "identified",
  impact: "minor",
  startedAt: DateTime.subtract(now, { hours: 3 }),
  resolvedAt: null,
  scheduledStart: null,
  scheduledEnd: null,
  components: [{ componentId: ComponentId.make("cmp_1"), status: "degraded" }],
  aiSummary: null,
  automatic: false,
  monitorName: null,
  monitorTarget: null,
  otherNames: [],
  isCut: false,
  updates: [
    {
      id: UpdateId.make(`${id}1`),
      status: "investigating",
      body: "We are looking into slow checkouts.",
      at: DateTime.subtract(now, { hours: 3 }),
      ai: false,
      public: true,
      byPerson: true
    },
    {
      id: UpdateId.make(`${id}2`),
      status: "identified",
      body: "A database index is missing. We are adding it now.",
      at: DateTime.subtract(now, { hours: 1 }),
      ai: false,
      public: true,
      byPerson: true
    }
  ],
  ...more
})

const day = 86_400_000

/** A page with everything on it: each status, groups, incidents, maintenance and links. */
const fullPage = (theme: Snapshot["page"]["theme"]): Snapshot => {
  const names = ["Website", "Checkout", "Payments", "Search", "Mail", "Reports", "Mobile app", "Admin"]
  const statuses = ["operational", "degraded", "partial_outage", "major_outage", "maintenance", "unknown"] as const
  const today = DateTime.toEpochMillis(now)
  const plain = snapshotOf(names, {
    groups: [{ id: GroupId.make("grp_1"), name: "Back office", description: "What our team works with", collapsed: true }],
    spans: new Map(names.map((_, index) => [
      MonitorId.make(`mon_${index}`),
      Array.from({ length: 80 }, (_, at) => today - (80 - at) * day).flatMap((from, at) => [
        { state: at % (7 + index) === 3 ? "down" as const : "up" as const, startedAt: from, endedAt: from + 4_000_000 },
        { state: at % 11 === 5 ? "degraded" as const : "up" as const, startedAt: from + 4_000_000, endedAt: from + day }
      ])
    ])),
    incidents: [
      incidentOf("inc_1", {}),
      incidentOf("inc_2", {
        kind: "maintenance",
        title: "Database upgrade",
        status: "scheduled",
        impact: "none",
        scheduledStart: DateTime.add(now, { days: 2 }),
        scheduledEnd: DateTime.add(now, { days: 2, hours: 2 })
      }),
      incidentOf("inc_3", { title: "Mails arrived late", status: "resolved", resolvedAt: DateTime.subtract(now, { hours: 1 }) })
    ]
  })
  return {
    ...plain,
    status: "partial_outage",
    groups: [{ id: GroupId.make("grp_1"), name: "Back office", description: "What our team works with", collapsed: true }],
    page: pageRow({
      description: "The state of the Acme shop and of everything behind it.",
      theme,
      branding: {
        ...pageRow().branding,
        headerLinks: [{ label: "Documentation", url: "https://docs.acme.test/" }],
        supportUrl: "https://acme.test/help",
        footerText: "Acme Ltd, 1 Main Street",
        footerLinks: [{ label: "Privacy", url: "https://acme.test/privacy" }]
      }
    }),
    components: plain.components.map((component, index) => ({
      ...component,
      status: statuses[index] ?? "operational",
      group: index >= 6 ? GroupId.make("grp_1") : null,
      description: index === 1 ? "Cart, payment form and receipts" : null
    }))
  }
}

const month = Option.getOrThrow(monthPeriod("2026-11", now, "UTC"))

const english = { language: "en", locale: "en" } as const

const formsOf = (snapshot: Snapshot): ReadonlyArray<readonly [name: string, form: PageForm, read: FormRead]> => {
  const incidents = [...snapshot.incidents, ...snapshot.past]
  const [first] = snapshot.incidents
  return [
    ["page", htmlForm(snapshot, "en", false), nothingRead],
    ["history", { _tag: "Month", visitor: english, period: month }, { ...nothingRead, incidents }],
    ...(first === undefined ? [] : [
      [
        "incident",
        { _tag: "Incident", visitor: english, id: first.id },
        { ...nothingRead, incidents: [first] }
      ] as const
    ])
  ]
}

describe.skipIf(chromium === undefined && process.env["CI"] === undefined)("A status page for everybody", () => {
  for (const preset of presets) {
    it.scopedLive(`meets WCAG 2.2 AA in ${preset}, light and dark, and fits on a phone`, () =>
      Effect.gen(function*() {
        let shown: { readonly snapshot: Snapshot; readonly form: PageForm; readonly read: FormRead } | null = null
        const url = yield* httpTarget((_, response) => {
          const document = shown === null ? null : runSteps(renderForm(shown.snapshot, shown.form, baseUrl, shown.read))
          response.writeHead(200, { "content-type": document?.contentType ?? "text/plain" }).end(document?.body)
        })
        const page = yield* openPage(chromium ?? "")
        for (const mode of ["light", "dark"] as const) {
          const snapshot = fullPage(withThemeDefaults({ preset, mode }))
          for (const [name, form, read] of formsOf(snapshot)) {
            shown = { snapshot, form, read }
            yield* page.resize(1200)
            yield* page.goTo(url)
            yield* page.evaluate(`${axe};null`)
            const found = yield* page.evaluate(
              `axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
                .then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html.slice(0, 200) + " " + nodes[0].failureSummary))`
            )
            expect(found, `${preset} ${mode} ${name}`).toEqual([])
            if (pictures !== undefined) {
              yield* page.screenshot(`${pictures}/${preset}-${mode}-${name}.png`, { width: 1200, dark: mode === "dark" })
            }
            yield* page.resize(390)
            expect(yield* page.evaluate("document.documentElement.scrollWidth")).toBe(390)
            if (pictures !== undefined) {
              yield* page.screenshot(`${pictures}/${preset}-${mode}-${name}-phone.png`, { width: 390, dark: mode === "dark" })
            }
          }
        }
      }), 120_000)
  }
})
