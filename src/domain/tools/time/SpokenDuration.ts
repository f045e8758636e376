/** Durations as people write them: `90`, `30 s`, `5 min`, `1h 30m`, `2 days`. The dashboard reads and writes fields with them. */

const units = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000
} as const

type Unit = keyof typeof units

const names: ReadonlyMap<string, Unit> = new Map([
  ["ms", "ms"],
  ["msec", "ms"],
  ["msecs", "ms"],
  ["millisecond", "ms"],
  ["milliseconds", "ms"],
  ["s", "s"],
  ["sec", "s"],
  ["secs", "s"],
  ["second", "s"],
  ["seconds", "s"],
  ["m", "m"],
  ["min", "m"],
  ["mins", "m"],
  ["minute", "m"],
  ["minutes", "m"],
  ["h", "h"],
  ["hr", "h"],
  ["hrs", "h"],
  ["hour", "h"],
  ["hours", "h"],
  ["d", "d"],
  ["day", "d"],
  ["days", "d"],
  ["w", "w"],
  ["week", "w"],
  ["weeks", "w"]
])

const part = /(\d+(?:\.\d+)?)\s*([a-z]*)/g

/** Milliseconds; null for a text that is no duration. A number alone is in `unit`, and so is one after the last unit that has none. */
export const readDuration = (text: string, unit: Unit): number | null => {
  const written = text.trim().toLowerCase().replace(/(?<=\d),(?=\d{3}\b)/g, "").replace(/,|\band\b/g, " ")
  if (written === "" || written.replace(part, "").trim() !== "") return null
  let sum = 0
  const parts = [...written.matchAll(part)]
  for (const [, amount = "", name = ""] of parts) {
    const known = name === "" && parts.length === 1 ? unit : names.get(name)
    if (known === undefined) return null
    sum += Number(amount) * units[known]
  }
  return Math.round(sum)
}

const written = [["d", "day", "days"], ["h", "h", "h"], ["m", "min", "min"], ["s", "s", "s"], ["ms", "ms", "ms"]] as const

/** Such as `1 h 30 min`; exact, so that it is read back as the same number. */
export const writeDuration = (ms: number): string => {
  let rest = Math.round(ms)
  const parts: Array<string> = []
  for (const [unit, one, many] of written) {
    const amount = Math.floor(rest / units[unit])
    if (amount === 0) continue
    rest -= amount * units[unit]
    parts.push(`${amount} ${amount === 1 ? one : many}`)
  }
  return parts.length === 0 ? "0 s" : parts.join(" ")
}
