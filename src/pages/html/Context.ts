/** The data that every part of a rendered page uses. */
import type { DateTime } from "effect"
import type { Language } from "../../../schema/page/Page.ts"
import { subscriptionWords, wordsIn } from "../../domain/page/Languages.ts"
import type { SubscriptionWords, Words } from "../../domain/words/en.ts"
import { type Formats, makeFormats } from "../Formats.ts"
import type { PublicView } from "../PublicView.ts"

export interface PageContext extends PublicView {
  readonly words: Words
  readonly subscription: SubscriptionWords
  readonly formats: Formats
  readonly stale: boolean
  /** When the snapshot was read. */
  readonly at: DateTime.Utc
}

export const contextOf = (view: PublicView, language: Language, stale: boolean): PageContext => ({
  ...view,
  words: wordsIn(language),
  subscription: subscriptionWords(language),
  formats: makeFormats(language, view.page.page.settings.timezone ?? "UTC"),
  stale,
  at: view.page.updatedAt
})
