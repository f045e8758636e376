/** The classes that the documents name for owners' style sheets are those of their pages. */
import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { tokenNames } from "../../src/domain/page/Theme.ts"
import { pageClasses, stateClasses } from "../../src/pages/style/PageClasses.ts"
import { themeStyle } from "../../src/pages/style/ThemeStyle.ts"

const read = (file: string) => readFileSync(join(import.meta.dirname, "../../src/pages/html", file), "utf8")
const markup = ["StatusPage", "Components", "Incidents", "UptimeBars", "Markdown"].map((name) => read(`${name}.tsx`)).join("\n")

/** Words of all class attributes, also of those that are made: `card incident s-${…}`. */
const classes = new Set(
  [...markup.matchAll(/class=(?:"([^"]*)"|\{`([^`]*)`\})/g)].flatMap(([, plain, made]) => (plain ?? made ?? "").split(/\s+/))
)

describe("the classes for custom CSS", () => {
  it.each(pageClasses.map(([name]) => name))(".%s is on the page", (name) => {
    // A list gets its class from its group.
    expect(classes.has(name) || markup.includes(`class="${name}"`)).toBe(true)
  })

  it("style each status and each colour that is listed", () => {
    const style = themeStyle({})
    for (const name of stateClasses) expect(style).toContain(`.${name}`)
    for (const name of tokenNames) expect(style).toContain(`--${name}:`)
  })
})
