/** The reader's theme in a browser: chosen by keyboard and by command, kept, and right from the first frame. */
import { expect } from "@effect/vitest"
import type { Watched } from "../support/DemoBrowser.ts"
import { call, type Stories, story } from "../support/Story.ts"

const background = ({ page }: Watched): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor")

export const themeStories: Stories = (it) => {
  it.effect("is chosen in the view and by a command, kept, and never shown late", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app/keys")
      const light = await background(watched)
      const dark = page.getByRole("group", { name: "Theme" }).getByRole("button", { name: "Dark" })
      await page.evaluate("window.same = true")
      await dark.focus()
      await page.keyboard.press("Enter")
      await page.locator("html[data-theme=dark]").waitFor({ state: "attached" })
      expect([await dark.getAttribute("aria-pressed"), await page.evaluate("window.same")]).toEqual(["true", true])
      const shown = await background(watched)
      expect(shown).not.toBe(light)

      // The next view comes dark from the server, before any script runs.
      const answer = await page.goto("/app/members")
      expect(await answer?.text()).toMatch(/<html lang="en(-US)?" data-theme="dark">/)
      expect([await background(watched), await page.locator("html").getAttribute("data-theme")]).toEqual([shown, "dark"])
      await page.goto("/app/contact")
      expect(await background(watched)).toBe(shown)

      await page.goto("/app")
      await page.keyboard.press("Control+k")
      await page.getByRole("combobox").fill("theme: system")
      await page.keyboard.press("Enter")
      await page.locator("html:not([data-theme])").waitFor({ state: "attached" })
      expect(await background(watched)).toBe(light)
      expect(errors).toEqual([])
    }))

  it.effect("is light on paper, where a view has no navigation, no buttons and no fields", () =>
    story(async ({ open }) => {
      const { errors, page } = await open({ dark: true })
      await page.goto("/app")
      const incident = await call({ page, errors }, "POST", "/incidents", { title: "Slow on paper", message: "We look." })
      await page.emulateMedia({ media: "print" })
      for (const path of ["/app", "/app/monitors", `/app/incidents/${incident.id}`, "/app/on-call"]) {
        await page.goto(path)
        const seen = await page.evaluate(`[...document.querySelectorAll("nav, button, main input, main select, main textarea")]
          .filter((one) => one.checkVisibility() && !one.matches(".crumbs")).map((one) => one.outerHTML.slice(0, 80))`)
        expect([path, seen]).toEqual([path, []])
        expect(await page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(16, 24, 40)")
        expect(await page.getByRole("heading", { level: 1 }).isVisible()).toBe(true)
      }
      await page.goto(`/app/incidents/${incident.id}`)
      expect(await page.getByText("We look.").first().isVisible()).toBe(true)
      expect(errors).toEqual([])
    }))

  it.effect("is chosen without a script, too", () =>
    story(async ({ open }) => {
      const watched = await open({ scripts: false, device: "phone" })
      const { page } = watched
      await page.goto("/app/incidents?open=true")
      await page.getByText("Menu").click()
      await page.getByRole("group", { name: "Theme" }).getByRole("button", { name: "Dark" }).click()
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/app/incidents?open=true")
      expect(await page.locator("html").getAttribute("data-theme")).toBe("dark")
    }))
}
