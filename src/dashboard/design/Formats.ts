/** Formats of numbers and moments for a language and a zone. Making one costs more than a hundred uses, so they are kept. */

/** Formats of each kind, some MB at most; then the cache starts empty. */
const most = 300

const keeping = <Format>() => {
  const known = new Map<string, Format>()
  return (key: string, make: () => Format): Format => {
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= most) known.clear()
    const made = make()
    known.set(key, made)
    return made
  }
}

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

const momentStyles = {
  short: { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" },
  dated: { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit" },
  full: {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short"
  },
  day: { year: "numeric", month: "short", day: "numeric", weekday: "short" },
  year: { year: "numeric" },
  hour: { hour: "numeric", minute: "2-digit" },
  weekday: { weekday: "short", day: "numeric", month: "short" },
  dayOfMonth: { day: "numeric" },
  dayAndMonth: { day: "numeric", month: "short" }
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>

const keptMoments = keeping<Intl.DateTimeFormat>()

export const momentsIn = (locale: string, timeZone: string, style: keyof typeof momentStyles): Intl.DateTimeFormat =>
  keptMoments(`${locale} ${timeZone} ${style}`, () => new Intl.DateTimeFormat(locale, { timeZone, ...momentStyles[style] }))

const keptRelatives = keeping<Intl.RelativeTimeFormat>()

/** `3 minutes ago`, `yesterday`. */
export const relativesIn = (locale: string): Intl.RelativeTimeFormat =>
  keptRelatives(locale, () => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }))
