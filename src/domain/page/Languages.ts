/** The languages of status pages, and the choice of a language for a visitor. */
import type { Language, PageSettings } from "../../../schema/page/Page.ts"
import { durationIn } from "../tools/Duration.ts"
import { de } from "../words/de.ts"
import { el } from "../words/el.ts"
import { en, type SubscriptionWords, type Words } from "../words/en.ts"
import { es } from "../words/es.ts"
import { fr } from "../words/fr.ts"
import { it } from "../words/it.ts"
import { ja } from "../words/ja.ts"
import { nl } from "../words/nl.ts"
import { pl } from "../words/pl.ts"
import { pt } from "../words/pt.ts"
import { tr } from "../words/tr.ts"

const languages: Record<Language, Words> = { en, de, fr, es, it, pt, nl, el, pl, tr, ja }

export const wordsIn = (language: Language): Words => languages[language]

export const subscriptionWords = (language: Language): SubscriptionWords => languages[language].subscription

const isLanguage = (tag: string): tag is Language => Object.hasOwn(languages, tag)

/** The best language for an `Accept-Language` header (RFC 9110, section 12.5.4); English if none matches. */
export const preferredLanguage = (acceptLanguage: string | undefined): Language => {
  const ranges = (acceptLanguage ?? "").slice(0, 500).split(",").map((range, order) => {
    const [tag = "", ...parameters] = range.trim().toLowerCase().split(";")
    const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find((q) => q !== undefined)
    return { language: tag.trim().split("-")[0] ?? "", weight: weight === undefined ? 1 : Number(weight), order }
  })
  const best = ranges
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.order - b.order)
    .map(({ language }) => language)
    .find(isLanguage)
  return best ?? "en"
}

/** The language of a page for a visitor: the page's own or, with `auto`, the visitor's. */
export const languageOf = (setting: PageSettings["language"], acceptLanguage: string | undefined): Language =>
  setting === undefined || setting === "auto" ? preferredLanguage(acceptLanguage) : setting

/** A duration in seconds, in its two largest units: `1 hr 12 min`. */
export const durationInLanguage = (language: Language) => (seconds: number): string =>
  durationIn(
    Math.floor(seconds),
    (count, unit) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" }).format(count)
  )
