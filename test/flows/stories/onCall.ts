/** On-call overrides and escalation policies in a browser: by form, by dragging, and in an order. */
import { expect } from "@effect/vitest"
import type { Watched } from "../support/DemoBrowser.ts"
import { call, type Stories, story } from "../support/Story.ts"

/** The demo's schedule, whose clock is Berlin's. */
const openSchedule = async (watched: Watched) => {
  await watched.page.goto("/app")
  const { data: [schedule] } = await call(watched, "GET", "/oncall/schedules")
  await watched.page.goto(`/app/on-call/${schedule.id}`)
  const overrides = async () => (await call(watched, "GET", `/oncall/schedules/${schedule.id}`)).overrides
  return { id: String(schedule.id), overrides }
}

/** Midnight of a date in Berlin, as a clock in UTC shows it. */
const midnightIn = (date: string): string => {
  const noon = new Date(`${date}T12:00:00Z`)
  const hour = Number(
    new Intl.DateTimeFormat("en", { timeZone: "Europe/Berlin", hour: "numeric", hourCycle: "h23" }).format(noon)
  )
  return new Date(Date.parse(`${date}T00:00:00Z`) - (hour - 12) * 3_600_000).toISOString()
}

const dayAfter = (date: string): string => new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

export const onCallStories: Stories = (it) => {
  it.effect("puts somebody else on call by form, and takes it back with an undo", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      const { id, overrides } = await openSchedule(watched)
      const day = await page.locator("td[data-day]").nth(15).getAttribute("data-day") ?? ""
      await page.getByLabel("From", { exact: true }).fill(`${day}T10:00`)
      await page.getByLabel("To", { exact: true }).fill(`${day}T16:30`)
      await page.getByLabel(/^Note/).fill("Dentist")
      await page.getByRole("button", { name: "Add override" }).click()
      await page.getByText("Override added").waitFor()
      expect(await page.locator(`td[data-day="${day}"]`).textContent()).toContain("(override)")
      const [made] = await overrides()
      expect([Date.parse(made.end) - Date.parse(made.start), made.note]).toEqual([6.5 * 3_600_000, "Dentist"])
      expect(Date.parse(made.start)).toBe(Date.parse(midnightIn(day)) + 10 * 3_600_000)

      await page.getByRole("button", { name: "Remove the override" }).click()
      await page.getByText("Override removed").waitFor()
      expect(await overrides()).toEqual([])
      await page.getByRole("button", { name: "Undo" }).click()
      await page.getByText("Undone").waitFor()
      const [back] = await overrides()
      expect([back.start, back.end, back.note]).toEqual([made.start, made.end, made.note])
      await call(watched, "DELETE", `/oncall/schedules/${id}/overrides/${back.id}`)
      expect(errors).toEqual([])
    }))

  it.effect("drags over days to fill in an override", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      const { id, overrides } = await openSchedule(watched)
      const [first, last] = [page.locator("td[data-day]").nth(22), page.locator("td[data-day]").nth(24)]
      const [from, to] = [await first.getAttribute("data-day") ?? "", await last.getAttribute("data-day") ?? ""]
      await first.scrollIntoViewIfNeeded()
      await first.hover()
      await page.mouse.down()
      await last.hover()
      expect(await page.locator("td.chosen").count()).toBe(3)
      await page.mouse.up()
      expect(await page.getByLabel("From", { exact: true }).inputValue()).toBe(`${from}T00:00`)
      expect(await page.getByLabel("To", { exact: true }).inputValue()).toBe(`${dayAfter(to)}T00:00`)
      // The next thing to say is who, so the keyboard goes on there.
      expect(await page.evaluate("document.activeElement.tagName")).toBe("SELECT")
      await page.getByRole("button", { name: "Add override" }).click()
      await page.getByText("Override added").waitFor()
      const [made] = await overrides()
      expect([made.start, made.end].map((at) => new Date(at).toISOString())).toEqual([midnightIn(from), midnightIn(dayAfter(to))])
      await call(watched, "DELETE", `/oncall/schedules/${id}/overrides/${made.id}`)
      expect(errors).toEqual([])
    }))

  it.effect("changes the order of levels, and finds monitors of a policy by name", () =>
    story(async ({ demo, open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app/escalation/new")
      await page.getByLabel("Name", { exact: true }).fill("Checkout only")
      const levels = page.locator("[data-rows=levels] > [data-row]")
      const target = (level: number) => levels.nth(level).getByLabel("Page").first()
      await target(0).selectOption({ label: "Channel: Team webhook" })
      await page.getByRole("button", { name: "Add level" }).click()
      await target(1).selectOption({ label: "On call: Platform" })
      const wait = levels.nth(1).getByLabel("Time without an acknowledgement")
      await wait.fill("7")
      await levels.nth(0).getByRole("button", { name: "Move level down" }).click()
      // The wait stays where it is: the first level has none.
      expect(await wait.inputValue()).toBe("7 min")

      const search = page.getByRole("combobox", { name: "Incidents of these monitors" })
      await search.fill("check")
      await page.getByRole("option", { name: "Checkout" }).waitFor()
      await search.press("Enter")
      await page.getByRole("button", { name: "Remove Checkout" }).waitFor()
      await page.getByLabel("Every incident without another policy").uncheck()
      await page.getByRole("button", { name: "Create policy" }).click()
      await page.getByText("Policy created").waitFor()
      const { data } = await call(watched, "GET", "/escalation-policies")
      const made = data.find(({ name }: { name: string }) => name === "Checkout only")
      expect(
        made.levels.map((
          { afterMinutes, targets }: { afterMinutes: number; targets: Array<{ type: string }> }
        ) => [afterMinutes, ...targets.map(({ type }) => type)])
      ).toEqual([[0, "schedule"], [7, "channel"]])
      expect(made.monitorIds).toEqual([demo.monitors["checkout"]])
      await call(watched, "DELETE", `/escalation-policies/${made.id}`)
      expect(errors).toEqual([])
    }))
}
