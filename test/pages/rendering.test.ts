import { describe, expect, it } from "@effect/vitest"
import { DateTime, Option } from "effect"
import { createHash } from "node:crypto"
import { gunzipSync, gzipSync } from "node:zlib"
import type { EffectiveStatus } from "../../schema/component/Component.ts"
import { ComponentId, EventId, GroupId, MonitorId, UpdateId, WorkspaceId } from "../../schema/Ids.ts"
import { Language } from "../../schema/page/Page.ts"
import { withListed } from "../../src/domain/incident/ManualIncident.ts"
import {
  withBrandingDefaults,
  withSeoDefaults,
  withSettingsDefaults,
  withThemeDefaults
} from "../../src/domain/page/PageDefaults.ts"
import type { PageIncident } from "../../src/domain/page/PageIncident.ts"
import { presetStyles } from "../../src/domain/page/Presets.ts"
import { publicIncident } from "../../src/domain/page/PublicIncidentView.ts"
import type { Snapshot } from "../../src/domain/page/snapshot/Snapshot.ts"
import { presets } from "../../src/domain/page/Theme.ts"
import { runSteps } from "../../src/domain/tools/Steps.ts"
import { incidentContents, type Scene } from "../../src/notify/subscriber/ComposeBroadcast.ts"
import { componentHistory } from "../../src/pages/ComponentHistory.ts"
import { renderNotice } from "../../src/pages/html/Render.tsx"
import { htmlForm, type PageForm } from "../../src/pages/PageForm.ts"
import { renderForm } from "../../src/pages/PageView.ts"
import { openView, shownIncidents } from "../../src/pages/PublicView.ts"
import type { WebDocument } from "../../src/pages/WebDocument.ts"
import { baseUrl, incidentRow as incident, now, pageRow, snapshotOf } from "./Fixtures.ts"

const textOf = (document: WebDocument) => gunzipSync(document.gzip).toString("utf8")
const renderNow = (snapshot: Snapshot, form: PageForm): WebDocument => {
  const { body, ...headers } = runSteps(renderForm(snapshot, form, baseUrl))
  return { ...headers, gzip: gzipSync(body) }
}
const documentOf = (snapshot: Snapshot, language = "en", stale = false) =>
  renderNow(snapshot, htmlForm(snapshot, language, stale))
const htmlOf = (snapshot: Snapshot, language = "en", stale = false) => textOf(documentOf(snapshot, language, stale))

/** The content of each inline style sheet or script. */
const inline = (html: string, tag: "style" | "script") =>
  [...html.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, "g"))].map(([, text]) => text ?? "")

/** The messages to subscribers of the page about an incident. */
const newsOf = (open: PageIncident, page: Scene["page"]): string => {
  const { automatic: _, monitorName: __, monitorTarget: ___, otherNames: ____, isCut: _____, ...then } = open
  const event = {
    workspaceId: WorkspaceId.make("ws_1"),
    id: EventId.make("evt_1"),
    type: "incident.updated",
    at: now,
    data: {}
  } as const
  const scene: Scene = {
    event: { ...event, pageId: page.id },
    page,
    visible: [],
    incident: open,
    incidents: [open],
    url: baseUrl,
    api: baseUrl,
    languages: ["en"]
  }
  const contents = incidentContents(scene, {
    incident: {
      ...then,
      url: baseUrl,
      automatic: false,
      public: true,
      monitorId: null,
      pageIds: [page.id],
      acknowledgement: null,
      likelyUpstream: null,
      createdAt: now,
      updatedAt: now,
      aiReports: []
    },
    update: { id: UpdateId.make("upd_0"), status: "investigating", body: "We are looking.", at: now, ai: false, public: true }
  })
  return JSON.stringify(Option.getOrThrow(contents))
}

