/** The row of a component with its status sources, and the status derived from them. */
import { DateTime, Duration, Schema, Struct } from "effect"
import { Component, ComponentStatus, type EffectiveStatus } from "../../../schema/component/Component.ts"
import { PushState } from "../../../schema/component/Push.ts"
import { WorkspaceId } from "../../../schema/Ids.ts"
import { automaticStatus, type ComponentView, effectiveStatus } from "../../domain/component/ComponentStatus.ts"
import { observedUntil } from "../../domain/monitor/MonitorMachine.ts"
import { SpanState } from "../monitor/Spans.ts"

const FollowedMonitor = Schema.Struct({
  state: SpanState,
  since: Schema.NullOr(Schema.Number).annotations({ description: "Start of the state, ms since 1970; null if unknown" }),
  lastRoundAt: Schema.NullOr(Schema.Number),
  intervalSec: Schema.NullOr(Schema.Int),
  timeoutMs: Schema.NullOr(Schema.Int)
})

/** When checks of a monitor stopped arriving, ms; null while they arrive. */
const silentSince = ({ intervalSec, lastRoundAt, timeoutMs }: typeof FollowedMonitor.Type, now: number): number | null => {
  if (intervalSec === null || timeoutMs === null) return null
  const until = observedUntil(lastRoundAt, { intervalSec, timeoutMs }, now)
  return until >= now ? null : until
}

const isChecked = ({ state }: typeof FollowedMonitor.Type): boolean => state === "up" || state === "degraded" || state === "down"

/** The last observed state; `unobserved` once checks have stopped arriving. */
const observedState = (monitor: typeof FollowedMonitor.Type, now: number) =>
  silentSince(monitor, now) === null ? monitor.state : "unobserved"

const StatusSources = Schema.Struct({
  ...Struct.pick(Component.fields, "aggregate", "push", "override", "manifest"),
  monitors: Schema.Array(FollowedMonitor),
  manifestMonitor: Schema.NullOr(FollowedMonitor),
  pushState: Schema.NullOr(PushState),
  maintenances: Schema.Array(ComponentStatus),
  incidents: Schema.Array(ComponentStatus)
})
export type StatusSources = typeof StatusSources.Type

export const StoredComponent = Schema.Struct({
  ...Struct.omit(Component.fields, "status", "statusMessage", "pushUrl"),
  ...StatusSources.fields,
  workspaceId: WorkspaceId,
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate,
  changedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  pushTokenSealed: Schema.NullOr(Schema.String)
})
export type StoredComponent = typeof StoredComponent.Type

/** The status that a component shows, and the one that its own sources give it. */
interface ShownStatus {
  readonly status: EffectiveStatus
  readonly statusMessage: string | null
  readonly automatic: EffectiveStatus
  /** When the automatic status began, ms. */
  readonly automaticSince: number
}

/** Since when nobody reads the component's manifest, ms; null while it is read, or if the component has none. */
export const unreadSince = ({ manifest, manifestMonitor }: StatusSources, now: number): number | null => {
  if (manifest === null) return null
  if (manifestMonitor === null) return now
  const { since, state } = manifestMonitor
  return state === "up" || state === "degraded" ? silentSince(manifestMonitor, now) : Math.round(since ?? now)
}

/**
 * The pause before the next look at monitors of which no checks arrive; null if there are none. Those of a backlog arrive within seconds,
 * without another change of state; the longer none came, the longer it may take.
 */
export const silencePause = ({ monitors }: StatusSources, now: number): Duration.Duration | null => {
  const silent = monitors.flatMap((one) => isChecked(one) ? silentSince(one, now) ?? [] : [])
  if (silent.length === 0) return null
  return Duration.clamp(Duration.millis((now - Math.max(...silent)) / 10), { minimum: "5 seconds", maximum: "5 minutes" })
}

/** Whether reports decide the component's status: pushes, or a manifest. */
export const takesReports = ({ manifest, push }: Pick<StatusSources, "manifest" | "push">): boolean => push || manifest !== null

const reportedStatus = (stored: StatusSources, pushState: PushState | null, now: number): EffectiveStatus | null =>
  takesReports(stored) ? unreadSince(stored, now) === null ? pushState?.shown ?? "unknown" : "unknown" : null

/** The status derived from the sources at `now` (ms), with `pushState` instead of the stored one. */
export const shownBy = (stored: StatusSources, pushState: PushState | null, now: number): ShownStatus => {
  const { aggregate, incidents, maintenances, override } = stored
  const pushed = reportedStatus(stored, pushState, now)
  const monitors = stored.monitors.map((one) => ({ state: observedState(one, now), since: one.since }))
  const sources = {
    aggregate,
    monitors: monitors.map(({ state }) => state),
    pushed,
    override: override?.status ?? null,
    maintenances,
    incidents
  }
  const { decidedBy, status } = effectiveStatus(sources)
  const failures = monitors.flatMap(({ since, state }) => (state === "down" || state === "degraded") ? since ?? [] : [])
  return {
    status,
    statusMessage: decidedBy === "push" && status === pushState?.shown ? pushState.message : null,
    automatic: automaticStatus(sources).status,
    // The last failure made the majority.
    automaticSince: pushed !== null ? pushState?.since ?? now : failures.length === 0 ? now : Math.round(Math.max(...failures))
  }
}

/** The component at `now` (ms). `updatedAt` is the time of its last edit or last status change, whichever is later. */
export const viewOf = (stored: StoredComponent, now: number): ComponentView => {
  const { status, statusMessage } = shownBy(stored, stored.pushState, now)
  const { changedAt, updatedAt } = stored
  const settings = Struct.omit(
    stored,
    "changedAt",
    "incidents",
    "maintenances",
    "manifestMonitor",
    "monitors",
    "pushState",
    "pushTokenSealed",
    "workspaceId"
  )
  return {
    ...settings,
    status,
    statusMessage,
    updatedAt: changedAt === null ? updatedAt : DateTime.max(updatedAt, changedAt)
  }
}
