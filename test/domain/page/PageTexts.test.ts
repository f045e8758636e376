import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc, Schema } from "effect"
import { ComponentKey } from "../../../schema/component/Component.ts"
import { Language, Slug } from "../../../schema/page/Page.ts"
import { urlTexts } from "../../../src/domain/monitor/settings/UrlSettings.ts"
import { languageOf, preferredLanguage, visitorLocale, wordsIn } from "../../../src/domain/page/Languages.ts"
import { pageRefusals } from "../../../src/domain/page/PageRefusals.ts"
import { concealing, keeping } from "../../../src/domain/page/PublicText.ts"
import { imageUrl, linkUrl } from "../../../src/domain/page/PublicUrl.ts"
import { firstFree, isReserved, keyOf, numbered, slugOf } from "../../../src/domain/page/Slug.ts"
import { confinedCss, isTokenValue } from "../../../src/domain/page/Theme.ts"
import { makeFormats } from "../../../src/pages/Formats.ts"
import { themeStyle } from "../../../src/pages/style/ThemeStyle.ts"

const isSlug = Schema.is(Slug)

describe("A slug", () => {
  it.each([
    ["Acme Cloud", "acme-cloud"],
    ["Müller & Söhne", "mueller-soehne"],
    ["  Łódź — Café №1 ", "lodz-cafe-no1"],
    ["Bob's Burgers", "bobs-burgers"],
    ["日本", "status-page"],
    ["AB", "ab-status"],
    ["Docs", "docs-status"]
  ])("of %s is %s", (name, slug) => {
    expect(slugOf(name)).toBe(slug)
  })

  it.prop("of any name is valid and not reserved, even when numbered", [
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 120 }),
    fc.integer({ min: 1, max: 2000 })
  ], ([name, attempt]) => {
    const slug = numbered(slugOf(name), attempt)
    expect(isSlug(slug)).toBe(true)
    expect(isReserved(slug)).toBe(false)
  })

  it.prop("that is taken is numbered until it is free", [
    fc.string({ minLength: 1, maxLength: 60 }),
    fc.integer({ min: 0, max: 30 })
  ], ([name, count]) => {
    const base = slugOf(name)
    const taken = new Set(Array.from({ length: count }, (_, index) => numbered(base, index + 1)))
    expect(taken.size).toBe(count)
    expect(taken.has(firstFree(base, taken))).toBe(false)
  })

  it.prop("as a component's key is valid", [
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 120 })
  ], ([name]) => {
    expect(Schema.is(ComponentKey)(numbered(keyOf(name), 12, 63))).toBe(true)
  })
})

