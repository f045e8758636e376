/** How long history is kept. */
import { Context } from "effect"

export interface Retention {
  /** Days that checks and their evidence are kept. */
  readonly checksDays: number
  /** Days that events, state spans and daily rollups are kept. */
  readonly historyDays: number
}

/**
 * Raw checks: 30 days (Specification: Limits, Other constants). Events and spans: 13 months, so that a month compares with that
 * of a year ago.
 */
export const defaultRetention: Retention = { checksDays: 30, historyDays: 396 }

export class RetentionSettings extends Context.Reference<RetentionSettings>()("belltower/RetentionSettings", {
  defaultValue: () => defaultRetention
}) {}
