/** Writing in a browser: a preview, pictures that are pasted, placeholders, and a draft of a page's look. */
import { expect } from "@effect/vitest"
import type { Page } from "playwright-core"
import { call, type Stories, story } from "../support/Story.ts"

/** Pastes a picture of 30 by 20 pixels into a field. */
const paste = (page: Page, field: string) =>
  page.locator(field).evaluate(async (area) => {
    const canvas = document.createElement("canvas")
    canvas.width = 30
    canvas.height = 20
    canvas.getContext("2d")?.fillRect(0, 0, 15, 20)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"))
    const clipboardData = new DataTransfer()
    if (blob !== null) clipboardData.items.add(new File([blob], "graph.png", { type: "image/png" }))
    area.focus()
    area.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
  })

export const writingStories: Stories = (it) => {
  it.effect("shows what is written before it is posted, with the picture that was pasted", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app")
      const { id } = await call(watched, "POST", "/incidents", { title: "Slow orders", message: "We look into it." })
      await page.goto(`/app/incidents/${id}`)
      const form = page.locator("#update")
      await form.getByLabel("Text").fill("It is **slow**.\n\n")
      await form.getByLabel("Text").press("End")
      await paste(page, "#update-message")
      await form.getByText("Picture added.").waitFor()
      // Its description is selected, to be replaced.
      await page.keyboard.type("The queue")
      expect(await form.getByLabel("Text").inputValue()).toMatch(/!\[The queue\]\(\S+\/images\/img_\w+-30x20\.png\)/)
      await form.getByRole("button", { name: "Preview", exact: true }).click()
      const preview = form.getByRole("region", { name: "Preview" })
      await preview.locator("strong").waitFor()
      await expect.poll(() => preview.getByAltText("The queue").evaluate((image) => Reflect.get(image, "naturalWidth"))).toBe(30)
      await form.getByRole("button", { name: "Edit" }).click()
      await form.getByRole("button", { name: "Post", exact: true }).click()
      await page.getByText("Update posted").waitFor()
      await page.locator("#timeline").getByAltText("The queue").waitFor()
      expect(errors).toEqual([])
    }))

  it.effect("says which placeholders are open, and fills in what was chosen", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app")
      const made = await call(watched, "POST", "/pages", { name: "Placeholders" })
      await call(watched, "POST", `/pages/${made.id}/components`, { name: "Orders", manual: true })
      const template = await call(watched, "POST", "/incident-templates", {
        name: "Slow",
        title: "{{component}} is slow",
        body: "{{component}} has been slow for {{duration}}."
      })
      await page.goto(`/app/incidents/new?template=${template.id}&page=${made.id}`)
      await page.getByText("Fill in {{component}} and {{duration}} before you send this.").waitFor()
      const fill = page.getByRole("button", { name: "Fill in from the form" })
      expect(await fill.isVisible()).toBe(false)
      await page.getByLabel("Orders", { exact: true }).check()
      await fill.click()
      expect(await page.getByLabel("Title").inputValue()).toBe("Orders is slow")
      expect(await page.getByLabel("First update").inputValue()).toBe("Orders has been slow for {{duration}}.")
      await page.getByText("Fill in {{duration}} before you send this.").waitFor()
      expect(errors).toEqual([])
    }))

  it.effect("takes a drawing as a logo, as sharp as the page shows it, and names a file that is no image", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app")
      const { id } = await call(watched, "POST", "/pages", { name: "Drawn" })
      await page.goto(`/app/pages/${id}`)
      const upload = async (name: string, mimeType: string, text: string) => {
        const chosen = page.waitForEvent("filechooser")
        await page.getByRole("button", { name: "Upload: Logo", exact: true }).click()
        await (await chosen).setFiles({ name, mimeType, buffer: Buffer.from(text) })
      }
      const ring = "<circle cx=\"20\" cy=\"10\" r=\"8\"/><script>document.title = \"hostile\"</script>"
      await upload("logo.svg", "image/svg+xml", "not a drawing")
      await page.getByText("logo.svg is not an image that this browser can read").waitFor()
      await upload("logo.svg", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">${ring}</svg>`)
      await page.getByText("Uploaded. It is on the page once you publish.").waitFor()
      const field = page.locator("input[data-picture]").first()
      const longest = Number(await field.getAttribute("data-picture"))
      expect(await field.inputValue()).toMatch(new RegExp(`/images/img_\\w+-${longest}x${longest / 2}\\.png$`))
      expect(errors).toEqual([])
    }))

  it.effect("keeps the look of a page as a draft until it is published, with each change, and brings back what was before", () =>
    story(async ({ open }) => {
      const watched = await open()
      const { errors, page } = watched
      await page.goto("/app")
      const { id } = await call(watched, "POST", "/pages", { name: "Drafted" })
      await page.goto(`/app/pages/${id}`)
      const changes = page.getByRole("region", { name: "Changes" })
      await changes.getByText("No changes").waitFor()
      await page.getByLabel("Name", { exact: true }).fill("Drafted again")
      await page.getByLabel("Accent").first().fill("#aa1177")
      await changes.getByText("2 changes, not published").waitFor()
      await changes.getByText("Show changes").click()
      expect(await changes.locator("del").allTextContents()).toEqual(["Drafted", "nothing"])
      await changes.getByRole("button", { name: "Undo: Accent" }).click()
      await changes.getByText("1 change, not published").waitFor()

      // Leaving asks first; what was saved is there in another browser, too.
      let asked = 0
      page.once("dialog", (dialog) => {
        asked++
        void dialog.accept()
      })
      await page.reload()
      expect(asked).toBe(1)
      await changes.getByText("No changes").waitFor()
      await page.getByLabel("Name", { exact: true }).fill("Drafted again")
      await changes.getByRole("button", { name: "Save draft" }).click()
      await page.getByText("Draft saved").waitFor()
      const other = await open()
      await other.page.goto(`/app/pages/${id}`)
      await other.page.getByText("Draft, not published.").waitFor()
      expect(await other.page.getByLabel("Name", { exact: true }).inputValue()).toBe("Drafted again")
      await other.page.getByText("1 change, not published").waitFor()
      await other.page.getByText("Show changes").click()
      expect(await other.page.locator("[data-changes] del").allTextContents()).toEqual(["Drafted"])
      expect((await call(watched, "GET", `/pages/${id}`)).name).toBe("Drafted")

      await changes.getByRole("button", { name: "Publish" }).click()
      await page.getByText("Page published").waitFor()
      await changes.getByText("No changes").waitFor()
      await changes.getByRole("button", { name: "Bring back what was published before" }).click()
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Drafted")
      await changes.getByText("1 change, not published").waitFor()
      await changes.getByRole("button", { name: "Discard all" }).click()
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Drafted again")
      expect(errors).toEqual([])
    }))
}
