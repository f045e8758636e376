/** Changes of many monitors at a time in a browser: done, undone, and named before something is lost. */
import { expect } from "@effect/vitest"
import type { Watched } from "../support/DemoBrowser.ts"
import { call, type Stories, story } from "../support/Story.ts"

const names = ["Payroll run", "Payroll export"]

/** Monitors that wait for pings, so that nothing happens to them meanwhile. */
const newMonitors = async (watched: Watched) => {
  await watched.page.goto("/app")
  for (const name of names) {
    await call(watched, "POST", "/monitors", { name, kind: "heartbeat", periodSec: 86_400, tags: ["jobs"], channelIds: [] })
  }
  return async () => {
    const { data } = await call(watched, "GET", "/monitors?search=Payroll")
    return data.map((
      { channelIds, paused, tags }: { channelIds: Array<string>; paused: boolean; tags: Array<string> }
    ) => [paused, tags.join(), channelIds.length])
  }
}

export const bulkEditStories: Stories = (it) => {
  it.effect("changes many monitors at a time, and takes each change back", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      const settings = await newMonitors(watched)
      const before = await settings()
      const undone = async (button: string, said: string, fill = async () => {}) => {
        await page.getByLabel("Select all rows of this page").check()
        await fill()
        await page.getByRole("button", { name: button, exact: true }).click()
        await page.getByText(said).waitFor()
        // The address is the list's again, so that a reload does not change anything.
        expect(new URL(page.url()).pathname).toBe("/app/monitors")
        const after = await settings()
        await page.getByRole("button", { name: "Undo" }).click()
        await page.getByText("Undone").waitFor()
        expect(await settings()).toEqual(before)
        return after
      }
      await page.goto("/app/monitors?search=Payroll")
      expect(await undone("Pause", "2 monitors paused")).toEqual([[true, "jobs", 0], [true, "jobs", 0]])
      const tag = async () => {
        await page.getByText("Change…").click()
        await page.getByLabel("Tag to add or remove").fill("finance")
      }
      expect(await undone("Add tag", "Tag added to 2 monitors", tag)).toEqual([[false, "jobs,finance", 0], [
        false,
        "jobs,finance",
        0
      ]])
      const channel = async () => {
        await page.getByText("Change…").click()
        await page.getByLabel("Channel to add or remove").selectOption({ label: "Team webhook" })
      }
      expect(await undone("Add channel", "Channel added to 2 monitors", channel)).toEqual([[false, "jobs", 1], [
        false,
        "jobs",
        1
      ]])

      // The offer outlasts a live update of the list.
      await page.getByLabel(`Select ${names[0]}`).check()
      await page.getByRole("button", { name: "Pause", exact: true }).click()
      await page.getByText("1 monitor paused").waitFor()
      const read = page.waitForResponse((response) => response.url().includes("/app/monitors?search=Payroll"))
      const { data: [, other] } = await call(watched, "GET", "/monitors?search=Payroll")
      await call(watched, "PATCH", `/monitors/${other.id}`, { paused: true })
      await read
      await page.locator("tbody .badge", { hasText: "Paused" }).nth(1).waitFor()
      await page.getByRole("button", { name: "Undo" }).click()
      await page.getByText("Undone").waitFor()
      expect((await settings()).map(([paused]: [boolean]) => paused)).toEqual([false, true])

      await page.getByLabel("Select all rows of this page").check()
      await page.getByRole("button", { name: "Delete…" }).click()
      await page.getByRole("heading", { name: "Delete 2 monitors?" }).waitFor()
      for (const name of names) await page.getByRole("listitem").filter({ hasText: name }).waitFor()
      await page.getByText("This cannot be undone").waitFor()
      await page.getByRole("button", { name: "Delete 2 monitors" }).click()
      await page.getByText("2 monitors deleted").waitFor()
      expect(await settings()).toEqual([])
      expect(errors).toEqual([])
    }))
}
