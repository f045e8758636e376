/** Formats of numbers and relative times for a language. */
import { keeping } from "../../domain/tools/time/KeptFormats.ts"

const unit = (name: string): Intl.NumberFormatOptions => ({ style: "unit", unit: name, unitDisplay: "short" })

const numberStyles = {
  count: {},
  percent: { style: "percent", maximumFractionDigits: 3 },
  millis: { style: "unit", unit: "millisecond", maximumFractionDigits: 0 },
  seconds: { style: "unit", unit: "second", maximumFractionDigits: 2 },
  day: unit("day"),
  hour: unit("hour"),
  minute: unit("minute"),
  second: unit("second")
} as const satisfies Readonly<Record<string, Intl.NumberFormatOptions>>

const keptNumbers = keeping<Intl.NumberFormat>()

export const numbersIn = (locale: string, style: keyof typeof numberStyles): Intl.NumberFormat =>
  keptNumbers(`${locale} ${style}`, () => new Intl.NumberFormat(locale, numberStyles[style]))

const keptRelatives = keeping<Intl.RelativeTimeFormat>()

/** `3 minutes ago`, `yesterday`. */
export const relativesIn = (locale: string): Intl.RelativeTimeFormat =>
  keptRelatives(locale, () => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }))