describe("A status page", () => {
  it("renders names as text, whatever they contain", () => {
    const hostile = `"><img src=x onerror=alert(1)></script><script>alert(2)</script>`
    const html = htmlOf(
      snapshotOf([hostile], { page: pageRow({ name: hostile, description: hostile, seo: withSeoDefaults({ title: hostile }) }) })
    )
    expect(html).not.toContain("<img")
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).not.toContain(`"><`.concat("img"))
  })

  it("has the owner's title exactly, and otherwise the status before the page's name", () => {
    const titleOf = (seo: { readonly title?: string }) =>
      /<title>(.*?)<\/title>/.exec(htmlOf(snapshotOf(["API"], { page: pageRow({ seo: withSeoDefaults(seo) }) })))?.[1]
    expect(titleOf({ title: "Acme Status" })).toBe("Acme Status")
    expect(titleOf({})).toBe("All systems operational · Acme")
    expect(titleOf({ title: " " })).toBe("All systems operational · Acme")
  })

  it("shows the summary by AI of an incident, and mails it, only if the page lets AI write for its visitors", () => {
    const text = "A database is slow."
    const open = incident({ updates: ["We are looking."], aiSummary: text })
    const summaries = [true, false].map((aiPublicUpdates) => {
      const page = pageRow({ settings: withSettingsDefaults({ aiPublicUpdates }, "UTC") })
      const snapshot = snapshotOf(["API"], { page, incidents: [open] })
      const sent = newsOf(open, page)
      return [
        runSteps(openView(snapshot, "en", baseUrl)).page.incidents.map(({ aiSummary }) => aiSummary),
        runSteps(shownIncidents(snapshot, [open], "en", baseUrl))[0]?.aiSummary,
        sent.includes(text),
        sent.includes("We are looking.")
      ]
    })
    expect(summaries).toEqual([[[text], text, true, true], [[null], null, false, true]])
  })

  it("tells subscribers the zone of a maintenance window's time", () => {
    const window = incident({
      updates: ["We upgrade."],
      kind: "maintenance",
      scheduledStart: DateTime.unsafeMake("2026-11-25T22:00:00Z"),
      scheduledEnd: DateTime.unsafeMake("2026-11-25T23:30:00Z")
    })
    const page = pageRow({ settings: withSettingsDefaults({}, "Asia/Tokyo") })
    expect(newsOf(window, page).replaceAll(/\s/gu, " ")).toContain("Nov 26, 2026, 7:00 – 8:30 AM GMT+9")
  })

  it("shows the message of a push as text", () => {
    const said = `<b>No workers</b>`
    const snapshot = snapshotOf(["Queue"])
    const html = htmlOf({ ...snapshot, components: snapshot.components.map((one) => ({ ...one, statusMessage: said })) })
    expect(html).toContain("&lt;b>No workers&lt;/b>")
  })

  it("links only to http and https", () => {
    const branding = withBrandingDefaults({
      websiteUrl: "javascript:alert(1)",
      logoUrl: "javascript:alert(2)",
      faviconUrl: "data:text/html,<script>alert(3)</script>",
      headerLinks: [{ label: "Bad", url: "javascript:alert(4)" }, { label: "Docs", url: "https://docs.test/" }],
      footerLinks: [{ label: "Also bad", url: "data:text/html,x" }]
    })
    const html = htmlOf(snapshotOf(["API"], { page: pageRow({ branding }) }))
    expect(html).not.toMatch(/javascript:|data:text/)
    expect(html).toContain(`<a href="https://docs.test/" rel="noopener">Docs</a>`)
  })

  it("confines an owner's CSS to its own element", () => {
    const customCss = `.card{color:red}</style><script>alert(1)</script><style>`
    const html = htmlOf(snapshotOf(["API"], { page: pageRow({ theme: withThemeDefaults({ customCss }) }) }))
    expect(inline(html, "style")).toHaveLength(2)
    expect(inline(html, "script")).toHaveLength(1)
    expect(html).toContain(`.card{color:red}<\\/style>`)
  })

  it("omits invalid theme values", () => {
    const theme = withThemeDefaults({
      tokens: { bg: "red;} body{display:none", text: "#123456" },
      fontSans: `x";}`,
      preset: "no"
    })
    const html = htmlOf(snapshotOf(["API"], { page: pageRow({ theme }) }))
    expect(html).not.toContain("display:none;")
    expect(html).not.toContain(`x";}`)
    expect(html).toContain("--text:#123456;")
  })

  it("allows only its own style sheets and script by hash, and nothing else inline", () => {
    const document = documentOf(
      snapshotOf(["API"], { page: pageRow({ theme: withThemeDefaults({ customCss: "p{margin:1px}" }) }) })
    )
    const html = textOf(document)
    const policy = document.contentSecurityPolicy ?? ""
    const parts = [...inline(html, "style"), ...inline(html, "script")]
    expect(parts).toHaveLength(3)
    for (const part of parts) expect(policy).toContain(`'sha256-${createHash("sha256").update(part).digest("base64")}'`)
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain("unsafe")
    expect(html).not.toMatch(/ style=| on[a-z]+=/)
  })

  it("expresses every colour as text too", () => {
    const html = htmlOf(snapshotOf(["API"]))
    expect(html).toContain("All systems operational")
    expect(html).toMatch(
      /<ol class="bars" tabindex="0" aria-label="API, Uptime history. Last 90 days. 100% uptime. Days with problems: 0">/
    )
    expect(html.match(/<li class="n" tabindex="-1"/g)).toHaveLength(84)
    expect(html.match(/<li class="o" tabindex="-1"/g)).toHaveLength(6)
    expect(html).toContain(`aria-label="Nov 20: Operational, 100%"`)
  })

  it("uses the visitor's language, or its own", () => {
    expect(htmlOf(snapshotOf(["API"]), "de-AT,de;q=0.9")).toMatch(/<html lang="de">[\s\S]*Alle Systeme in Betrieb/)
    const settings = withSettingsDefaults({ language: "ja" }, "UTC")
    expect(htmlOf(snapshotOf(["API"], { page: pageRow({ settings }) }), "de")).toContain("すべてのシステムが正常です")
  })

  it("translates automatic notes into the visitor's language, and leaves people's texts unchanged", () => {
    const snapshot = snapshotOf(["Kasse"], {
      incidents: [incident({
        automatic: true,
        monitorName: "checkout-prod",
        updates: [
          "We are investigating a problem with checkout-prod.",
          "We are on it.",
          "checkout-prod recovered after 1 hour 5 minutes."
        ]
      })]
    })
    const html = htmlOf(snapshot, "de")
    expect(html).toContain("<p dir=\"auto\">Wir untersuchen ein Problem mit Kasse.</p>")
    expect(html).toContain("<p dir=\"auto\">We are on it.</p>")
    expect(html).toContain("<p dir=\"auto\">Kasse: nach 1 Std. 5 Min. behoben.</p>")
  })

  it("says how long an incident lasted as its last note does, and keeps a status apart from its time", () => {
    const over = incident({
      automatic: true,
      status: "resolved",
      resolvedAt: DateTime.add(now, { millis: 109_600 }),
      updates: ["We are investigating a problem with Checkout.", "Checkout recovered after 1 minute 50 seconds."]
    })
    const html = htmlOf(snapshotOf(["Checkout"], { incidents: [over] }))
    expect(html).toContain("Resolved after 1 min 50 sec")
    expect(html).toContain("Checkout recovered after 1 min 50 sec.")
    expect(html).toContain("</b> <time")
  })

  it("names in automatic notes the components that it shows, and no others", () => {
    const components = ["major_outage", "major_outage", "operational"].map((status, index) => ({
      componentId: ComponentId.make(`cmp_${index}`),
      status: status as "major_outage" | "operational"
    }))
    const of = (names: ReadonlyArray<string>, updates: ReadonlyArray<string>) =>
      htmlOf(snapshotOf(names, {
        incidents: [incident({ automatic: true, components, otherNames: ["Billing", "Search"], updates })]
      }))
    const html = of(["Checkout", "Search"], [
      "We are investigating a problem with Billing, Checkout.",
      "We are investigating a problem with Billing.",
      "Billing is affected too.",
      "Billing is partly down.",
      "Search is affected too.",
      "Billing has recovered; the incident is still open.",
      "Billing, Checkout: monitoring was paused after 3 minutes.",
      "Billing, Checkout, Search recovered after 3 minutes."
    ])
    expect(html).not.toContain("Billing")
    const notes = [...html.matchAll(/<p dir="auto">([^<]*\.)<\/p>/g)].map(([, note]) => note)
    expect(notes.reverse()).toEqual([
      "We are investigating a problem with Checkout.",
      "We are investigating a problem with Checkout and Search.",
      "We are investigating a problem.",
      "We are investigating a problem.",
      "Search is affected too.",
      "We are investigating a problem.",
      "Checkout: monitoring ended after 3 min.",
      "Checkout and Search recovered after 3 min."
    ])
  })

  it("calls an automatic incident after the worst that it was, in words of the language, for good", () => {
    const [first, second] = ["cmp_0", "cmp_1"].map((id) => ComponentId.make(id)) as [ComponentId, ComponentId]
    const titles = (components: PageIncident["components"], impact: PageIncident["impact"] = "major") =>
      ["en", "de"].map((language) =>
        publicIncident([{ id: first, name: "Checkout" }, { id: second, name: "Search" }], language as Language, "", false)(
          incident({ automatic: true, components, impact, updates: [] })
        ).title
      )
    const listed = (components: PageIncident["components"], status: "operational" | "degraded", componentId = first) =>
      withListed(components, [{ componentId, status }])
    const opened = [{ componentId: first, status: "major_outage" }] as const
    const down = ["Checkout is down", "Checkout: Ausfall"]
    expect(titles(opened)).toEqual(down)
    const better = listed(opened, "operational")
    expect(titles(better)).toEqual(down)
    expect(titles(listed(better, "degraded"))).toEqual(down)
    // A component that is only said to be well did not fail.
    expect(titles(listed(better, "operational", second))).toEqual(down)
    const mild = listed([{ componentId: first, status: "degraded" }], "operational")
    expect(titles(mild, "minor")).toEqual(["Checkout: Degraded", "Checkout: Beeinträchtigt"])
    // Stored by a version that did not keep what a component had.
    expect(titles([{ componentId: first, status: "operational" }])).toEqual(down)
  })

  it("names one component in the title of an automatic incident and counts the others, in all languages", () => {
    const names = Array.from({ length: 11 }, (_, index) => `Part ${index}`)
    const shown = names.map((name, index) => ({ id: ComponentId.make(`cmp_${index}`), name }))
    const title = (count: number, status: "degraded" | "major_outage", language: Language) =>
      publicIncident(shown, language, "", false)(
        incident({
          automatic: true,
          impact: "major",
          updates: [],
          components: shown.slice(0, count).map(({ id }) => ({ componentId: id, status }))
        })
      ).title
    expect(title(11, "major_outage", "en")).toBe("Part 0 and 10 more are down")
    expect(title(2, "major_outage", "en")).toBe("Part 0 and 1 more are down")
    expect(title(1, "major_outage", "en")).toBe("Part 0 is down")
    expect(title(4, "degraded", "en")).toBe("Part 0 and 3 more: Degraded")
    for (const language of Language.literals) {
      expect(title(11, "major_outage", language)).toMatch(/^Part 0 .*10/)
      expect(title(11, "major_outage", language)).not.toContain("Part 1")
    }
  })

  it("leaves a person's text unchanged even if it reads like a note of the service", () => {
    const written = incident({ updates: ["checkout-prod recovered after 1 hour 5 minutes."], monitorName: "checkout-prod" })
    const byPerson = { ...written, automatic: true, updates: written.updates.map((one) => ({ ...one, byPerson: true })) }
    const html = htmlOf(snapshotOf(["Kasse"], { incidents: [byPerson] }), "de")
    expect(html).toContain("<p dir=\"auto\">checkout-prod recovered after 1 hour 5 minutes.</p>")
  })

  it("shows no secret of a URL, neither in a person's text nor in an automatic note", () => {
    const url = "https://shop.test/?token=hunter2"
    const incidents = [
      incident({ title: `Slow: ${url}`, aiSummary: `GET ${url}: 503`, updates: [`See ${url}.`] }),
      incident({
        automatic: true,
        monitorName: url,
        aiSummary: `GET ${url}: 503`,
        updates: [`${url} recovered after 1 hour 5 minutes.`]
      })
    ]
    expect(htmlOf(snapshotOf(["API"], { incidents }))).not.toContain("hunter2")
  })

  it("rates a group like a page: maintenance of one component does not mask the outage of another", () => {
    const { components, ...rest } = snapshotOf(["API", "Queue", "Search"])
    const group = { id: GroupId.make("grp_1"), name: "Core", description: "Behind it all", collapsed: true }
    const statuses: ReadonlyArray<EffectiveStatus> = ["maintenance", "major_outage", "operational"]
    const grouped = components.map((one, index) => ({ ...one, group: group.id, status: statuses[index] ?? "unknown" }))
    const [, head = ""] =
      /<details [^>]*open><summary>(.*?)<\/summary>/.exec(htmlOf({ ...rest, components: grouped, groups: [group] })) ?? []
    expect(head).toContain("<b>Partial outage</b>")
    // Everything that a summary may contain (HTML, section 4.11.2).
    expect(new Set([...head.matchAll(/<(\w+)/g)].map(([, tag]) => tag))).toEqual(new Set(["h3", "span", "svg", "path", "b"]))
  })

  it("shows when planned work begins and ends without repeating the day", () => {
    const planned = incident({
      kind: "maintenance",
      status: "scheduled",
      impact: "none",
      updates: ["We upgrade the database."],
      scheduledStart: DateTime.unsafeMake("2026-11-22T09:30:00Z"),
      scheduledEnd: DateTime.unsafeMake("2026-11-22T13:00:00Z")
    })
    const said = htmlOf(snapshotOf(["API"], { incidents: [planned] })).replace(/[\u2009\u202f\u00a0]/g, " ")
    expect(said).toContain("<p>Nov 22, 9:30 AM – 1:00 PM UTC</p>")
  })

  it("shows the status as its favicon, unless its owner set an icon", () => {
    const icon = (snapshot: Snapshot) => /<link rel="icon" href="([^"]*)"/.exec(htmlOf(snapshot))?.[1] ?? ""
    const snapshot = snapshotOf(["API"])
    expect(decodeURIComponent(icon(snapshot))).toContain(presetStyles.daylight.light.operational)
    expect(decodeURIComponent(icon({ ...snapshot, status: "major_outage" }))).toContain(presetStyles.daylight.light.major)
    const branding = withBrandingDefaults({ faviconUrl: "https://acme.test/icon.png" })
    expect(icon(snapshotOf(["API"], { page: pageRow({ branding }) }))).toBe("https://acme.test/icon.png")
  })

  it("publishes no percentage, not of a day either, if its owner disabled them", () => {
    const start = DateTime.toEpochMillis(now) - 5 * 86_400_000
    const spans = new Map([[MonitorId.make("mon_0"), [
      { state: "up" as const, startedAt: start, endedAt: start + 86_400_000 },
      { state: "down" as const, startedAt: start + 86_400_000, endedAt: start + 90_000_000 },
      { state: "up" as const, startedAt: start + 90_000_000, endedAt: null }
    ]]])
    const shown = (showUptimePercent: boolean) => {
      const settings = withSettingsDefaults({ showUptimePercent }, "UTC")
      const snapshot = snapshotOf(["API"], { page: pageRow({ settings }), spans })
      const [component] = snapshot.components
      if (component === undefined) throw new Error("The snapshot has no component")
      const { page } = runSteps(openView(snapshot, "en", baseUrl))
      return {
        html: htmlOf(snapshot),
        texts: [JSON.stringify(page), componentHistory("json", component), componentHistory("csv", component)],
        days: component.days ?? []
      }
    }
    const percents = /label="[^"]*\d%|% uptime|"uptimePercent":\d|^[\d-]+,\d/m
    const open = shown(true)
    for (const text of [open.html, ...open.texts]) expect(text).toMatch(percents)
    const closed = shown(false)
    for (const text of [closed.html, ...closed.texts]) expect(text).not.toMatch(percents)
    expect(closed.days).toEqual(open.days.map((day) => ({ ...day, uptimePercent: null })))
    expect(closed.html).toMatch(/label="[^"]*: Major outage, down for 1 hr/)
  })

  it("hides percentages and bars if its owner disabled them", () => {
    const settings = withSettingsDefaults({ showUptimePercent: false, uptimeDays: 7 }, "UTC")
    const html = htmlOf(snapshotOf(["API"], { page: pageRow({ settings }) }))
    expect(html).not.toContain("% uptime")
    expect(html.match(/<li class="[on]"/g)).toHaveLength(7)
  })

  it("warns when it may be out of date", () => {
    const warning = /<p class="warn"[^>]*>This page may be out of date/
    expect(htmlOf(snapshotOf(["API"]), "en", true)).toMatch(warning)
    expect(htmlOf(snapshotOf(["API"]), "en", false)).not.toMatch(warning)
  })

  it("is smaller than 60 kB with 20 components", () => {
    const document = documentOf(snapshotOf(Array.from({ length: 20 }, (_, index) => `Component number ${index}`)))
    expect(document.gzip.length).toBeLessThan(60_000)
  })

  it("keeps its ETag while only the time of the read changes", () => {
    const snapshot: Snapshot = { ...snapshotOf(["API"]), at: DateTime.add(now, { seconds: 30 }) }
    const later: Snapshot = { ...snapshot, at: DateTime.add(now, { seconds: 90 }) }
    expect(documentOf(later).etag).toBe(documentOf(snapshot).etag)
    expect(renderNow(later, { _tag: "Json", history: true }).etag).toBe(renderNow(snapshot, { _tag: "Json", history: true }).etag)
    expect(documentOf({ ...snapshot, status: "degraded" }).etag).not.toBe(documentOf(snapshot).etag)
    expect(documentOf(snapshot, "de").etag).not.toBe(documentOf(snapshot).etag)
  })
})

describe("A notice", () => {
  it.each(Language.literals)("in %s states that there is no page and nothing else", (language) => {
    const html = textOf(renderNotice("notFound", language))
    expect(html).toContain(`lang="${language}"`)
    expect(html).toContain("noindex")
    expect(inline(html, "script")).toHaveLength(0)
  })
})

describe("A preset", () => {
  const channel = (value: number) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  const luminance = (color: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => channel(parseInt(color.slice(at, at + 2), 16) / 255))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  /** WCAG 2.2, relative luminance contrast. */
  const contrast = (a: string, b: string) => {
    const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
    return (light + 0.05) / (dark + 0.05)
  }

  it.each(presets.flatMap((preset) => [[preset, "light"], [preset, "dark"]] as const))("%s %s is readable", (preset, mode) => {
    const palette = presetStyles[preset][mode]
    for (const ground of [palette.bg, palette.surface]) {
      for (const ink of [palette.text, palette.muted, palette.accent]) expect(contrast(ink, ground)).toBeGreaterThanOrEqual(4.5)
      const signs = [palette.operational, palette.degraded, palette.partial, palette.major, palette.maintenance]
      for (const sign of signs) expect(contrast(sign, ground)).toBeGreaterThanOrEqual(3)
    }
  })
})
