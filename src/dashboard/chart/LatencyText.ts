/** A latency as the chart writes it. */
import { numbersIn } from "../design/Formats.ts"

/** `ms`; a dash for what was not measured. */
export const latencyText = (locale: string, ms: number | null | undefined): string =>
  ms === null || ms === undefined
    ? "–"
    : ms < 1000
    ? numbersIn(locale, "millis").format(ms)
    : numbersIn(locale, "seconds").format(ms / 1000)