describe("The language of a page", () => {
  it("is the visitor's preferred one if the page follows the visitor", () => {
    expect(preferredLanguage("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5")).toBe("fr")
    expect(preferredLanguage("sv, de;q=0.4, ja;q=0.9")).toBe("ja")
    expect(preferredLanguage("de;q=0, it")).toBe("it")
    expect(preferredLanguage("xx, constructor, __proto__")).toBe("en")
    expect(preferredLanguage(undefined)).toBe("en")
  })

  it("is the page's own if it has one", () => {
    expect(languageOf("de", "fr")).toBe("de")
    expect(languageOf("auto", "fr")).toBe("fr")
  })

  it.each(Language.literals)("%s has a text for every word", (language) => {
    const words = wordsIn(language)
    const textsOf = (word: unknown): ReadonlyArray<string> =>
      typeof word === "string"
        ? [word]
        : typeof word === "function"
        ? [word("7")]
        : Object.values(word as object).flatMap(textsOf)
    const said = Object.values(words).flatMap(textsOf)
    expect(said.every((word) => word.trim() !== "")).toBe(true)
    expect(words.noIncidents(14)).toContain("14")
  })

  it.each(Language.literals)("%s formats dates, figures and durations", (language) => {
    const now = DateTime.unsafeMake("2026-11-20T10:33:00Z")
    const formats = makeFormats({ language, locale: language, zone: "Europe/Berlin", now })
    expect(formats.percent(99.999)).toMatch(/99[.,]99/)
    expect(formats.percent(100)).not.toMatch(/[.,]/)
    expect(formats.duration(4_320)).toMatch(/1.*12/)
    expect(formats.day("2026-11-20")).toMatch(/20/)
    expect([formats.moment(now), formats.date(now), formats.day("2026-11-20")].filter((text) => text.includes("2026"))).toEqual(
      []
    )
    const lastYear = DateTime.subtract(now, { years: 1 })
    for (
      const text of [formats.moment(lastYear), formats.date(lastYear), formats.day("2025-11-20"), formats.period(lastYear, now)]
    ) {
      expect(text).toContain("2025")
    }
  })

  it("writes dates as in the visitor's region, whatever the language of the page", () => {
    const at = DateTime.unsafeMake("2026-11-20T14:33:00Z")
    const written = (setting: Language | "auto", acceptLanguage?: string) => {
      const { language, locale } = visitorLocale(setting, acceptLanguage)
      return makeFormats({ language, locale, zone: "UTC", now: at }).moment(at).replace(/\s/g, " ")
    }
    expect(written("auto", "en-GB,en;q=0.9")).toBe("20 Nov, 14:33 UTC")
    expect(written("auto", "en-US,en;q=0.9")).toBe("Nov 20, 2:33 PM UTC")
    expect(written("auto")).toBe("Nov 20, 2:33 PM UTC")
    expect(written("en", "de-DE,de;q=0.9,en-US;q=0.8")).toBe("20 Nov, 14:33 UTC")
    expect(written("auto", "fr-CA,fr;q=0.9")).toBe("20 nov., 14 h 33 UTC")
    expect(written("de", "en-US")).toBe("20. Nov., 14:33 UTC")
  })

  it("has few forms of a language, whatever regions visitors claim", () => {
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    const locales = new Set(letters.flatMap((one) => letters.map((other) => visitorLocale("en", `en-${one}${other}`).locale)))
    expect(locales.size).toBeLessThanOrEqual(12)
    expect(locales).toContain("en")
    expect(visitorLocale("en", "x".repeat(9999)).locale).toBe("en")
  })
})

const knowing = (...each: ReadonlyArray<string>) => ({
  each,
  all: each.join(" and "),
  join: (names: ReadonlyArray<string>) => names.join(" and ")
})
const conceal = (text: string, hidden: ReadonlyArray<string>, ...shown: ReadonlyArray<string>) =>
  concealing(hidden, knowing(...shown))(text)

describe("Public texts", () => {
  const hidden = ["prod-api-int", ...urlTexts("https://int.acme.test:8443/health")]

  it("replace a monitor's name by what the page shows", () => {
    expect(conceal("Prod-API-int is down: no answer from https://int.acme.test:8443/health (int.acme.test)", hidden, "REST API"))
      .toBe("REST API is down: no answer from REST API (REST API)")
  })

  it("mention a list of components once", () => {
    const names = ["prod", "Billing"]
    expect(conceal("A problem with Billing, REST API, prod.", names, "REST API")).toBe("A problem with REST API.")
  })

  it("keep of a list the names that visitors know, in its order", () => {
    const text = "Billing, Checkout, Search: monitoring was paused after 3 minutes."
    const shown = ["Checkout", "Search"]
    expect(conceal(text, ["Billing"], ...shown)).toBe("Checkout and Search: monitoring was paused after 3 minutes.")
    expect(conceal(text, ["Billing", "Search"], "Checkout", "Mail")).toBe("Checkout: monitoring was paused after 3 minutes.")
    expect(conceal(text, ["Billing", ...shown], "Mail", "Chat")).toBe("Mail and Chat: monitoring was paused after 3 minutes.")
    // Two pages may have components of one name.
    expect(conceal(text, ["Billing", "Search"], ...shown)).toBe("Checkout and Search: monitoring was paused after 3 minutes.")
  })

  const name = fc.string({ unit: fc.constantFrom("a", "B", ", ", " ", "&", "-"), minLength: 1, maxLength: 6 })
    .filter((one) => one.trim() === one && !one.startsWith(",") && !one.endsWith(","))
  const list = fc.uniqueArray(name, { minLength: 1, maxLength: 5, selector: (one) => one.toLowerCase() })

  it.prop(
    "keep of a list of the service exactly what is not hidden",
    [list, fc.infiniteStream(fc.boolean())],
    ([names, flips]) => {
      // A name that contains another one with a separator can be read in two ways.
      fc.pre(names.every((one) => names.every((other) => one === other || !one.includes(other))))
      const marks = names.map(() => flips.next().value)
      const hidden = names.filter((_, index) => marks[index])
      const shown = names.filter((_, index) => !marks[index])
      expect(keeping(hidden, knowing(...shown))(names.join(", "))).toBe(shown.length === 0 ? null : shown.join(" and "))
    }
  )

  it("leave other words alone", () => {
    expect(conceal("A rapid change", ["api", ""], "X")).toBe("A rapid change")
  })

  it.prop("contain no monitor name", [
    fc.string({ minLength: 2, maxLength: 30 }),
    fc.string(),
    fc.string()
  ], ([name, before, after]) => {
    fc.pre(name.trim() !== "" && !"shown".includes(name.toLowerCase()))
    const text = conceal(`${before} ${name} ${after}`, [name], "shown")
    expect(text.toLowerCase()).not.toContain(` ${name.toLowerCase()} `)
  })
})

