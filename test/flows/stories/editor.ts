/** The editor of code, durations and pickers in a browser. */
import { expect } from "@effect/vitest"
import { call, type Stories, story } from "../support/Story.ts"

export const editorStories: Stories = (it) => {
  it.effect("write a script with a snippet, try it, see its steps, and save it", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app/monitors/new?kind=script")
      const code = page.getByRole("textbox", { name: "Code" })
      await page.getByLabel("Insert a snippet").selectOption({ label: "Step" })
      await page.keyboard.type("Look around")
      expect(await page.locator("#monitor-code").inputValue()).toContain("await step(\"Look around\", async () => {")
      // Tab takes the places of the snippet one after the other, then leaves the editor.
      await code.press("Escape")
      await code.press("Control+A")
      await code.evaluate((editor, text) => {
        const clipboardData = new DataTransfer()
        clipboardData.setData("text/plain", text)
        editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
      }, "await step(\"Look around\", async () => {\n  assert.equal(1, 1)\n})\n")
      await page.getByText("Look around").first().waitFor()
      await page.getByLabel("Name", { exact: true }).fill("Tried script")
      await page.getByLabel("Check every").fill("10m")
      await page.getByRole("button", { name: "Run now without saving" }).click()
      const result = page.locator("#check-result")
      await result.locator(".run-steps").getByText("Look around").waitFor()
      await result.getByText("Passed").first().waitFor()
      expect(await page.getByLabel("Check every").inputValue()).toBe("10 min")
      await page.getByRole("button", { name: "Create monitor" }).click()
      await page.getByText("Monitor created").waitFor()
      const { data } = await call(watched, "GET", "/monitors?search=Tried+script")
      expect(data.map(({ code: saved, intervalSec }: { code: string; intervalSec: number }) => [saved.slice(0, 24), intervalSec]))
        .toEqual([["await step(\"Look around\"", 600]])
      expect(errors).toEqual([])
    }))

  it.effect("pick how maintenance repeats, and see the next five times", () =>
    story(async ({ open }) => {
      const { errors, page } = await open()
      await page.goto("/app/maintenance/new")
      await page.getByLabel("Starts").fill("2030-01-06T02:00")
      await page.getByLabel("Repeats").selectOption("WEEKLY")
      await page.getByRole("button", { name: "Sunday" }).click()
      const times = page.locator(".times li")
      await times.nth(4).waitFor()
      expect(await times.allTextContents()).toEqual(
        [6, 13, 20, 27].map((day) => expect.stringContaining(`January ${day}, 2030`)).concat([
          expect.stringContaining("February 3, 2030")
        ])
      )
      expect(await page.locator("[name='recurrence.rule']").inputValue()).toBe("FREQ=WEEKLY;BYDAY=SU")
      await page.getByLabel("Repeats").selectOption("rule")
      await page.getByLabel("Rule (optional)", { exact: true }).fill("FREQ=SOMETIMES")
      await page.getByText(/^FREQ must be DAILY, WEEKLY or MONTHLY/).waitFor()
      expect(errors.filter((error) => !error.includes("422"))).toEqual([])
    }))

  it.effect("of a policy names the monitors that it is for, and a deleted one leaves it", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { page } = watched
      await page.goto("/app")
      const kept = await call(watched, "POST", "/monitors", { name: "Kept", kind: "heartbeat", periodSec: 86_400 })
      const gone = await call(watched, "POST", "/monitors", { name: "Gone", kind: "heartbeat", periodSec: 86_400 })
      const [channel] = (await call(watched, "GET", "/channels")).data
      const { id } = await call(watched, "POST", "/escalation-policies", {
        name: "Two monitors",
        isDefault: false,
        monitorIds: [kept.id, gone.id],
        levels: [{ afterMinutes: 0, targets: [{ type: "channel", id: channel.id }] }]
      })
      await page.goto(`/app/escalation/${id}`)
      await page.getByRole("button", { name: "Remove Gone" }).waitFor()
      await call(watched, "DELETE", `/monitors/${gone.id}`)
      await page.goto(`/app/escalation/${id}`)
      await page.getByRole("button", { name: "Remove Kept" }).waitFor()
      expect(await page.locator(".picked").getByText(/Gone|Deleted monitor|mon_/).count()).toBe(0)
      await call(watched, "DELETE", `/escalation-policies/${id}`)
    }))

  it.effect("say the next times of a heartbeat's schedule while it is typed", () =>
    story(async ({ open }) => {
      const { errors, page } = await open()
      // On a slow device what is typed comes in the middle of the script's start.
      const devtools = await page.context().newCDPSession(page)
      await devtools.send("Emulation.setCPUThrottlingRate", { rate: 10 })
      await page.goto("/app/monitors/new?kind=heartbeat")
      await page.getByRole("link", { name: "On a schedule" }).click()
      await page.getByLabel("Schedule", { exact: true }).fill("*/15 * * * * /usr/local/bin/backup")
      await page.getByText("no command").waitFor()
      await page.getByLabel("Time zone").fill("Europe/Berlin")
      expect(await page.getByLabel("Schedule", { exact: true }).inputValue()).toBe("*/15 * * * *")
      await page.getByText("every 15 minutes (Europe/Berlin)").waitFor()
      await page.locator(".times li").nth(4).waitFor()
      await page.getByLabel("Example").selectOption("30 2 * * *")
      await page.getByText("every day at 02:30 (Europe/Berlin)").waitFor()
      expect(errors.filter((error) => !error.includes("422"))).toEqual([])
    }))
}
