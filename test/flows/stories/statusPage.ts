/** The editor of a status page in a browser: its look with a preview, and the order of components and groups. */
import { expect } from "@effect/vitest"
import type { Watched } from "../support/DemoBrowser.ts"
import { call, type Stories, story } from "../support/Story.ts"

/** A page of its own with two groups. */
const newPage = async (watched: Watched, name: string) => {
  await watched.page.goto("/app")
  const { id } = await call(watched, "POST", "/pages", { name, description: "Before" })
  for (const [component, group] of [["Website", "Shop"], ["Basket", "Shop"], ["API", "Platform"]]) {
    await call(watched, "POST", `/pages/${id}/components`, { name: component, group, manual: true })
  }
  return String(id)
}

export const statusPageStories: Stories = (it) => {
  it.effect("changes the look of a page and sees it before it is saved, in desktop and in phone width", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      const id = await newPage(watched, "Look")
      await page.goto(`/app/pages/${id}`)
      const preview = page.frameLocator("iframe")
      const accentShown = () =>
        preview.locator("html").evaluate((root) => getComputedStyle(root).getPropertyValue("--accent").trim())
      await preview.getByRole("heading", { name: "Look" }).waitFor()

      await page.getByLabel("Accent").first().fill("#aa1177")
      await page.getByLabel("Name", { exact: true }).fill("Typed, not saved")
      await page.getByLabel("Description").fill("After")
      await preview.getByRole("heading", { name: "Typed, not saved" }).waitFor()
      await preview.getByText("After").waitFor()
      expect(await accentShown()).toBe("#aa1177")
      const unsaved = await call(watched, "GET", `/pages/${id}`)
      expect([unsaved.name, unsaved.description, unsaved.theme.accent]).toEqual(["Look", "Before", null])

      const width = () => preview.locator("html").evaluate("innerWidth")
      expect(await width()).toBeGreaterThan(800)
      await page.getByRole("link", { name: "Phone" }).click()
      // Not page.waitForFunction: what it repeats is code from a text, which the view's content security policy forbids.
      await expect.poll(width, { timeout: 30_000 }).toBe(390)
      // What was typed is still in the preview.
      await preview.getByRole("heading", { name: "Typed, not saved" }).waitFor()

      // An accent that nobody can read is named before it is saved.
      await page.getByLabel("Accent").first().fill("#f4f4f4")
      await page.getByText(/is too weak to read here/).first().waitFor()
      await page.getByLabel("Accent").first().fill("#aa1177")
      await page.locator("#page-look").getByRole("button", { name: "Publish" }).click()
      await page.getByText("Page published").waitFor()
      const saved = await call(watched, "GET", `/pages/${id}`)
      expect([saved.name, saved.description, saved.theme.accent]).toEqual(["Typed, not saved", "After", "#aa1177"])
      expect(errors).toEqual([])
    }))

  it.effect("arranges components and groups by keyboard, and by dragging", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      const id = await newPage(watched, "Order")
      const order = async () => {
        const { components, groups } = await call(watched, "GET", `/pages/${id}`)
        const names = new Map(groups.map(({ id, name }: { id: string; name: string }) => [id, name]))
        return components.map(({ group, name }: { group: string; name: string }) => `${names.get(group)}: ${name}`)
      }
      const saved = async (act: () => Promise<void>) => {
        const answer = page.waitForResponse((response) =>
          response.url().endsWith("/groups") && response.request().method() === "PUT"
        )
        await act()
        expect((await answer).status()).toBe(200)
      }
      await page.goto(`/app/pages/${id}/components`)
      await page.locator(".grip").first().waitFor()
      expect(await order()).toEqual(["Shop: Website", "Shop: Basket", "Platform: API"])
      // Down twice: past its neighbour, then into the next group. The focus stays on the button.
      await page.getByRole("button", { name: "Move Website down" }).focus()
      await saved(() => page.keyboard.press("Enter"))
      expect(await order()).toEqual(["Shop: Basket", "Shop: Website", "Platform: API"])
      await saved(() => page.keyboard.press("Enter"))
      expect(await order()).toEqual(["Shop: Basket", "Platform: Website", "Platform: API"])
      expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Move Website down")

      await saved(() =>
        page.locator("[data-component]", { hasText: "API" }).dragTo(page.locator("[data-component]", { hasText: "Basket" }))
      )
      expect([...await order()].sort()).toEqual(["Platform: Website", "Shop: API", "Shop: Basket"])

      // An agent adds a group meanwhile, which the open view does not know.
      await call(watched, "POST", `/pages/${id}/components`, { name: "Worker", group: "Jobs", manual: true })
      await saved(() => page.getByRole("button", { name: "Move API down" }).click())
      expect(await order()).toContain("Jobs: Worker")
      await page.reload()

      await page.getByRole("button", { name: "Move Platform up" }).focus()
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: "Move Platform down" }).waitFor()
      const { groups } = await call(watched, "GET", `/pages/${id}`)
      expect(groups.map(({ name }: { name: string }) => name)).toEqual(["Platform", "Shop", "Jobs"])
      expect(errors).toEqual([])
    }))
}
