/** A monitor as REST and MCP return it, and as events contain it. */
import { Record as Rec, Schema, Struct } from "effect"
import type { CheckSummary } from "../../../schema/check/Check.ts"
import type { EventMonitor } from "../../../schema/event/MonitorEvents.ts"
import type { MonitorId } from "../../../schema/Ids.ts"
import { kindSchemas, recordSettings, type Target } from "../../../schema/monitor/kinds.ts"
import type { Lateness, Monitor, MonitorState, RequestSecrets, Rules, UptimeWindows } from "../../../schema/monitor/Monitor.ts"
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import { tlsSettings } from "../../../schema/monitor/TlsSettings.ts"
import type { Muted } from "../../../schema/mute/Mute.ts"
import { maskUrls } from "../secret/UrlSecrets.ts"
import { maskedTarget } from "./kinds.ts"
import { observedUntil, type Pacing } from "./MonitorMachine.ts"
import type { View } from "./settings/MaskedSettings.ts"
import type { MonitorSettings } from "./settings/MonitorSettings.ts"
import type { Span } from "./Uptime.ts"

/** The fields of a record that contain times: instants inside, texts as the database writes them. */
interface Timed<At> {
  readonly stateSince: At
  readonly lastCheck: Omit<CheckSummary, "at"> & { readonly at: At } | null
  readonly createdAt: At
  readonly updatedAt: At
}

/** The input of a record; a row of the store has all of it. */
export interface MonitorSource<At>
  extends Rules, Timed<At>, Pick<Monitor, "id" | "kind" | "state" | "openIncidentId">, Omit<MonitorSettings, "secrets">
{}

/** A record whose times are `At`. */
type RecordOf<At> = Omit<Monitor, keyof Timed<At> | "late" | "muted" | "nextExpectedAt"> & Timed<At> & {
  readonly muted: Omit<Muted, "until"> & { readonly until: At } | null
  readonly late: Omit<Lateness, "expectedAt"> & { readonly expectedAt: At } | null
  readonly nextExpectedAt: At | null
}

/** Ends the open span where observation stopped: without recent checks the state is not known to continue. */
export const observedSpans = (spans: ReadonlyArray<Span>, rules: Pacing, lastRoundAt: number | null, now: number) => {
  const until = observedUntil(lastRoundAt, rules, now)
  return until >= now ?
    spans :
    spans.map((span) => span.endedAt === null ? { ...span, endedAt: Math.max(span.startedAt, until) } : span)
}

/** The settings that depend on the monitor's kind. */
type KindSettings = Pick<Monitor, keyof typeof recordSettings>

const unset = (setting: Schema.Schema.AnyNoContext): null | ReadonlyArray<never> => (Schema.is(setting)(null) ? null : [])

const settingNames = Struct.keys(recordSettings)

/** The values for settings of other kinds: null, or empty for lists. */
const noSettings: KindSettings = Object.assign(
  {},
  ...settingNames.map((name) => ({ [name]: unset(recordSettings[name]) }))
)

/** For each kind, the values of what its target lacks: settings of other kinds, and its own that have their usual value. */
export const unsetSettings: Readonly<Record<MonitorKind, KindSettings>> = Rec.map(
  kindSchemas,
  ({ settings }) => "tlsVerify" in settings ? { ...noSettings, tlsVerify: true } : noSettings
)

/** Copies and writes each setting: spreading the target costs forty times as much, which a list of thousands feels. */
const kindSettings = (target: Target): KindSettings => {
  const settings = { ...unsetSettings[target.kind] }
  const written: Record<string, unknown> = settings
  const given: Readonly<Record<string, unknown>> = target
  for (const name of settingNames) {
    if (given[name] !== undefined) written[name] = given[name]
  }
  return settings
}

/** The parts of a record outside the monitor's row. */
export interface RecordFacts<At> {
  /** As the viewer may see them. */
  readonly secrets: RequestSecrets
  readonly uptime: UptimeWindows
  readonly late: RecordOf<At>["late"]
  readonly muted: RecordOf<At>["muted"]
  readonly nextExpectedAt: At | null
  /** `ping` is null unless it is a heartbeat. */
  readonly urls: { readonly dashboard: string; readonly ping: string | null }
}

/** Viewers who may not edit the monitor see its target without secrets, its headers' names, and no ping URL. */
export const monitorRecord = <At>(
  view: View,
  source: MonitorSource<At>,
  { late, muted, nextExpectedAt, secrets, uptime, urls }: RecordFacts<At>
): RecordOf<At> => ({
  id: source.id,
  name: source.name,
  description: source.description,
  kind: source.kind,
  ...kindSettings(view === "writer" ? source.target : maskedTarget(source.target)),
  headers: secrets.headers,
  body: secrets.body,
  clientKey: secrets.clientKey,
  clientSecret: secrets.clientSecret,
  pingUrl: view === "writer" ? urls.ping : null,
  failUrl: view === "writer" && urls.ping !== null ? `${urls.ping}/fail` : null,
  intervalSec: source.intervalSec,
  timeoutMs: source.timeoutMs,
  failureThreshold: source.failureThreshold,
  recoveryThreshold: source.recoveryThreshold,
  confirmAfterSec: source.confirmAfterSec,
  failureRate: source.failureRate,
  channelIds: source.channelIds,
  reminderMinutes: source.reminderMinutes,
  dependsOn: source.dependsOn,
  urgency: source.urgency,
  ai: source.ai,
  tags: source.tags,
  paused: source.paused,
  regions: source.regions,
  state: source.state,
  stateSince: source.stateSince,
  lastCheck: source.lastCheck,
  muted,
  late,
  nextExpectedAt,
  openIncidentId: source.openIncidentId,
  uptime,
  dashboardUrl: urls.dashboard,
  createdAt: source.createdAt,
  updatedAt: source.updatedAt
})

/** The monitor as an event contains it; the settings are nested under the name of its kind. */
export const eventMonitor = (
  monitor: { readonly id: MonitorId; readonly name: string; readonly target: Target; readonly tags: ReadonlyArray<string> },
  state: MonitorState,
  url: string
): EventMonitor => {
  const { kind, ...all } = maskedTarget(monitor.target)
  // Certificates would fill an event, and the facts that AI gets.
  const settings = Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(tlsSettings, name)))
  return { _id: monitor.id, id: monitor.id, name: maskUrls(monitor.name), kind, state, [kind]: settings, tags: monitor.tags, url }
}
