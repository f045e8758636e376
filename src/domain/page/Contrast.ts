/** The contrast of a page's colours, by WCAG 2.2 (success criteria 1.4.3 and 1.4.11). Needs no server: editors use it in the browser. */

type Channels = readonly [red: number, green: number, blue: number]

const channelsOf = (color: string): Channels | null => {
  const [, digits = ""] = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(color.trim()) ?? []
  if (digits === "") return null
  const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits
  const channel = (at: number) => Number.parseInt(full.slice(at, at + 2), 16) / 255
  return [channel(0), channel(2), channel(4)]
}

const linear = (channel: number): number => channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4

const luminance = ([red, green, blue]: Channels): number => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

/** From 1 to 21; null unless both colours are hexadecimal. */
export const contrastOf = (one: string, other: string): number | null => {
  const [first, second] = [channelsOf(one), channelsOf(other)]
  if (first === null || second === null) return null
  const [a, b] = [luminance(first), luminance(second)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

const hex = (channels: Channels): string =>
  `#${channels.map((channel) => Math.round(channel * 255).toString(16).padStart(2, "0")).join("")}`

const mixed = (color: Channels, end: number, share: number): string => {
  const channel = (value: number) => value + (end - value) * share
  return hex([channel(color[0]), channel(color[1]), channel(color[2])])
}

/** Steps from a colour to black or white. */
const steps = 50

/** The colour nearest to the given one with a contrast of at least `least` to all backgrounds; black or white if none has it. */
export const readableOn = (color: string, grounds: ReadonlyArray<string>, least: number): string => {
  const isReadable = (one: string) => grounds.every((ground) => (contrastOf(one, ground) ?? least) >= least)
  const channels = channelsOf(color)
  if (channels === null || isReadable(color)) return color
  const shares = Array.from({ length: steps }, (_, index) => (index + 1) / steps)
  const candidates = shares.flatMap((share) => [mixed(channels, 0, share), mixed(channels, 1, share)])
  const lowest = (one: string) => Math.min(...grounds.map((ground) => contrastOf(one, ground) ?? least))
  return candidates.find(isReadable) ?? (lowest("#000000") >= lowest("#ffffff") ? "#000000" : "#ffffff")
}

interface ContrastCheck {
  /** The name of `color`: "Text". */
  readonly what: string
  readonly color: string
  readonly ground: string
  /** The name of `ground`: "background". */
  readonly on: string
  /** Null if a colour is not hexadecimal. */
  readonly ratio: number | null
  /** 4.5 for text, 3 for marks. */
  readonly least: number
}

const texts = [["text", "Text"], ["muted", "Secondary text"], ["accent", "Links"]] as const

const marks = [
  ["operational", "Operational"],
  ["degraded", "Degraded"],
  ["partial", "Partial outage"],
  ["major", "Major outage"],
  ["maintenance", "Maintenance"]
] as const

const grounds = [["bg", "background"], ["surface", "panels"]] as const

export const contrastChecks = (colors: Readonly<Record<string, string>>): ReadonlyArray<ContrastCheck> => {
  const check = (name: string, what: string, ground: string, on: string, least: number): ContrastCheck => {
    const [color, below] = [colors[name] ?? "", colors[ground] ?? ""]
    return { what, color, ground: below, on, ratio: contrastOf(color, below), least }
  }
  return [
    ...texts.flatMap(([name, what]) => grounds.map(([ground, on]) => check(name, what, ground, on, 4.5))),
    ...marks.map(([name, what]) => check(name, what, "surface", "panels", 3))
  ]
}

export const isEnough = ({ least, ratio }: ContrastCheck): boolean => ratio === null || ratio >= least
