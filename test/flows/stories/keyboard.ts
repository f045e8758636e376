/** Rare actions by keyboard alone: a workspace is restored, a draft discarded, an image deleted. */
import { expect } from "@effect/vitest"
import type { Page } from "playwright-core"
import { deletedWorkspace, draftOf, uploadImage } from "../support/RareViews.ts"
import { call, type Stories, story } from "../support/Story.ts"

/** More than any view has to focus before its main part ends. */
const mostStops = 120

const focused = `(() => {
  const { textContent, ariaLabel } = document.activeElement
  return (ariaLabel ?? textContent ?? "").replace(/\\s+/g, " ").trim()
})()`

/** Moves the focus on until it is at a control of this name. */
const tabTo = async (page: Page, name: string): Promise<void> => {
  for (let stop = 0; stop < mostStops; stop++) {
    await page.keyboard.press("Tab")
    if (await page.evaluate(focused) === name) return
  }
  throw new Error(`No stop of the keyboard in ${page.url()} is ${name}`)
}

export const keyboardStories: Stories = (it) => {
  it.effect("switches single keys off and on again as shortcuts, and keeps Ctrl+K", () =>
    story(async ({ open }) => {
      const { errors, page } = await open()
      const choose = async (checked: boolean): Promise<void> => {
        await page.locator(".side").getByRole("button", { name: "Keyboard shortcuts" }).click()
        await page.getByLabel("Single keys are shortcuts on this device").setChecked(checked)
        await page.keyboard.press("Escape")
      }
      await page.goto("/app/monitors")
      await page.locator(".live[data-state=live]").first().waitFor({ state: "attached" })
      await choose(false)
      await page.reload()
      await page.locator(".live[data-state=live]").first().waitFor({ state: "attached" })
      for (const key of ["j", "?", "n"]) await page.keyboard.press(key)
      expect([await page.locator("dialog").count(), await page.evaluate("document.activeElement.tagName")]).toEqual([0, "BODY"])
      expect(new URL(page.url()).pathname).toBe("/app/monitors")
      await page.keyboard.press("Control+k")
      await page.locator("dialog").waitFor()
      await page.keyboard.press("Escape")
      await choose(true)
      await page.keyboard.press("?")
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor()
      expect(errors).toEqual([])
    }))

  it.effect("closes menus and sheets by Escape, and returns to what opened them", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app")
      const { id } = await call(watched, "POST", "/incidents", { title: "Slow search", message: "We look." })
      await page.goto(`/app/incidents/${id}`)
      await page.locator(".live[data-state=live]").first().waitFor({ state: "attached" })
      for (const name of [".side .workspace", "#resolve-sheet"]) {
        const menu = page.locator(name)
        await menu.locator("summary").first().focus()
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        expect(await menu.getAttribute("open")).toBe("")
        await page.keyboard.press("Escape")
        expect(await menu.getAttribute("open")).toBeNull()
        expect(await page.evaluate("document.activeElement.tagName")).toBe("SUMMARY")
      }
      await page.locator(".side .workspace summary").click()
      await page.getByRole("heading", { level: 1 }).click()
      expect(await page.locator(".side .workspace").getAttribute("open")).toBeNull()
      await call(watched, "POST", `/incidents/${id}/resolve`, {})
      expect(errors).toEqual([])
    }))

  it.effect("restores a workspace, discards a draft and deletes an image by keyboard alone", () =>
    story(async ({ demo, open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app")
      const back = await deletedWorkspace(watched, "Old experiments")
      await page.goto("/app/workspaces")
      await tabTo(page, "Restore")
      await page.keyboard.press("Enter")
      await page.getByText("Old experiments was restored").waitFor()
      await back()

      const draft = demo.pages[3]?.id ?? ""
      await draftOf(watched, draft)
      await page.goto(`/app/pages/${draft}`)
      await tabTo(page, "Discard draft")
      await page.keyboard.press("Enter")
      await page.getByText("Draft discarded").waitFor()
      expect(await page.locator("#draft").count()).toBe(0)

      await uploadImage(watched)
      await page.goto("/app/images")
      const before = await page.locator(".thumb").count()
      await tabTo(page, "Delete")
      await page.keyboard.press("Enter")
      await tabTo(page, "Delete image")
      await page.keyboard.press("Enter")
      await page.getByText("Image deleted").waitFor()
      expect(await page.locator(".thumb").count()).toBe(before - 1)
      expect(errors).toEqual([])
    }))
}
