import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { contrastChecks, contrastOf, isEnough } from "../../../src/domain/page/Contrast.ts"
import { presetStyles } from "../../../src/domain/page/Presets.ts"
import { presets } from "../../../src/domain/page/Theme.ts"
import { themeColors } from "../../../src/domain/page/ThemeColors.ts"
import { themeStyle } from "../../../src/pages/style/ThemeStyle.ts"

const color = fc.hexaString({ minLength: 6, maxLength: 6 }).map((digits) => `#${digits}`)

describe("The contrast of two colours", () => {
  it("is 21 for black on white, 1 for a colour on itself, and as WCAG's examples say", () => {
    expect(contrastOf("#000000", "#fff")).toBeCloseTo(21, 5)
    expect(contrastOf("#777777", "#ffffff")).toBeCloseTo(4.478, 3)
    expect(contrastOf("#767676", "#FFFFFF")).toBeCloseTo(4.542, 3)
  })

  it("lies from 1 to 21, whichever of the two is the ground", () => {
    fc.assert(fc.property(color, color, (one, other) => {
      const ratio = contrastOf(one, other) ?? 0
      expect(ratio).toBeGreaterThanOrEqual(1)
      expect(ratio).toBeLessThanOrEqual(21.0001)
      expect(contrastOf(other, one)).toBe(ratio)
      expect(contrastOf(one, one)).toBe(1)
    }))
  })

  it("is unknown unless both are hexadecimal, and nothing is called too weak then", () => {
    expect(contrastOf("rgb(0 0 0)", "#ffffff")).toBeNull()
    expect(contrastOf("#12", "#ffffff")).toBeNull()
    expect(contrastChecks({ bg: "white" }).every(isEnough)).toBe(true)
  })
})

describe("The colours of a theme", () => {
  it("are readable in each preset, in light and dark", () => {
    for (const preset of presets) {
      const weak = themeColors({ preset }).flatMap(([mode, colors]) =>
        contrastChecks(colors).filter((check) => !isEnough(check)).map(({ on, what }) => [preset, mode, what, on])
      )
      expect(weak).toEqual([])
    }
  })

  it("are checked in the mode that visitors see, with the owner's tokens", () => {
    const [only, ...others] = themeColors({
      preset: "paper",
      mode: "dark",
      tokens: { text: "#ffffff", x: "#000000", accent: "#191612" }
    })
    expect(others).toEqual([])
    const weak = contrastChecks(only?.[1] ?? {}).filter((check) => !isEnough(check))
    expect([only?.[0], weak.map(({ on, what }) => [what, on])]).toEqual(["dark", [["Links", "background"], ["Links", "panels"]]])
  })

  it("make any accent readable in each preset and mode, and leave it alone where it is", () => {
    const theme = fc.record({ accent: color, preset: fc.constantFrom(...presets) })
    fc.assert(fc.property(theme, (given) => {
      for (const [, colors] of themeColors(given)) {
        const links = contrastChecks(colors).filter(({ what }) => what === "Links")
        expect(links.filter((check) => !isEnough(check))).toEqual([])
        const isReadable = [colors.bg, colors.surface].every((ground) => (contrastOf(given.accent, ground) ?? 0) >= 4.5)
        if (isReadable) expect(colors.accent).toBe(given.accent)
      }
    }))
  })

  it("are the preset's light ones on paper, where dark backgrounds are not printed", () => {
    const style = themeStyle({ preset: "midnight", mode: "dark", tokens: { text: "#fffffe" } })
    const printed = style.slice(style.indexOf("@media print"))
    expect(style).toContain("--text:#fffffe")
    expect(printed).toContain(`--text:${presetStyles.midnight.light.text}`)
    expect(printed).not.toContain("#fffffe")
  })
})
