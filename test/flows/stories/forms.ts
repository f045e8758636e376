/** Text typed into forms: carried on, completed, guarded, and led back to where it is wrong. */
import { expect } from "@effect/vitest"
import type { Watched } from "../support/DemoBrowser.ts"
import { call, type Stories, story } from "../support/Story.ts"

/** Whether leaving for the address is asked about; the person stays. */
const isAsked = async ({ page }: Watched, leave: () => Promise<unknown>): Promise<boolean> => {
  let asked = false
  const answer = (dialog: { readonly type: () => string; readonly dismiss: () => Promise<void> }) => {
    asked = dialog.type() === "beforeunload"
    void dialog.dismiss()
  }
  page.once("dialog", answer)
  await leave()
  page.off("dialog", answer)
  return asked
}

export const formStories: Stories = (it) => {
  it.effect("keep what was typed when a choice shows other fields, and ask before it is lost", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app/monitors/new")
      await page.getByLabel("Name", { exact: true }).fill("Checkout socket")
      await page.getByLabel("URL").fill("shop.example.com/health")
      await page.getByRole("navigation", { name: "Kinds of monitors" }).getByRole("link", { name: "WebSocket" }).click()
      await page.waitForURL(/\/app\/monitors\/new\?kind=websocket$/)
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Checkout socket")
      expect(await page.getByLabel("URL").inputValue()).toContain("shop.example.com/health")
      // Once more, without typing anything in between.
      await page.getByRole("navigation", { name: "Kinds of monitors" }).getByRole("link", { name: "TCP" }).click()
      await page.waitForURL(/kind=tcp$/)
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Checkout socket")
      expect((await page.reload())?.status()).toBe(200)
      expect(errors).toEqual([])
    }))

  it.effect("keep what was typed into the form of a record, which has a field named id", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app")
      const { id } = await call(watched, "POST", "/monitors", { name: "Nightly", kind: "heartbeat", periodSec: 600 })
      await page.goto(`/app/monitors/${id}/edit`)
      await page.getByLabel("Name", { exact: true }).fill("Nightly backup")
      await page.locator("main a[data-carry]:not([aria-current])").first().click()
      await page.waitForURL(/\?by=/)
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Nightly backup")
      expect(errors).toEqual([])
    }))

  it.effect("ask before an edited form is left, and not when it is sent", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app/pages/new")
      await page.getByLabel("Name", { exact: true }).fill("A page of its own")
      expect(await isAsked(watched, () => page.getByRole("link", { name: "Monitors", exact: true }).first().click())).toBe(true)
      expect(new URL(page.url()).pathname).toBe("/app/pages/new")
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("A page of its own")
      let dialogs = 0
      page.on("dialog", (dialog) => {
        dialogs++
        void dialog.accept()
      })
      await page.locator("main form").getByRole("button").first().click()
      await page.waitForURL(/\/app\/pages\/pg_/)
      expect(dialogs).toBe(0)
      expect(errors).toEqual([])
    }))

  it.effect("complete an address, and say all that is wrong beside the fields", () =>
    story(async ({ open }) => {
      const { errors, page } = await open()
      await page.goto("/app/monitors/new")
      const url = page.getByLabel("URL")
      await url.fill("127.0.0.1:8190/")
      await url.blur()
      expect(await url.inputValue()).toBe("http://127.0.0.1:8190/")
      await page.locator("#monitor").evaluate((form) => form.setAttribute("novalidate", ""))
      await page.getByLabel("Name", { exact: true }).fill("")
      await page.getByLabel("Check every").fill("1")
      await page.getByRole("button", { name: "Create monitor" }).click()
      const alert = page.getByRole("alert")
      await alert.getByText("2 fields need your attention.").waitFor()
      await alert.getByRole("link", { name: "Check every" }).click()
      expect(await page.evaluate("document.activeElement.getAttribute('aria-invalid')")).toBe("true")
      expect(await page.getByLabel("URL").inputValue()).toBe("http://127.0.0.1:8190/")
      expect(new URL(page.url()).pathname).toBe("/app/monitors/new")
      // The refusal itself is an answer of 422.
      expect(errors.filter((error) => !error.includes("422"))).toEqual([])
    }))

  it.effect("show their answer at the address of the view, and live updates leave it", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app/monitors")
      const { data: [monitor] } = await call(watched, "GET", "/monitors?limit=1")
      await page.goto(`/app/monitors/${monitor.id}`)
      await page.getByRole("button", { name: "Run check now" }).click()
      await page.getByText(/Checked just now/).waitFor()
      expect(new URL(page.url()).pathname).toBe(`/app/monitors/${monitor.id}`)
      await page.locator(".live[data-state=live]:visible").waitFor()
      // An event that concerns the view.
      await page.evaluate("window.same = true")
      await call(watched, "PATCH", `/monitors/${monitor.id}`, { paused: true })
      await page.getByRole("button", { name: "Resume" }).first().waitFor()
      expect([await page.evaluate("window.same"), await page.getByText(/Checked just now/).count()]).toEqual([true, 1])
      expect((await page.reload())?.status()).toBe(200)
      expect(await page.getByText(/Checked just now/).count()).toBe(0)
      await call(watched, "PATCH", `/monitors/${monitor.id}`, { paused: false })
      expect(errors).toEqual([])
    }))
}
