/** The locale of a dashboard in English: numbers and dates as in the reader's region, in English words. */

/** Language, script and region (RFC 5646). Further subtags are left out: `Intl` throws on those it considers malformed. */
const languageTag = /^([a-z]{2,3})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?![a-z0-9])/i

/** `en-DE` for the first language `de` of `Accept-Language`; `en` if it names no region and none follows from the language. */
export const englishLocale = (acceptLanguage: string | undefined): string => {
  const [tag, language] = languageTag.exec((acceptLanguage ?? "").trim()) ?? []
  if (tag === undefined) return "en"
  const locale = new Intl.Locale(tag)
  const { region } = language?.toLowerCase() === "en" ? locale : locale.maximize()
  return region === undefined ? "en" : `en-${region}`
}
