/** The data that every part of a rendered page uses. */
import { subscriptionWords, type VisitorLocale, wordsIn } from "../../domain/page/Languages.ts"
import { makeFormats } from "../Formats.ts"
import type { PublicView } from "../PublicView.ts"

const zoneOf = ({ page: { page } }: PublicView): string => page.settings.timezone ?? "UTC"

export const contextOf = (view: PublicView, { language, locale }: VisitorLocale, stale: boolean) => ({
  ...view,
  language,
  words: wordsIn(language),
  subscription: subscriptionWords(language),
  zone: zoneOf(view),
  locale,
  formats: makeFormats({ language, locale, zone: zoneOf(view), now: view.page.updatedAt }),
  stale,
  /** When the snapshot was read. */
  at: view.page.updatedAt
})

export type PageContext = ReturnType<typeof contextOf>
