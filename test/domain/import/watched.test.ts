/** What an import says where a thing watches less, or shows it to more people, than at its source. */
import { describe, expect, it } from "vitest"
import { betterMonitor } from "../../../src/domain/import/betterstack/BetterMonitor.ts"
import { statuspagePage } from "../../../src/domain/import/statuspage/StatuspageComponents.ts"
import { robotMonitor } from "../../../src/domain/import/uptimerobot/RobotMonitor.ts"

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

describe("an imported page of Statuspage", () => {
  it("that not everybody may see is private", () => {
    for (const page of [{ viewers_must_be_team_members: true }, { ip_restrictions: "192.0.2.0/24" }]) {
      expect(imported(page).input?.visibility).toBe("private")
      expect(imported(page).notes).toEqual(["Who may see it is not carried; the page is private: set its password"])
    }
    expect(imported({ viewers_must_be_team_members: false, ip_restrictions: "" }).input?.visibility).toBeUndefined()
  })
})
