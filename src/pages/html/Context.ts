/** The data that every part of a rendered page uses. */
import type { DateTime } from "effect"
import type { Words } from "../../domain/words/Words.ts"
import type { Formats } from "../Formats.ts"
import type { PublicView } from "../PublicView.ts"

export interface PageContext extends PublicView {
  readonly words: Words
  readonly formats: Formats
  readonly stale: boolean
  /** When the snapshot was read. */
  readonly at: DateTime.Utc
}
