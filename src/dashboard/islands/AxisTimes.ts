/** The times of a chart's axis and legend, written as the rest of the view writes them. */
import { momentsIn } from "../../domain/tools/Moments.ts"

/** Times are in seconds since 1970. */
export const axisTimes = (locale: string, zone: string) => {
  const text = (style: "hour" | "dayAndMonth" | "short", at: number) => momentsIn(locale, zone, style).format(at * 1000)
  return {
    /** The hour of each tick, above the day where a day begins; only days if ticks are a day or more apart. */
    ticks: (ticks: ReadonlyArray<number>, apartSec: number): Array<string> =>
      ticks.map((at, index) => {
        const day = text("dayAndMonth", at)
        if (apartSec >= 86_400) return day
        const before = ticks[index - 1]
        const hour = text("hour", at)
        return before !== undefined && text("dayAndMonth", before) === day ? hour : `${hour}\n${day}`
      }),
    legend: (at: number): string => text("short", at)
  }
}
