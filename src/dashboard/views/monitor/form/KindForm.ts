/** A kind's part of the monitor form: its own fields, its purpose, and the subjects of its assertions. */
import type { ComponentChildren } from "preact"
import type { Assertion } from "../../../../../schema/monitor/Assertion.ts"
import type { Edited } from "./SettingFields.tsx"

export interface KindForm {
  readonly about: string
  /** The fields that most people fill in. */
  readonly main: (monitor: Edited) => ComponentChildren
  /** The others, under "More". */
  readonly more: (monitor: Edited) => ComponentChildren
  /** Empty for kinds without assertions. */
  readonly assertions: ReadonlyArray<Assertion["source"]>
  /** Whether probes check it at an interval. */
  readonly probed: boolean
  /** The interval that a new monitor gets, seconds. */
  readonly usualSec: number
}

/** Defaults of a kind that probes check each minute. */
export const eachMinute = { probed: true, usualSec: 60 } as const
