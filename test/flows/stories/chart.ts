/** The chart of a monitor in a browser: regions on and off, zoom into single checks, the week before, and the keyboard. */
import { expect } from "@effect/vitest"
import type { Watched } from "../support/DemoBrowser.ts"
import { type Stories, story } from "../support/Story.ts"

/** The paths of the interface that the page reads meanwhile. */
const readsOf = ({ page }: Watched): ReadonlyArray<string> => {
  const reads: Array<string> = []
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith("/api/v1/monitors/")) reads.push(`${pathname.split("/").at(-1)}${search}`)
  })
  return reads
}

export const chartStories: Stories = (it) => {
  it.effect("show a monitor's latencies without a script, and bring them to life with one", () =>
    story(async ({ demo, open }) => {
      const path = `/app/monitors/${demo.monitors["shop"]}?range=7d`
      const plain = await open({ scripts: false })
      await plain.page.goto(path)
      expect(await plain.page.locator(".plot .line").first().getAttribute("d")).toMatch(/^M/)

      const watched = await open()
      const { errors, page } = watched
      const reads = readsOf(watched)
      await page.goto(path)
      await page.locator("[data-island=chart][data-mounted=done]").waitFor()
      const line = page.locator(".plot .line").first()
      const whole = await line.getAttribute("d")
      // Half of a week is read in half hours of a day once it is a day or less, and in checks at last.
      const zoom = page.getByRole("button", { name: "Zoom in" })
      const answered = page.waitForResponse((answer) => answer.url().includes("/history?range=24h"))
      for (let step = 0; step < 3; step++) await zoom.click()
      await answered
      expect(reads.some((read) => /^history\?range=24h&until=/.test(read))).toBe(true)
      await expect.poll(() => line.getAttribute("d")).not.toBe(whole)
      await page.getByRole("button", { name: "Reset" }).click()
      await expect.poll(() => line.getAttribute("d")).toBe(whole)
      expect(errors).toEqual([])
    }))

  it.effect("compare with the week before, and tell values at a moment by keyboard", () =>
    story(async ({ demo, open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto(`/app/monitors/${demo.monitors["shop"]}?range=24h`)
      await page.locator("[data-island=chart][data-mounted=done]").waitFor()
      const compare = page.getByRole("button", { name: "Week before" })
      await compare.press("Enter")
      // The demo began today.
      await page.getByText("No checks a week before").waitFor()
      expect(await compare.getAttribute("aria-pressed")).toBe("true")
      await compare.press("Enter")
      const point = { p50: 80, p95: 120, checks: 30, failures: 0, phases: null }
      await page.route(/\/history\?range=24h&until=/, (route) => {
        const until = Date.parse(new URL(route.request().url()).searchParams.get("until") ?? "")
        const data = [3, 2, 1].map((halfHours) => ({ ...point, at: new Date(until - halfHours * 1_800_000).toISOString() }))
        return route.fulfill({ json: { bucketSec: 1800, states: [], regions: [{ region: "local", data }] } })
      })
      await compare.press("Enter")
      await page.locator(".plot .line.before").first().waitFor({ state: "attached" })
      // The newest checks, one by one.
      for (let step = 0; step < 3; step++) await page.getByRole("button", { name: "Zoom in" }).click()
      for (let step = 0; step < 8; step++) await page.getByRole("button", { name: "Later" }).click()
      const moment = page.getByRole("slider", { name: "Moment" })
      const last = await moment.getAttribute("aria-valuetext")
      // A read that is still on its way may draw the control again.
      await expect.poll(async () => {
        await moment.press("ArrowLeft")
        return moment.getAttribute("aria-valuetext")
      }).not.toBe(last)
      await page.locator(".plot .cursor").waitFor({ state: "attached" })
      const phases = page.getByRole("button", { name: "Phases" })
      await phases.click()
      await page.locator(".plot .phase").first().waitFor({ state: "attached" })
      // A live update keeps what the reader chose.
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
      await page.waitForResponse((answer) => answer.url().includes("/app/monitors/"))
      expect(await phases.getAttribute("aria-pressed")).toBe("true")
      expect(errors).toEqual([])
    }))
}
