/**
 * Decides which alerts of a monitor wait: while one that it depends on is down, while it is in maintenance, and while it is muted.
 * Incidents are not affected.
 */
import { DateTime, Duration } from "effect"
import type { EventType, WorkspaceEvent } from "../../../schema/event/Event.ts"
import type { EventId, IncidentId, MonitorId, MuteId, WorkspaceId } from "../../../schema/Ids.ts"
import { checkedAt, incidentOf, monitorOf, muteOf, stateBefore } from "./EventRouting.ts"

export type TroubleStep = "begins" | "continues" | "ends"

/** The alerting of a monitor's present trouble, as long as it lasts. */
export interface TroubleAlerting {
  readonly announced: boolean
  /** The last alert that waits. */
  readonly waiting: string | null
}

export interface Sifted {
  readonly sent: boolean
  readonly after: TroubleAlerting | null
}

/**
 * Decides on one event. While `keptBack`, alerts wait and reminders are dropped. The end is sent if an alert of the trouble was, as
 * without a record: then the alerts were sent before the monitor had dependencies.
 */
export const sift = (before: TroubleAlerting | null, step: TroubleStep, eventId: string, keptBack: boolean): Sifted => {
  switch (step) {
    case "begins":
      return keptBack
        ? { sent: false, after: { announced: before?.announced ?? false, waiting: eventId } }
        : { sent: true, after: { announced: true, waiting: null } }
    case "continues":
      return { sent: !keptBack && (before?.announced ?? true), after: before }
    case "ends":
      return { sent: before?.announced ?? true, after: null }
  }
}

/** How often waiting alerts are reviewed, besides when a parent recovers, is paused, deleted or detached. */
export const reviewTime = Duration.minutes(5)

/** How long a monitor gets at most to recover after its parent did, before its alert is sent. */
export const longestGrace = Duration.minutes(10)

/**
 * A monitor with dependencies, in maintenance, just out of it, or muted, and one of its parents that is down or has failed without
 * confirmation, if there is one.
 */
export interface KeptBackMonitor {
  readonly monitorId: MonitorId
  /** Since when a window of a component that follows it is running; null if none is. */
  readonly maintenanceSince: DateTime.Utc | null
  /** The last of these windows that was completed within an hour; null if none was. */
  readonly windowBegan: DateTime.Utc | null
  readonly windowEnded: DateTime.Utc | null
  /** When its newest counted check was made. */
  readonly checkedAt: DateTime.Utc | null
  readonly muted: boolean
  readonly parentId: MonitorId | null
  readonly parentDown: boolean | null
  /** True if an escalation policy pages people about that parent. */
  readonly parentPaged: boolean | null
  /** When the waiting alerts are reviewed. */
  readonly reviewAt: DateTime.Utc
  readonly announced: boolean | null
  readonly waiting: EventId | null
  /** The incident that the waiting alert is about. */
  readonly waitingFor: IncidentId | null
}

/** The trouble of a monitor, as it is kept until the next event or review. */
export interface StoredTrouble extends TroubleAlerting {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  readonly parentId: MonitorId | null
  readonly reviewAt: DateTime.Utc | null
}

const stepOf: Partial<Record<EventType, TroubleStep>> = {
  "monitor.down": "begins",
  "monitor.degraded": "begins",
  "monitor.reminder": "continues",
  "monitor.up": "ends"
}

/** After these, alerts that wait for the monitor are reviewed. */
const freesOthers: ReadonlyArray<EventType> = ["monitor.up", "monitor.deleted"]

/** After these, alerts that wait for the monitors of the window are reviewed. */
const freesItsMonitors: ReadonlyArray<EventType> = ["maintenance.updated", "maintenance.completed"]

/** The monitors whose dependencies and maintenance the decisions need. */
export const monitorsInTrouble = (events: ReadonlyArray<WorkspaceEvent>): ReadonlyArray<MonitorId> =>
  events.flatMap((event) => (stepOf[event.type] === undefined ? [] : monitorOf(event) ?? []))

/** A window holds back only outages that begin in it. A mute holds back all alerts while it lasts. */
const isPlanned = ({ maintenanceSince }: KeptBackMonitor, begunAt: DateTime.Utc): boolean =>
  maintenanceSince !== null && DateTime.greaterThanOrEqualTo(begunAt, maintenanceSince)

/**
 * Whether a check was made in a window that is over, so that its result came late: those after it may say that the outage is over, too.
 * So its alert waits once for the time that the monitor needs to recover.
 */
const isLate = ({ windowBegan, windowEnded }: KeptBackMonitor, checkedAt: DateTime.Utc | null): boolean =>
  checkedAt !== null && windowBegan !== null && windowEnded !== null &&
  DateTime.between(checkedAt, { minimum: windowBegan, maximum: windowEnded })

const isKeptBack = (
  monitor: KeptBackMonitor,
  step: TroubleStep,
  event: WorkspaceEvent,
  before: TroubleAlerting | null
): boolean => {
  if (monitor.parentDown === true || monitor.muted) return true
  // Only the first alert waits for a parent's checks, or for late results, and only once.
  const isDoubtful = before?.waiting !== event.id && (monitor.parentId !== null || isLate(monitor, checkedAt(event)))
  return step === "begins" && (isDoubtful || isPlanned(monitor, event.at))
}

const keptAs = (
  event: WorkspaceEvent,
  { monitorId, parentId, reviewAt }: KeptBackMonitor,
  after: TroubleAlerting
): StoredTrouble => {
  const waits = after.waiting !== null
  const { workspaceId } = event
  return { ...after, workspaceId, monitorId, parentId: waits ? parentId : null, reviewAt: waits ? reviewAt : null }
}

