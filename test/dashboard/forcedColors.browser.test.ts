/** Views and pages where the operating system forces its colours, which takes backgrounds away. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { designStyle } from "../../src/dashboard/design/style/DesignStyle.ts"
import { baseStyle } from "../../src/pages/style/BaseStyle.ts"
import { formStyle } from "../../src/pages/style/FormStyle.ts"
import { chromium, openPage } from "../support/browser/Browser.ts"

if (chromium === undefined) {
  console.warn("NOT TESTED: forced colours in a real browser, since no Chromium is installed (set CHROMIUM to one)")
}

const withStyle = (style: string, body: string) =>
  `data:text/html,${encodeURIComponent(`<!doctype html><style>${style}</style>${body}`)}`

describe.skipIf(chromium === undefined && process.env["CI"] === undefined)("forced colours", () => {
  it.scoped("show which of several things is chosen, and where a button is", () =>
    Effect.gen(function*() {
      const page = yield* openPage(chromium ?? "")
      yield* page.forceColors
      const styles = (property: string) =>
        page.evaluate(
          `[...document.querySelectorAll("a,button,.kinds span")].map((one) => getComputedStyle(one).${property})`
        )
      for (const place of ["tabs", "segments", "themes", "choose", "kinds"]) {
        const chosen = "<a href='/'>A</a><a href='/' aria-current='page'>B</a><button aria-pressed='true'>C</button>"
        yield* page.goTo(withStyle(designStyle, `<nav class="${place}">${chosen}</nav>`))
        expect([place, yield* styles("outlineStyle")]).toEqual([place, ["none", "solid", "solid"]])
      }
      const kind = (checked: string) => `<label><input type="radio" name="type" ${checked}><span>Email</span></label>`
      yield* page.goTo(
        withStyle(
          baseStyle + formStyle,
          `<button class="button">Subscribe</button><div class="kinds">${kind("checked")}${kind("")}</div>`
        )
      )
      expect((yield* styles("borderTopStyle"))[0]).toBe("solid")
      expect(yield* styles("outlineStyle")).toEqual(["none", "solid", "none"])
    }))
})