describe("An owner's setting", () => {
  it("becomes a link only with http or https", () => {
    expect(linkUrl("javascript:alert(1)")).toBeNull()
    expect(linkUrl("https://acme.test/a?b=\"")).toBe("https://acme.test/a?b=%22")
    expect(imageUrl("data:text/html,x")).toBeNull()
    expect(imageUrl("data:image/png;base64,AA==")).toBe("data:image/png;base64,AA==")
  })

  it.prop("as CSS cannot end its element", [
    fc.string({ unit: fc.constantFrom("<", "/", "\0", "s", "style", ">", "\\") })
  ], ([css]) => {
    expect(confinedCss(css)).not.toContain("</")
  })

  it("as a token is a colour or a length", () => {
    expect(["#0a84ff", "rgb(10 132 255 / 50%)".replace(" / 50%", ""), "0.5rem"].every(isTokenValue)).toBe(true)
    expect(["red;}", "url(x)", "a/*", "x}", "<b>", "\"a\""].some(isTokenValue)).toBe(false)
  })

  const owns = (name: string, value: string) => pageRefusals({ theme: { tokens: { [name]: value } } }).map(({ path }) => path)

  it.each(["--x-gap", "--x-Gap-2", `--x-${"a".repeat(60)}`])("has a variable of the owner's own: %s", (name) => {
    expect(owns(name, "1px")).toEqual([])
    expect(themeStyle({ tokens: { [name]: "1px" } })).toContain(`${name}:1px;`)
  })

  it.each(["--y-gap", "x-gap", "--x-", "--bg", "--x-a:b", "--x-a;b", "--x-a}", "--x-a b", "--x-ä", `--x-${"a".repeat(61)}`])(
    "has no variable of another name: %s",
    (name) => {
      expect(owns(name, "1px")).toEqual([`theme.tokens.${name}`])
      expect(themeStyle({ tokens: { [name]: "1px" } })).toBe(themeStyle({}))
    }
  )

  it.each([
    ...["1px;color:red", "1px}body{display:none", "</style><script>", "url(//evil.test)", "image-set(x)", "URL(x)"],
    ...[
      "/* open",
      "*/",
      "\\75rl(x)",
      "a\\",
      "\"open",
      "rgb(1 2 3",
      ")",
      ")(",
      "",
      "@import",
      "a:b",
      "!important",
      "x".repeat(101)
    ]
  ])("has no variable with the value %s", (value) => {
    for (const name of ["--x-gap", "bg"]) {
      expect(owns(name, value)).toEqual([`theme.tokens.${name}`])
      expect(themeStyle({ tokens: { [name]: value } })).toBe(themeStyle({}))
    }
  })

  it("is rejected with its path", () => {
    const refusals = pageRefusals({
      slug: "api",
      theme: { preset: "neon", tokens: { bg: "url(x)", nope: "1" }, fontSans: "a;b" },
      branding: { logoUrl: "javascript:1" },
      settings: { timezone: "Mars/Olympus" }
    })
    expect(refusals.map(({ path }) => path)).toEqual([
      "slug",
      "theme.preset",
      "theme.tokens.bg",
      "theme.tokens.nope",
      "theme.fontSans",
      "branding.logoUrl",
      "settings.timezone"
    ])
    expect(pageRefusals({ settings: { timezone: "Europe/Berlin" }, theme: { preset: "paper" } })).toEqual([])
  })
})
