/** The dashboard is in English, whatever language the browser prefers; numbers and dates follow the reader's region. */
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { relativeText, spanText } from "../../src/dashboard/design/SpanText.ts"
import { regionalLocale } from "../../src/domain/page/Languages.ts"
import { momentsIn } from "../../src/domain/tools/time/Moments.ts"

const englishLocale = (acceptLanguage: string | undefined) => regionalLocale("en", acceptLanguage)

const noon = Date.UTC(2026, 10, 24, 15, 5)

describe("the locale of the dashboard", () => {
  it("is English as in the reader's region", () => {
    expect(
      ["de", "de-AT,de;q=0.9", "zh-Hant", "en", "en-GB,en;q=0.9", "EN-us", "xx", "*", "", undefined].map(englishLocale)
    ).toEqual(["en-DE", "en-AT", "en-TW", "en", "en-GB", "en-US", "en", "en", "en", "en"])
    const locale = englishLocale("de")
    expect([relativeText(locale, -180), spanText(locale, 225), momentsIn(locale, "UTC", "short").format(noon)]).toEqual([
      "3 minutes ago",
      "3 mins 45 secs",
      "24 Nov, 15:05"
    ])
  })

  it("is one that Intl takes, whatever the header holds", () => {
    const part = fc.stringMatching(/^[A-Za-z0-9*;=, -]{0,8}$/)
    const header = fc.array(fc.oneof(fc.constantFrom("de", "en", "1a", "Latn", "DE", "u", "x", "150"), part)).map((parts) =>
      parts.join("-")
    )
    fc.assert(fc.property(header, (accepted) => {
      const locale = englishLocale(accepted)
      expect(Intl.getCanonicalLocales(locale)[0]?.slice(0, 2)).toBe("en")
    }))
    expect(englishLocale("de-1a")).toBe("en-DE")
  })
})
