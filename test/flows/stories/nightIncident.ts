/** An outage on a small phone: what fails and who is next is on the first screen, and every action is under the thumb. */
import { expect } from "@effect/vitest"
import type { Page } from "playwright-core"
import { call, type Stories, story } from "../support/Story.ts"

const small = { width: 360, height: 740 } as const

/** How far the lower edge of something is from the top of the screen, px. */
const bottomOf = async (page: Page, selector: string): Promise<number> => {
  const box = await page.locator(selector).first().boundingBox()
  return box === null ? Infinity : box.y + box.height
}

export const nightIncidentStories: Stories = (it) => {
  it.effect("has what fails and who is next on the first screen of a small phone, and all actions under the thumb", () =>
    story(async ({ demo, open }) => {
      demo.setFailing("/checkout", true)
      const watched = await open({ device: "phone" })
      const { errors, page } = watched
      await page.setViewportSize(small)
      await page.goto("/app/incidents?show=open")
      await page.getByRole("link", { name: /Checkout is down/ }).first().click()
      await page.locator("#answer").waitFor()
      // An outage of another story may not be over yet, and be acknowledged.
      const path = `/incidents/${new URL(page.url()).pathname.split("/").at(-1) ?? ""}`
      const { acknowledgement } = await call(watched, "GET", path)
      if (acknowledgement !== null) await call(watched, "POST", `${path}/unack`)
      await page.getByRole("button", { name: "Acknowledge", exact: true }).first().waitFor()
      const bar = await page.locator(".acts").boundingBox()
      // A browser without touch keeps room for its scroll bar beside it.
      expect([bar?.x, (bar?.width ?? 0) >= small.width - 20]).toEqual([0, true])
      expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBe(small.height)
      for (const part of ["h1", ".situation .what", ".situation h2"]) {
        expect([part, await bottomOf(page, part) < (bar?.y ?? 0)]).toEqual([part, true])
      }
      const sizes = await page.locator(".acts > details > summary, .acts > form > button").evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect()).map(({ height, width }) => [Math.round(height), Math.round(width)])
      )
      expect(sizes).toHaveLength(5)
      for (const [height = 0, width = 0] of sizes) expect([height >= 48, width >= 48]).toEqual([true, true])

      // The end of the page is above the bar.
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
      expect(await bottomOf(page, ".calls > summary")).toBeLessThan(bar?.y ?? 0)

      // By keyboard, too: the sheet opens above the bar, one at a time.
      await page.locator("#resolve-sheet > summary").press("Enter")
      await page.locator("#hand-over-sheet > summary").press("Enter")
      expect(await page.locator(".acts details[open]").count()).toBe(1)
      const sheet = await page.locator("#hand-over-sheet .up").boundingBox()
      expect(sheet?.y).toBeGreaterThanOrEqual(0)
      expect((sheet?.y ?? 0) + (sheet?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
      await page.getByRole("button", { name: "Acknowledge", exact: true }).first().click()
      await page.getByText("Incident acknowledged").waitFor()
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
      demo.setFailing("/checkout", null)
      expect(errors).toEqual([])
    }))
}
