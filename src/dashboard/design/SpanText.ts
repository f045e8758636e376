/** Spans of time as text in a language. The server writes it, and the browser keeps it current. */
import { numbersIn, relativesIn } from "./Formats.ts"

const units = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]] as const

/** `3 minutes ago` for a moment that is 180 seconds in the past, given as -180. */
export const relativeText = (locale: string, seconds: number): string => {
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? units[3]
  return relativesIn(locale).format(Math.trunc(seconds / size), unit)
}

const amountText = (locale: string, amount: number, unit: typeof units[number][0]): string =>
  numbersIn(locale, unit).format(amount)

/** A span in its two largest units: `1 hr 12 min`. */
export const spanText = (locale: string, seconds: number): string => {
  let rest = Math.max(0, Math.round(seconds))
  const parts: Array<string> = []
  for (const [unit, size] of units) {
    const amount = Math.floor(rest / size)
    rest -= amount * size
    if (amount > 0) parts.push(amountText(locale, amount, unit))
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.length === 0 ? amountText(locale, 0, "second") : parts.join(" ")
}
