/** The styles of views: all are one style sheet, so two views that give a class different looks would disturb each other. */
import { describe, expect, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const views = join(import.meta.dirname, "../../src/dashboard/views")

/** The classes that a style file gives a look wherever they stand: those that begin a selector alone. */
const classesIn = (style: string): ReadonlyArray<string> => [
  ...new Set([...style.matchAll(/(?:^|[`{},])\.([a-z][\w-]*)(?=[ {>,:])/gm)].map(([, name = ""]) => name))
]

const files = readdirSync(views, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith("Style.ts"))
const owned = files.flatMap((path) => classesIn(readFileSync(join(views, path), "utf8")).map((name) => ({ name, path })))

/** Parts of the frame that several views place. */
const shared = new Set(["main", "panel", "tabs", "table", "filters", "banner", "timeline", "head", "is-good"])

describe("the styles of views", () => {
  it("take the size of their texts from the reader's browser", () => {
    const sizes = ["../../src/dashboard/design/style/FrameStyle.ts", "../../src/pages/style/BaseStyle.ts"].map((path) =>
      /^body\{[^}]*font:([\d.]+\w+)/m.exec(readFileSync(join(import.meta.dirname, path), "utf8"))?.[1]
    )
    expect(sizes).toEqual([".9375rem", "1rem"])
  })

  it("choose the layout by the size of its texts, so that large ones get the one for small windows", () => {
    const folders = ["dashboard", "pages", "docs"].map((name) => join(import.meta.dirname, "../../src", name))
    const texts = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /Style\.ts$|Script\.ts$/.test(path))
        .map((path) => readFileSync(join(folder, path), "utf8"))
    )
    const widths = texts.flatMap((text) => [...text.matchAll(/\((?:min|max)-width: ?[\d.]+(\w+)\)/g)].map(([, unit]) => unit))
    expect(widths.length).toBeGreaterThan(30)
    expect(new Set(widths)).toEqual(new Set(["rem"]))
  })

  it("give no class a look that another view gives it, too", () => {
    expect(owned.length).toBeGreaterThan(100)
    const others = owned.filter(({ name, path }) =>
      !shared.has(name) && owned.some((one) => one.name === name && one.path !== path)
    )
    expect(others).toEqual([])
  })
})
