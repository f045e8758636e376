/** The metrics of monitors in the text format of Prometheus: a fixed number of series for each monitor. */
import type { Outcome } from "../../../schema/check/Check.ts"
import type { Monitor, MonitorState } from "../../../schema/monitor/Monitor.ts"

/** A monitor's figures that need no read of its checks. Times are in ms since 1970. */
export interface MonitorFigure extends Pick<Monitor, "name" | "kind" | "state"> {
  readonly id: string
  readonly since: number
  readonly lastAt: number | null
  readonly latencyMs: number | null
  readonly outcome: Outcome | null
}

interface Family {
  readonly name: string
  readonly help: string
  /** The sample of a monitor after the family's name; null for none. */
  readonly sample: (figure: MonitorFigure, id: string) => string | null
}

const escaped = (text: string): string => text.replace(/[\\"\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`))

const seconds = (ms: number): string => String(ms / 1000)

const upValues: Record<MonitorState, string | null> = { up: "1", degraded: "1", down: "0", pending: null, paused: null }

const families: ReadonlyArray<Family> = [
  {
    name: "belltower_monitor_info",
    help: "Name and kind of a monitor; always 1",
    sample: ({ kind, name }, id) => `{monitor="${id}",name="${escaped(name)}",kind="${kind}"} 1`
  },
  {
    name: "belltower_monitor_up",
    help: "1 if the monitor is up or degraded, 0 if it is down; absent while it is pending or paused",
    sample: ({ state }, id) => (upValues[state] === null ? null : `{monitor="${id}"} ${upValues[state]}`)
  },
  {
    name: "belltower_monitor_state",
    help: "1 for the state that the monitor is in",
    sample: ({ state }, id) => `{monitor="${id}",state="${state}"} 1`
  },
  {
    name: "belltower_monitor_state_since_timestamp_seconds",
    help: "When the state began",
    sample: ({ since }, id) => `{monitor="${id}"} ${seconds(since)}`
  },
  {
    name: "belltower_monitor_last_check_timestamp_seconds",
    help: "When the newest check began",
    sample: ({ lastAt }, id) => (lastAt === null ? null : `{monitor="${id}"} ${seconds(lastAt)}`)
  },
  {
    name: "belltower_monitor_last_check_latency_seconds",
    help: "How long the newest check took, unless it was down",
    sample: ({ latencyMs, outcome }, id) =>
      latencyMs === null || outcome === "down" ? null : `{monitor="${id}"} ${seconds(latencyMs)}`
  }
]

/** Collects the samples of monitors page by page; the format wants all samples of a metric together. */
export const makeMetricsText = () => {
  const parts = families.map(({ help, name }) => [`# HELP ${name} ${help}\n# TYPE ${name} gauge\n`])
  return {
    add: (figures: ReadonlyArray<MonitorFigure>): void => {
      for (const [index, { name, sample }] of families.entries()) {
        let text = ""
        for (const figure of figures) {
          const line = sample(figure, figure.id)
          if (line !== null) text += `${name}${line}\n`
        }
        parts[index]?.push(text)
      }
    },
    pieces: (): ReadonlyArray<string> => parts.flat()
  }
}
