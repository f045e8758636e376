/** Builds the monitor record that REST and MCP return from stored data. */
import { Schema } from "effect"
import type { CheckSummary } from "../../../schema/check/Check.ts"
import type { ChannelId, IncidentId, MonitorId } from "../../../schema/Ids.ts"
import { recordSettings, type Target } from "../../../schema/monitor/kinds.ts"
import type { Lateness, Monitor, MonitorState, RequestSecrets, Rules, UptimeWindows } from "../../../schema/monitor/Monitor.ts"
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import { maskedTarget } from "./kinds.ts"
import type { View } from "./MaskedSettings.ts"
import { observedUntil, type Pacing } from "./MonitorMachine.ts"
import { type Span, uptime } from "./Uptime.ts"

const hour = 3_600_000

/** The fields of a record that contain times: instants inside, texts where a list is encoded by hand. */
interface Timed<At> {
  readonly stateSince: At
  readonly lastCheck: Omit<CheckSummary, "at"> & { readonly at: At } | null
  readonly createdAt: At
  readonly updatedAt: At
}

/** The input of a record; a row of the store has all of it. */
export interface MonitorSource<At> extends Rules, Timed<At> {
  readonly id: MonitorId
  readonly name: string
  readonly description: string | null
  readonly kind: MonitorKind
  readonly target: Target
  readonly channelIds: ReadonlyArray<ChannelId>
  readonly reminderMinutes: ReadonlyArray<number>
  readonly ai: boolean
  readonly tags: ReadonlyArray<string>
  readonly paused: boolean
  readonly state: MonitorState
  readonly incidentId: IncidentId | null
}

/** A record whose times are `At`. */
export type RecordOf<At> = Omit<Monitor, keyof Timed<At> | "late"> & Timed<At> & {
  readonly late: Omit<Lateness, "expectedAt"> & { readonly expectedAt: At } | null
}

/** Ends the open span where observation stopped: without recent checks the state is not known to continue. */
export const observedSpans = (
  spans: ReadonlyArray<Span>,
  rules: Pacing,
  lastRoundAt: number | null,
  now: number
): ReadonlyArray<Span> => {
  const until = observedUntil(lastRoundAt, rules, now)
  return until >= now ?
    spans :
    spans.map((span) => span.endedAt === null ? { ...span, endedAt: Math.max(span.startedAt, until) } : span)
}

/** The uptime of the last 24 hours, 7 days and 30 days. */
export const uptimeWindows = (spans: ReadonlyArray<Span>, now: number): UptimeWindows => ({
  "24h": uptime(spans, { from: now - 24 * hour, to: now }),
  "7d": uptime(spans, { from: now - 7 * 24 * hour, to: now }),
  "30d": uptime(spans, { from: now - 30 * 24 * hour, to: now })
})

/** The settings that depend on the monitor's kind. */
type KindSettings = Pick<Monitor, keyof typeof recordSettings>

const unset = (setting: Schema.Schema.AnyNoContext): null | ReadonlyArray<never> => (Schema.is(setting)(null) ? null : [])

/** The values for settings of other kinds: null, or empty for lists. */
const none: KindSettings = Object.assign(
  {},
  ...Object.entries(recordSettings).map(([name, setting]) => ({ [name]: unset(setting) }))
)

const kindSettings = ({ kind: _, ...settings }: Target): KindSettings => ({ ...none, ...settings })

/** A monitor's dashboard URL and, for a heartbeat, its ping URL. */
export interface MonitorUrls {
  readonly dashboard: string
  readonly ping: string | null
}

/** What a record needs besides the monitor's row. */
export interface RecordFacts<At> {
  /** Headers and body as the viewer may see them. */
  readonly secrets: RequestSecrets
  readonly uptime: UptimeWindows
  readonly late: RecordOf<At>["late"]
  readonly urls: MonitorUrls
}

/** Who may not edit the monitor sees its target without secrets, the names of its headers, and no ping URL. */
export const monitorRecord = <At>(
  view: View,
  source: MonitorSource<At>,
  { late, secrets, uptime, urls }: RecordFacts<At>
): RecordOf<At> => ({
  id: source.id,
  name: source.name,
  description: source.description,
  kind: source.kind,
  ...kindSettings(view === "writer" ? source.target : maskedTarget(source.target)),
  headers: secrets.headers,
  body: secrets.body,
  pingUrl: view === "writer" ? urls.ping : null,
  failUrl: view === "writer" && urls.ping !== null ? `${urls.ping}/fail` : null,
  intervalSec: source.intervalSec,
  timeoutMs: source.timeoutMs,
  failureThreshold: source.failureThreshold,
  recoveryThreshold: source.recoveryThreshold,
  channelIds: source.channelIds,
  reminderMinutes: source.reminderMinutes,
  ai: source.ai,
  tags: source.tags,
  paused: source.paused,
  regions: source.regions,
  state: source.state,
  stateSince: source.stateSince,
  lastCheck: source.lastCheck,
  late,
  openIncidentId: source.incidentId,
  uptime,
  dashboardUrl: urls.dashboard,
  createdAt: source.createdAt,
  updatedAt: source.updatedAt
})
