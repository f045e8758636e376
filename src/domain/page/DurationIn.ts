/** Formats durations in a language. */
import type { Language } from "../../../schema/page/Page.ts"

const units = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]] as const

/** A duration in seconds, in its two largest units: `1 hr 12 min`. */
export const durationIn = (language: Language) => (seconds: number): string => {
  const amount = (figure: number, unit: string) =>
    new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" }).format(figure)
  const first = units.findIndex(([, size]) => seconds >= size)
  if (first === -1) return amount(0, "second")
  let rest = Math.floor(seconds)
  const parts: Array<string> = []
  for (const [unit, size] of units.slice(first, first + 2)) {
    if (rest >= size) parts.push(amount(Math.floor(rest / size), unit))
    rest %= size
  }
  return parts.join(" ")
}
