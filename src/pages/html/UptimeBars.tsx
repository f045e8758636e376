/** The uptime history of one component: one bar per day, labelled for pointer, keyboard and screen reader. */
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { UptimeDay } from "../../../schema/page/PublicPage.ts"
import { namedIn } from "../../domain/page/Languages.ts"
import { recentDays, type ShownComponent } from "../../domain/page/snapshot/Snapshot.ts"
import type { PageContext } from "./Context.ts"

/** One letter each, because a page has thousands of bars. */
const classes: Record<EffectiveStatus, string> = {
  operational: "o",
  degraded: "d",
  partial_outage: "p",
  major_outage: "m",
  maintenance: "w",
  unknown: "n"
}

const dayLabel = ({ date, downSeconds, status, uptimePercent }: UptimeDay, { formats, language, words }: PageContext): string =>
  [
    namedIn(language, formats.day(date), status === "unknown" ? words.noData : words.component[status]),
    ...(uptimePercent === null ? [] : [formats.percent(uptimePercent)]),
    ...(downSeconds > 0 ? [words.downFor(formats.duration(downSeconds))] : [])
  ].join(", ")

/** The line below the bars. A phone shows fewer days (`few`) and the uptime of those days. */
const Scale = ({ context: { formats, words }, days, percent, size }: {
  readonly context: PageContext
  readonly days: number
  readonly percent: number | null
  readonly size: "all" | "few"
}) => (
  <p class={`scale ${size}`}>
    <span>{words.lastDays(days)}</span>
    <i />
    {percent === null ? null : (
      <>
        <span>{words.uptime(formats.percent(percent))}</span>
        <i />
      </>
    )}
    <span>{words.today}</span>
  </p>
)

export const UptimeBars = ({ component, context }: {
  readonly component: ShownComponent
  readonly context: PageContext
}) => {
  const { formats, words } = context
  const days = component.days ?? []
  const bad = days.filter(({ status }) => status !== "operational" && status !== "unknown").length
  const summary = [
    `${component.name}, ${words.uptimeHistory}`,
    words.lastDays(days.length),
    ...(component.uptimePercent === null ? [] : [words.uptime(formats.percent(component.uptimePercent))]),
    words.daysWithProblems(formats.count(bad))
  ].join(". ")
  return (
    <>
      <ol class="bars" tabIndex={0} aria-label={summary}>
        {days.map((day) => <li class={classes[day.status]} tabIndex={-1} aria-label={dayLabel(day, context)} />)}
      </ol>
      <Scale context={context} days={days.length} percent={component.uptimePercent} size="all" />
      <Scale context={context} days={Math.min(recentDays, days.length)} percent={component.recentPercent} size="few" />
    </>
  )
}
