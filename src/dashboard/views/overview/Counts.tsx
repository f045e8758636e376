/** The counts of the overview: monitors by state, with the uptime and the latency of the last day. */
import type { MonitorState } from "../../../../schema/monitor/Monitor.ts"
import { Figures, inWords } from "../../design/Parts.tsx"
import { useNumber } from "../../design/Time.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"

/** In order of urgency; a state without monitors is left out, except those that people look for. */
const countedStates = ["down", "degraded", "up", "pending", "paused"] as const

interface DayFigures {
  /** Mean of all monitors, 0-100. */
  readonly uptime: number | null
  /** Mean of all hours of all monitors, ms. */
  readonly latency: number | null
}

const mean = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

export const dayFigures = (monitors: AnswerOf<"list_monitors">["data"]): DayFigures => ({
  uptime: mean(monitors.flatMap(({ uptime }) => uptime["24h"]?.percent ?? [])),
  latency: mean(monitors.flatMap(({ trend = [] }) => trend.filter((value) => value !== null)))
})

export const Counts = ({ counts, day }: {
  readonly counts: Readonly<Record<MonitorState, number>>
  readonly day: DayFigures | null
}) => {
  const { count, millis, percent } = useNumber()
  const always: ReadonlyArray<MonitorState> = ["down", "degraded", "up"]
  return (
    <div class="counts">
      <Figures
        of={[
          ...countedStates.filter((state) => counts[state] > 0 || always.includes(state)).map((state) =>
            [
              inWords(state),
              <a class={counts[state] === 0 ? "none" : `of-${state}`} href={`/app/monitors?state=${state}`}>
                {count(counts[state])}
              </a>
            ] as const
          ),
          ...(day === null ? [] : [
            ["Uptime, 24 h", day.uptime === null ? "–" : percent(day.uptime)] as const,
            ["Latency, 24 h", millis(day.latency === null ? null : Math.round(day.latency))] as const
          ])
        ]}
      />
    </div>
  )
}
