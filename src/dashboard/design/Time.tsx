/** Moments and durations in the person's zone and language. The browser keeps relative times current. */
import { DateTime } from "effect"
import { formOf, momentsIn, type MomentStyle } from "../../domain/tools/time/Moments.ts"
import { useVisit, type VisitData } from "../frame/Visit.ts"
import { numbersIn } from "./Formats.ts"
import { relativeText, spanText } from "./SpanText.ts"

type Style = "short" | "second" | "dated" | "full" | "day" | "hour"

/** The forms that leave out this year. */
const yearlessOf = {
  short: "short",
  second: "second",
  day: "weekday",
  dated: undefined,
  full: undefined,
  hour: undefined
} as const satisfies Record<
  Style,
  MomentStyle | undefined
>

/** A moment as text: `22 Nov, 11:34`, and with its year if that is not this year. `dated` always has it, as an expiry does. */
export const momentText = ({ locale, now, zone }: VisitData, at: DateTime.Utc, style: Style = "short"): string => {
  const yearless = yearlessOf[style]
  const form = yearless === undefined ? style : formOf(yearless, zone, now, [at])
  return momentsIn(locale, zone, form).format(DateTime.toEpochMillis(at))
}

/** A moment; hovering shows it to the second with its zone. */
export const Moment = ({ at, style = "short" }: {
  readonly at: DateTime.Utc
  readonly style?: Style
}) => {
  const visit = useVisit()
  return (
    <time
      class={style === "full" ? undefined : "nowrap"}
      dateTime={DateTime.formatIso(at)}
      title={momentText(visit, at, "full")}
    >
      {momentText(visit, at, style)}
    </time>
  )
}

/** `3 minutes ago`. */
const relative = (visit: VisitData, at: DateTime.Utc): string =>
  relativeText(visit.locale, (DateTime.toEpochMillis(at) - DateTime.toEpochMillis(visit.now)) / 1000)

/** How long ago, kept current by the browser; hovering shows the moment. */
export const Ago = ({ at }: { readonly at: DateTime.Utc }) => {
  const visit = useVisit()
  return (
    <time class="nowrap" data-ago dateTime={DateTime.formatIso(at)} title={momentText(visit, at, "full")}>
      {relative(visit, at)}
    </time>
  )
}

export const Since = ({ at }: { readonly at: DateTime.Utc }) => {
  const visit = useVisit()
  const { between } = useNumber()
  return (
    <time class="nowrap" data-since dateTime={DateTime.formatIso(at)} title={momentText(visit, at, "full")}>
      {between(at, visit.now)}
    </time>
  )
}

export const useNumber = () => {
  const { locale } = useVisit()
  return {
    count: (value: number) => numbersIn(locale, "count").format(value),
    /** 0 to 100, rounded down: only no downtime at all is 100 %. */
    percent: (value: number) => numbersIn(locale, "percent").format(Math.floor(value * 1000) / 100_000),
    /** A dash for what was not measured. */
    millis: (value: number | null | undefined) =>
      value === null || value === undefined
        ? "–"
        : value < 1000
        ? numbersIn(locale, "millis").format(value)
        : numbersIn(locale, "seconds").format(value / 1000),
    /** In the two largest units: `1 hr 12 min`. */
    duration: (seconds: number) => spanText(locale, seconds),
    between: (from: DateTime.Utc, to: DateTime.Utc) =>
      spanText(locale, (DateTime.toEpochMillis(to) - DateTime.toEpochMillis(from)) / 1000)
  }
}
