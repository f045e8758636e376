/** The languages of status pages, and the choice of a language for a visitor. */
import type { Language, PageSettings } from "../../../schema/page/Page.ts"
import { durationIn } from "../tools/time/Duration.ts"
import { yearIn } from "../tools/time/Moments.ts"
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

/** A text after the name of what it is about. French has a space before the colon, at which no line breaks. */
export const namedIn = (language: Language, name: string, text: string): string =>
  `${name}${language === "fr" ? "\u00a0" : ""}: ${text}`

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

/** Language, script and region (RFC 5646). Further subtags are left out: `Intl` throws on those it considers malformed. */
const languageTag = /^([a-z]{2,3})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?![a-z0-9])/i

/**
 * `en-DE` for English and the first language `de` of `Accept-Language`; only the language if the header names no region and none
 * follows from its language.
 */
export const regionalLocale = (language: Language, acceptLanguage: string | undefined): string => {
  const [tag, first] = languageTag.exec((acceptLanguage ?? "").trim()) ?? []
  if (tag === undefined) return language
  const locale = new Intl.Locale(tag)
  const { region } = first?.toLowerCase() === language ? locale : locale.maximize()
  return region === undefined ? language : `${language}-${region}`
}

/** How a visitor reads a page. */
export interface VisitorLocale {
  readonly language: Language
  /** The language, perhaps with a region, for dates. */
  readonly locale: string
}

const regions = new Map<string, string>()
const locales = new Map<string, string>()

/** One of the regions that write dates as this one does: a page in a language has at most eight forms. */
const sharedLocale = (language: Language, locale: string): string => {
  const known = regions.get(locale)
  if (known !== undefined) return known
  if (locale !== language) sharedLocale(language, language)
  const dates = `${language} ${yearIn(locale)}`
  const shared = locales.get(dates) ?? locale
  locales.set(dates, shared)
  regions.set(locale, shared)
  return shared
}

const visitors = new Map<string, VisitorLocale>()

/** Bounds the memory: there are more headers than visitors. */
const mostVisitors = 2000

/** The locale of a visitor, kept by header, because a page in memory is served in less time than it takes to read one. */
export const visitorLocale = (setting: PageSettings["language"], acceptLanguage: string | undefined): VisitorLocale => {
  const header = (acceptLanguage ?? "").slice(0, 200)
  const key = `${setting ?? "auto"} ${header}`
  const known = visitors.get(key)
  if (known !== undefined) return known
  const language = languageOf(setting, header)
  const visitor = { language, locale: sharedLocale(language, regionalLocale(language, header)) }
  if (visitors.size >= mostVisitors) visitors.clear()
  visitors.set(key, visitor)
  return visitor
}

/** A duration in seconds, in its two largest units: `1 hr 12 min`. */
export const durationInLanguage = (language: Language) => (seconds: number): string =>
  durationIn(
    Math.floor(seconds),
    (count, unit) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" }).format(count)
  )
