/** Words of a view about its live updates while none can arrive. */
import { expect } from "@effect/vitest"
import { call, type Stories, story } from "../support/Story.ts"

export const liveStories: Stories = (it) => {
  it.effect("learns that a view is not live when its line is cut without an error", () =>
    story(async ({ open }) => {
      const { errors, page } = await open()
      await page.clock.install()
      await page.goto("/app")
      const live = page.locator(".live[data-state=live]").first()
      await live.waitFor({ state: "attached" })
      // No other stream opens either.
      await page.route("**/api/v1/stream*", () => undefined)
      await page.clock.fastForward(41_000)
      await page.locator(".live[data-state=reconnecting]").first().waitFor({ state: "attached" })
      await page.unroute("**/api/v1/stream*")
      await page.clock.fastForward(46_000)
      await live.waitFor({ state: "attached" })
      expect(errors).toEqual([])
    }))

  it.effect("learns, in place of another workspace's records, that another tab has switched there", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app/monitors")
      await page.locator(".live[data-state=live]").first().waitFor({ state: "attached" })
      const { data } = await call(watched, "GET", "/me/workspaces")
      const own = data.find(({ current }: { readonly current: boolean }) => current)
      // Making one switches to it.
      await call(watched, "POST", "/me/workspaces", { name: "Another one" })
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
      await page.getByRole("alert").getByText("Your session is in another workspace now").waitFor()
      await page.getByRole("link", { name: "Checkout" }).first().waitFor()
      await call(watched, "POST", `/me/workspaces/${own.id}/switch`)
      expect(errors).toEqual([])
    }))
}
