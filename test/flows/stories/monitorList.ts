/** The list of monitors in a browser: rows of 40 pixels, the keyboard, ranges, filters as they are typed, and saved views. */
import { expect } from "@effect/vitest"
import type { Watched } from "../support/DemoBrowser.ts"
import { call, type Stories, story } from "../support/Story.ts"

const names = ["Ledger alpha", "Ledger beta", "Ledger gamma", "Ledger delta", "Ledger omega"]

const newMonitors = async (watched: Watched): Promise<() => Promise<void>> => {
  await watched.page.goto("/app")
  const ids: Array<string> = []
  for (const name of names) {
    const { id } = await call(watched, "POST", "/monitors", { name, kind: "heartbeat", periodSec: 86_400, channelIds: [] })
    ids.push(id)
  }
  return async () => {
    for (const id of ids) await call(watched, "DELETE", `/monitors/${id}`)
  }
}

const selected = ({ page }: Watched) => page.locator("[name=_row]:checked").count()

const focused = ({ page }: Watched): Promise<string> => page.evaluate("document.activeElement.textContent")

/** A key that is pressed before the script has come does nothing. */
const ready = ({ page }: Watched) => page.locator("[data-island=monitors][data-mounted=done]").waitFor({ state: "attached" })

export const monitorListStories: Stories = (it) => {
  it.effect("shows many monitors at a time, and filters them while the text is typed", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      const remove = await newMonitors(watched)
      await page.goto("/app/monitors")
      const heights = await page.locator(".monitors tbody tr").evaluateAll((rows) =>
        rows.map((row) => Math.round(row.getBoundingClientRect().height))
      )
      expect(new Set(heights)).toEqual(new Set([40]))
      await page.evaluate("window.same = true")
      const search = page.getByLabel("Name or address")
      await search.pressSequentially("ledger a", { delay: 20 })
      await page.getByRole("link", { name: "Ledger beta" }).waitFor({ state: "detached" })
      await page.getByRole("link", { name: "Ledger alpha" }).waitFor()
      // In its place: what is typed and the focus stay, and the address can be opened again.
      expect([await page.evaluate("window.same"), await search.inputValue(), new URL(page.url()).search]).toEqual([
        true,
        "ledger a",
        "?search=ledger+a"
      ])
      expect(await page.evaluate("document.activeElement.id")).toBe("filter-search")

      await page.getByRole("button", { name: "Save this view" }).click()
      await page.getByLabel("Name of the view").fill("Books")
      await page.getByRole("button", { name: "Save", exact: true }).click()
      await page.goto("/app/monitors")
      await page.getByRole("link", { name: "Books" }).click()
      await page.waitForURL(/search=ledger\+a$/)
      await page.getByRole("button", { name: "Forget Books" }).click()
      await page.getByRole("link", { name: "Books" }).waitFor({ state: "detached" })
      await remove()
      expect(errors).toEqual([])
    }))

  it.effect("is read, selected and opened by keyboard, with ranges, and offers changes only of a selection", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      const remove = await newMonitors(watched)
      await page.goto("/app/monitors?search=ledger&sort=name")
      const bar = page.getByRole("group", { name: "Change the selected monitors" })
      await ready(watched)
      expect(await bar.isVisible()).toBe(false)
      await page.keyboard.press("j")
      await page.keyboard.press("j")
      expect(await focused(watched)).toBe("Ledger beta")
      await page.keyboard.press("k")
      expect(await focused(watched)).toBe("Ledger alpha")
      await page.keyboard.press("x")
      await bar.getByText("1 monitor selected").waitFor()
      for (const key of ["j", "j", "Shift+x"]) await page.keyboard.press(key)
      await bar.getByText("3 monitors selected").waitFor()
      await page.keyboard.press("Escape")
      await bar.waitFor({ state: "hidden" })

      await page.getByLabel("Select Ledger beta").click()
      await page.getByLabel("Select Ledger omega").click({ modifiers: ["Shift"] })
      expect(await selected(watched)).toBe(4)
      await bar.getByText("Change…").click()
      await page.getByLabel("Check every").selectOption("300")
      await page.getByRole("button", { name: "Set interval" }).click()
      await page.getByText("Interval of 4 monitors set").waitFor()
      const { data } = await call(watched, "GET", "/monitors?search=ledger&sort=name")
      expect(data.map(({ intervalSec }: { intervalSec: number }) => intervalSec === 300)).toEqual([false, true, true, true, true])

      await page.goto("/app/monitors?search=ledger&sort=name")
      await ready(watched)
      await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Ledger alpha" }).waitFor()
      // An open view of a monitor that is gone would say so.
      await page.goto("/app/monitors")
      await remove()
      expect(errors).toEqual([])
    }))

  it.effect("fits two lines a row on a phone", () =>
    story(async ({ open }) => {
      const watched = await open({ device: "phone" })
      await watched.page.goto("/app/monitors")
      const heights: ReadonlyArray<number> = await watched.page.locator(".monitors tbody tr").evaluateAll((rows) =>
        rows.map((row) => row.getBoundingClientRect().height)
      )
      expect(Math.max(...heights)).toBeLessThan(72)
      expect(await watched.page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
      expect(watched.errors).toEqual([])
    }))

  it.effect("keeps the rows and the fields that the browser restores after Back, also when the view is read again", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      const remove = await newMonitors(watched)
      const { id } = await call(watched, "POST", "/incidents", { title: "Restored", message: "We look.", notify: false })
      const readAgain = async () => {
        await page.goto("/app/keys")
        const read = page.waitForResponse((response) =>
          response.request().resourceType() === "fetch" && /\/app\/(?:monitors|incidents)/.test(response.url())
        )
        await page.goBack()
        await (await read).finished()
        // The view is shown after its text was read.
        await page.evaluate("new Promise((done) => setTimeout(done, 200)).then(() => null)")
      }
      await page.goto("/app/monitors?search=ledger")
      await ready(watched)
      for (const at of [1, 2]) await page.locator("[name=_row]").nth(at).check()
      page.on("dialog", (dialog) => void dialog.accept())
      await readAgain()
      expect(await selected(watched)).toBe(2)
      await page.getByText("2 monitors selected").waitFor()
      await page.goto(`/app/incidents/${id}`)
      const choice = page.locator("#update select[name='public:boolean']")
      await choice.selectOption("false")
      await readAgain()
      expect(await choice.inputValue()).toBe("false")
      await call(watched, "POST", `/incidents/${id}/resolve`, {})
      await remove()
      expect(errors).toEqual([])
    }))

  it.effect("has every view and action in the command palette, which acts on a monitor by its name", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      const remove = await newMonitors(watched)
      await page.goto("/app/keys")
      // The navigation stays beside the settings, with the shortcut in sight.
      await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Monitors" }).waitFor()
      await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Audit log" }).waitFor()
      await page.getByRole("button", { name: "Search and commands" }).first().click()
      const field = page.getByRole("combobox", { name: "Search and commands" })
      for (const name of ["Deliveries", "Weekly digest", "Security", "New status page", "Invite a member", "Theme: dark"]) {
        await field.fill(name)
        await page.getByRole("option", { name }).first().waitFor()
      }
      await field.fill("pause ledger gamma")
      await page.getByRole("option", { name: "Pause: Ledger gamma" }).waitFor()
      await page.keyboard.press("Enter")
      await page.getByText("Ledger gamma paused").first().waitFor()
      const { data } = await call(watched, "GET", "/monitors?search=ledger gamma")
      expect(data[0].paused).toBe(true)
      await remove()
      expect(errors).toEqual([])
    }))

  it.effect("shows what is under way once it takes over a second", () =>
    story(async ({ open }) => {
      const { errors, page } = await open()
      // The answer comes once the line is there: a browser that waits for an answer shows nothing to the test.
      const seen = { tell: (_line: string) => {} }
      const line = new Promise<string>((resolve) => {
        seen.tell = resolve
      })
      await page.exposeFunction("tellLine", (text: string) => seen.tell(text))
      await page.route("**/app/do/**", async (route) => {
        await line
        await route.continue()
      })
      await page.goto("/app/usage")
      await page.evaluate(`new MutationObserver(() => {
        const line = document.getElementById("working")
        if (line !== null) tellLine(line.textContent + ", " + document.querySelectorAll("button[data-busy]").length + " busy")
      }).observe(document.body, { childList: true })`)
      await page.getByRole("button", { name: "Save" }).first().click({ noWaitAfter: true })
      expect(await line).toMatch(/^Save: \d+ s, 1 busy$/)
      await page.getByText("Workspace saved").waitFor()
      expect(await page.locator("#working").count()).toBe(0)
      expect(errors).toEqual([])
    }))
}