const troubleOf = (
  { announced, waiting }: KeptBackMonitor
): TroubleAlerting | null => (announced === null ? null : { announced, waiting })

/**
 * The trouble that an event is about, as it was before. A record is of an earlier trouble, which ended with a pause, if the monitor was
 * in none. Without a record, the trouble was announced while nothing kept the monitor's alerts back.
 */
const troubleBefore = (event: WorkspaceEvent, kept: TroubleAlerting | null): TroubleAlerting | null => {
  const from = stateBefore(event)
  if (from === "down" || from === "degraded") return kept ?? { announced: true, waiting: null }
  return from === null || kept?.waiting === event.id ? kept : null
}

/** Decides on events, oldest first; `monitors` has those of `monitorsInTrouble` whose alerts something may keep back. */
export const siftEvents = (events: ReadonlyArray<WorkspaceEvent>, monitors: ReadonlyArray<KeptBackMonitor>) => {
  const known = new Map<string, KeptBackMonitor>(monitors.map((one) => [one.monitorId, one]))
  const troubles = new Map<string, TroubleAlerting | null>(monitors.map((one) => [one.monitorId, troubleOf(one)]))
  const changed = new Map<MonitorId, StoredTrouble | null>()
  const waited = new Set<WorkspaceEvent>()
  const sent = events.filter((event) => {
    const [step, monitor] = [stepOf[event.type], known.get(monitorOf(event) ?? "")]
    if (step === undefined || monitor === undefined) return true
    const { monitorId } = monitor
    const before = troubleBefore(event, troubles.get(monitorId) ?? null)
    const { after, sent } = sift(before, step, event.id, isKeptBack(monitor, step, event, before))
    troubles.set(monitorId, after)
    changed.set(monitorId, after === null ? null : keptAs(event, monitor, after))
    if (sent && before?.waiting === event.id) waited.add(event)
    return sent
  })
  const replaced = events.flatMap((event) => {
    const monitor = known.get(monitorOf(event) ?? "")
    if (monitor === undefined || monitor.waiting === null) return []
    const { monitorId, waiting } = monitor
    const isReplaced = changed.has(monitorId) && changed.get(monitorId)?.waiting !== waiting
    // An alert that is among these events is decided with them.
    return isReplaced && !events.some(({ id }) => id === waiting) ? [{ workspaceId: event.workspaceId, eventId: waiting }] : []
  })
  const deleted = events.flatMap((event) => (event.type === "monitor.deleted" ? monitorOf(event) ?? [] : []))
  return {
    sent,
    /** Sent events that have waited. */
    waited,
    kept: [...changed.values()].flatMap((row) => row ?? []),
    /** Monitors whose trouble is over. */
    over: [...[...changed].flatMap(([id, row]) => (row === null ? [id] : [])), ...deleted],
    /** Alerts that waited and that later events have replaced. */
    replaced
  }
}

export const freedBy = (events: ReadonlyArray<WorkspaceEvent>) =>
  events.flatMap((event) => {
    const monitorId = freesOthers.includes(event.type) ? monitorOf(event) : null
    return monitorId === null ? [] : [{ workspaceId: event.workspaceId, monitorId }]
  })

/** The maintenance windows that are over, or may have handed components back. */
export const changedWindows = (events: ReadonlyArray<WorkspaceEvent>) =>
  events.flatMap((event): ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly incidentId: IncidentId }> => {
    const incidentId = freesItsMonitors.includes(event.type) ? incidentOf(event) : null
    return incidentId === null ? [] : [{ workspaceId: event.workspaceId, incidentId }]
  })

/** The next review of an alert that waits; null for none. It is sent once nothing keeps it back, if its monitor is still in trouble. */
export const reviewAlert = (
  { keptBack, troubled }: { readonly keptBack: boolean; readonly troubled: boolean },
  now: DateTime.Utc
) => ({
  again: keptBack && troubled ? DateTime.addDuration(now, reviewTime) : null,
  released: troubled && !keptBack
})

/** The mutes that are over. */
export const endedMutes = (events: ReadonlyArray<WorkspaceEvent>) =>
  events.flatMap((event): ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly muteId: MuteId }> => {
    const muteId = event.type === "mute.ended" ? muteOf(event) : null
    return muteId === null ? [] : [{ workspaceId: event.workspaceId, muteId }]
  })

/** The fan-out takes less, unless it is far behind. */
const fanOutTime = Duration.seconds(5)

/** When people are paged about an alert that is released now. Until it is sent, pages wait too. */
export const pagesAt = (now: DateTime.Utc): DateTime.Utc => DateTime.addDuration(now, fanOutTime)

/**
 * Whether the alerts about a monitor's incident are kept back: by a mute, a parent, maintenance that ran when it opened, or because its
 * own alert still waits. The alert of an earlier incident, which ended with a pause before the fan-out, keeps nothing back. Null if they
 * are not. `down`: a parent is certainly down, or one of the others applies. `pages`: pages wait too; for a parent that is certainly down
 * only if people are paged about it, as otherwise nobody would be paged about either.
 */
export const keptBackBy = (monitor: KeptBackMonitor, incident: { readonly id: IncidentId; readonly openedAt: DateTime.Utc }) => {
  const { announced, muted, parentDown, parentId, parentPaged, reviewAt, waitingFor } = monitor
  const planned = muted || isPlanned(monitor, incident.openedAt)
  const waits = planned || ((waitingFor === incident.id || isLate(monitor, monitor.checkedAt)) && announced !== true)
  if (!waits && parentId === null) return null
  return { down: waits || parentDown === true, pages: planned || parentDown !== true || parentPaged === true, reviewAt }
}
