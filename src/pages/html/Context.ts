/** The data that every part of a rendered page uses. */
import type { Language } from "../../../schema/page/Page.ts"
import { subscriptionWords, wordsIn } from "../../domain/page/Languages.ts"
import { makeFormats } from "../Formats.ts"
import type { PublicView } from "../PublicView.ts"

export const contextOf = (view: PublicView, language: Language, stale: boolean) => ({
  ...view,
  words: wordsIn(language),
  subscription: subscriptionWords(language),
  formats: makeFormats(language, view.page.page.settings.timezone ?? "UTC"),
  stale,
  /** When the snapshot was read. */
  at: view.page.updatedAt
})

export type PageContext = ReturnType<typeof contextOf>
