/** A postmortem in a browser: drafted, written, changed, compared, and kept when somebody else was quicker. */
import { expect } from "@effect/vitest"
import { call, type Stories, story } from "../support/Story.ts"

export const postmortemStories: Stories = (it) => {
  it.effect("writes a postmortem, saves a new version and sees what it changed", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app")
      const { id } = await call(watched, "POST", "/incidents", { title: "Orders were lost", message: "We look into it." })
      await call(watched, "POST", `/incidents/${id}/resolve`, {})

      await page.goto(`/app/incidents/${id}/postmortem`)
      const [text, save] = [page.getByLabel("Postmortem"), page.getByRole("button", { name: "Save version" })]
      await page.getByRole("button", { name: "Draft from the timeline" }).click()
      await page.getByText("It is not saved yet").waitFor()
      expect(await text.inputValue()).toContain("Orders were lost")
      await text.fill("# Orders were lost\n\nThe queue was full.\n")
      await save.click()
      await page.getByRole("heading", { name: "Version 1" }).waitFor()

      await text.fill("# Orders were lost\n\nThe queue was full, and nobody saw it.\n")
      await page.getByLabel("Public summary").fill("Some orders had to be placed again.")
      await save.click()
      await page.getByRole("heading", { name: "Version 2" }).waitFor()
      await page.getByRole("link", { name: "Version 2" }).click()
      await page.getByRole("heading", { name: "What version 2 changed since version 1" }).waitFor()
      expect(await page.locator(".diff ins").allTextContents()).toEqual(["+ The queue was full, and nobody saw it.\n"])
      expect(await page.locator(".diff del").allTextContents()).toEqual(["- The queue was full.\n"])

      await page.emulateMedia({ media: "print" })
      const printed = await page.locator("main").innerText()
      expect(printed).toContain("The queue was full, and nobody saw it.")
      expect(printed).not.toContain("You can use Markdown")
      await page.emulateMedia({ media: "screen" })

      // A colleague saves first: nothing of either text is lost.
      await call(watched, "PUT", `/incidents/${id}/postmortem`, { markdown: "# By a colleague\n" })
      await text.fill("# Mine\n")
      await save.click()
      await page.getByRole("alert").waitFor()
      expect(await text.inputValue()).toBe("# Mine\n")
      const { markdown, version } = await call(watched, "GET", `/incidents/${id}/postmortem`)
      expect([version, markdown]).toEqual([3, "# By a colleague\n"])
      expect(errors.filter((error) => !error.includes("409"))).toEqual([])
    }))
}
