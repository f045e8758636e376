/** The news that matter, in lines: outages that are over count by monitor, and an incident's own line only if a person opened it. */
import { Option, Schema } from "effect"
import type { Event, EventType } from "../../../../schema/event/Event.ts"
import { isolated } from "../../../domain/tools/text/Direction.ts"
import type { Tone } from "../../design/Parts.tsx"
import { eventLines } from "../event/EventLine.ts"

/** New and changed records are no news: their own views list them. */
export const newsTypes = [
  "monitor.down",
  "monitor.up",
  "monitor.degraded",
  "incident.created",
  "incident.acknowledged",
  "incident.escalated",
  "incident.resolved",
  "maintenance.scheduled",
  "maintenance.started",
  "maintenance.completed"
] as const satisfies ReadonlyArray<EventType>

const OfMonitor = Schema.Struct({
  monitor: Schema.Struct({ _id: Schema.String, name: Schema.String }),
  downtimeSeconds: Schema.optional(Schema.NullOr(Schema.Number))
})

const OfIncident = Schema.Struct({ incident: Schema.Struct({ automatic: Schema.Boolean }) })

const ofMonitor = Schema.decodeUnknownOption(OfMonitor)
const ofIncident = Schema.decodeUnknownOption(OfIncident)

export interface NewsLine {
  readonly id: string
  readonly at: Event["at"]
  readonly text: string
  readonly tone: Tone
  readonly link: string | null
  readonly count: number
}

/** The line of a monitor's outage says what its automatic incident would. */
const isSaid = ({ data, type }: Event): boolean =>
  (type === "incident.created" || type === "incident.resolved") &&
  Option.exists(ofIncident(data), ({ incident: { automatic } }) => automatic)

/** Times in a bad state that are over, of one monitor. */
interface Over {
  readonly line: Omit<NewsLine, "text" | "count">
  readonly name: string
  readonly state: "down" | "degraded"
  times: number
  seconds: number
}

const timesText = (times: number): string => (times === 1 ? "" : times === 2 ? " twice" : ` ${times} times`)

const overText = ({ name, seconds, state, times }: Over, duration: (seconds: number) => string): string =>
  `${isolated(name)} was ${state}${timesText(times)}${
    seconds === 0 ? "" : times === 1 ? ` for ${duration(seconds)}` : `, ${duration(seconds)} in all`
  }`

/** Newest first, as the events are. `duration` puts seconds in words. */
export const newsOf = (events: ReadonlyArray<Event>, duration: (seconds: number) => string): ReadonlyArray<NewsLine> => {
  const over = new Map<string, Over>()
  const recovered = new Set<string>()
  const lines: Array<NewsLine | Over> = []
  for (const event of events) {
    const found = Option.getOrNull(ofMonitor(event.data))
    if (isSaid(event)) continue
    if (found === null || !event.type.startsWith("monitor.")) {
      lines.push(...eventLines([event]))
      continue
    }
    const { downtimeSeconds, monitor: { _id: id, name } } = found
    if (event.type === "monitor.up") {
      recovered.add(id)
      const seconds = downtimeSeconds ?? 0
      // The line about its beginning also stands for the end of a time in which it was slow.
      if (seconds === 0) continue
      const before = over.get(`${id} down`)
      if (before !== undefined) {
        before.times++
        before.seconds += seconds
        continue
      }
      const line = { id: event.id, at: event.at, tone: "good" as const, link: `/app/monitors/${id}` }
      const one: Over = { line, name, state: "down", times: 1, seconds }
      over.set(`${id} down`, one)
      lines.push(one)
    } else if (!recovered.has(id)) lines.push(...eventLines([event]))
    else if (event.type === "monitor.degraded") {
      const before = over.get(`${id} degraded`)
      if (before !== undefined) {
        before.times++
        continue
      }
      const line = { id: event.id, at: event.at, tone: "none" as const, link: `/app/monitors/${id}` }
      const one: Over = { line, name, state: "degraded", times: 1, seconds: 0 }
      over.set(`${id} degraded`, one)
      lines.push(one)
    }
  }
  return lines.map((one) => "times" in one ? { ...one.line, text: overText(one, duration), count: 1 } : one)
}
