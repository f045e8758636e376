/** Measures pages at every width: whether a text is clipped, covered or broken inside a word, or something reaches out of its place. */
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"

const source = readFileSync(new URL("./layoutFaults.mjs", import.meta.url), "utf8")

/** The narrowest that pages must fit (WCAG 2.2, reflow), tablet, small and usual laptop, large screen. */
const widths = [320, 768, 1024, 1280, 1920]

/** Islands take their places over as their scripts arrive. */
const mounted = `document.fonts.ready.then(() => new Promise((done) => {
  const look = () => document.querySelector("[data-island]:not([data-mounted])") === null ? done(null) : requestAnimationFrame(look)
  look()
}))`

const unfold = "for (const one of document.querySelectorAll('main details')) one.open = true"

/**
 * The faults in the layout of the page that is open: as it is served, and then, in every other width, with all that it
 * folds away.
 */
export const layoutFaults = async (page: Page, within: ReadonlyArray<number> = widths): Promise<ReadonlyArray<string>> => {
  const { pathname, search } = new URL(page.url())
  await page.evaluate(mounted)
  const wrong: Array<string> = []
  const measure = async (width: number, state: string) => {
    await page.setViewportSize({ width, height: 800 })
    const found: ReadonlyArray<string> = await page.evaluate(`(() => { ${source}; return layoutFaults() })()`)
    wrong.push(...found.map((one) => `${pathname}${search} in ${width} px${state}: ${one}`))
  }
  for (const width of within) await measure(width, "")
  if (await page.locator("main details").count() === 0) return wrong
  await page.evaluate(unfold)
  for (const width of within.filter((_, index) => index % 2 === 0)) await measure(width, ", unfolded")
  return wrong
}
