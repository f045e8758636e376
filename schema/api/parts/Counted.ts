/** The argument of deletions that take others with them. */
import { Schema } from "effect"
import { optional, whole, wholeText } from "../../Fields.ts"

const most = 1_000_000

const meaning = "How many are lost, if above 10"

export const counted = { count: optional(wholeText(0, most), meaning, 25) }

/** The same in a body. */
export const Counted = Schema.Struct({ count: optional(whole(0, most), meaning, 25) }).annotations({ identifier: "Counted" })
