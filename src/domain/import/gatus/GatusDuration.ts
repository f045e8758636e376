/** Durations as Go writes them: 90s, 5m, 1h30m. */

const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }

/** In seconds; null for a text that is no duration. */
export const secondsOf = (text: string): number | null => {
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|[smhd]))+$/.test(text)) return null
  return [...text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|[smhd])/g)].reduce(
    (sum, [, count = "0", unit = "s"]) => sum + Number(count) * (units[unit] ?? 0),
    0
  )
}
