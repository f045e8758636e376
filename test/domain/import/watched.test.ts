/** Notes of an import on things that watch less, or show themselves to more people, than at their source. */
import { describe, expect, it } from "vitest"
import { betterMonitor } from "../../../src/domain/import/betterstack/BetterMonitor.ts"
import { betterPage } from "../../../src/domain/import/betterstack/BetterPage.ts"
import { statuspagePage } from "../../../src/domain/import/statuspage/StatuspageComponents.ts"
import { robotMonitor } from "../../../src/domain/import/uptimerobot/RobotMonitor.ts"
import { robotPage } from "../../../src/domain/import/uptimerobot/RobotPage.ts"

const url = "https://shop.example/"
const robot = (fields: object) => robotMonitor({ id: 1, url, ...fields }, new Map(), 0)
const better = (attributes: object) => betterMonitor({ id: "1", attributes: { url, ...attributes } }, new Map(), 0)

describe("an imported monitor", () => {
  it("that lacks its keyword says that only its URL is checked", () => {
    const note = "It has no keyword: its URL is checked"
    expect(robot({ type: "KEYWORD", keywordType: "ALERT_EXISTS" }).notes).toEqual([note])
    for (const monitor_type of ["keyword", "keyword_absence"]) expect(better({ monitor_type }).notes).toEqual([note])
  })

  it("whose URL is none says what is wrong with it once, and what it lacks", () => {
    expect(robot({ type: "HTTP", url: "shop.example" }).notes).toEqual([
      "url is left out: Expected an absolute http, https, ws or wss URL",
      "url is required for http monitors"
    ])
  })

  it("has a name and tags without HTML entities, also of numbers", () => {
    expect(robot({ type: "HTTP", tags: [{ name: "R&amp;D" }] }).input?.tags).toEqual(["R&D"])
    const friendlyName = "Caf&#233; &#x2019;24&#8217; &LT;b&gt; &unknown; &#0; &#xd800; &#9999999;"
    expect(robot({ type: "HTTP", friendlyName }).name).toBe("Caf\u00e9 \u201924\u2019 <b> &unknown; \ufffd \ufffd \ufffd")
  })

  it("sends the body as its source does", () => {
    const sent = (fields: object) => {
      const { input } = robot({ type: "HTTP", httpMethodType: "POST", ...fields })
      return [input?.body, input?.headers]
    }
    const form = ["a=1&b=x+%26", { "content-type": "application/x-www-form-urlencoded" }]
    const fields = { a: 1, b: "x &" }
    expect(sent({ postValueType: "KEY_VALUE", postValueData: fields })).toEqual(form)
    expect(sent({ post_type: 1, post_value: JSON.stringify(fields) })).toEqual(form)
    expect(sent({ postValueType: "RAW_JSON", postValueData: fields })).toEqual([
      JSON.stringify(fields),
      { "content-type": "application/json" }
    ])
    const customHttpHeaders = { "Content-Type": "text/plain" }
    expect(sent({ postValueType: "KEY_VALUE", postValueData: "a=b", customHttpHeaders })).toEqual(["a=b", customHttpHeaders])
    expect(sent({ postValueType: "KEY_VALUE" })).toEqual([undefined, undefined])
  })

  it("says that its keyword is compared with its case, which the source did not", () => {
    const notes = (fields: object) =>
      robot({ type: "KEYWORD", keywordValue: "OK", keywordType: "ALERT_NOT_EXISTS", ...fields }).notes
    for (const fields of [{ keywordCaseType: "CaseInsensitive" }, { keywordCaseType: 0 }, { keyword_case_type: 1 }]) {
      expect(notes(fields)).toEqual(["The keyword is compared with its case"])
    }
    for (const fields of [{ keywordCaseType: "CaseSensitive" }, { keywordCaseType: 1 }, { keyword_case_type: 0 }]) {
      expect(notes(fields)).toEqual([])
    }
  })

  it("says that alerts came late or again at its source", () => {
    expect(robot({ type: "HTTP", assignedAlertContacts: [{ alertContactId: 1, threshold: 5, recurrence: 0 }] }).notes).toEqual([
      "The delay of its alerts is not carried"
    ])
    expect(robot({ type: "1", alert_contacts: [{ id: "1", threshold: 0, recurrence: "10" }] }).notes).toEqual([
      "The repetition of its alerts is not carried: set reminderMinutes"
    ])
  })
})

const imported = (page: object) => {
  const steps = statuspagePage({ page: { id: "p", name: "Acme", ...page }, components: [], groups: [] }, 0, [])
  for (let step = steps.next();; step = steps.next()) if (step.done === true) return step.value
}

const entry = (id: string, attributes: object) => ({ id, attributes })

describe("an imported page", () => {
  it("keeps what hides it from search engines", () => {
    const better = betterPage(entry("1", { hide_from_search_engines: true }), 0, { sections: [], resources: [] }, [])
    const robotPages = [robotPage({ noIndex: true }, 0, [], []), robotPage({ noIndex: false }, 0, [], [])]
    const pages = [better, ...robotPages, imported({ hidden_from_search: true }), imported({})]
    expect(pages.map(({ input }) => input?.seo?.noindex)).toEqual([true, true, undefined, true, undefined])
  })

  it("of Better Stack has its components in their places", () => {
    const sections = [entry("8", { name: "Last", position: 1 }), entry("9", { name: "First", position: 0 })]
    const resources = [
      entry("1", { status_page_section_id: 8, position: 0 }),
      entry("2", { status_page_section_id: 9, position: 1 }),
      entry("3", { status_page_section_id: 9, position: 0 })
    ]
    const { components } = betterPage(entry("1", {}), 0, { sections, resources }, [])
    expect(components.map(({ ref }) => ref)).toEqual(["component:3", "component:2", "component:1"])
  })
})

describe("an imported page of Statuspage", () => {
  it("that not everybody may see is private", () => {
    for (const page of [{ viewers_must_be_team_members: true }, { ip_restrictions: "192.0.2.0/24" }]) {
      expect(imported(page).input?.visibility).toBe("private")
      expect(imported(page).notes).toEqual(["Who may see it is not carried; the page is private: set its password"])
    }
    expect(imported({ viewers_must_be_team_members: false, ip_restrictions: "" }).input?.visibility).toBeUndefined()
  })
})
