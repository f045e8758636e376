/** The changes that a monitor's transitions make to its automatic incident, and the events that they emit. */
import type { DateTime } from "effect"
import type { EventDraft } from "../../../schema/event/EventData.ts"
import type { ComponentId, IncidentId, MonitorId, PageId } from "../../../schema/Ids.ts"
import type { Observation } from "../../../schema/monitor/Machine.ts"
import type { LikelyUpstream } from "../../../schema/upstream/Upstream.ts"
import { briefCause } from "../check/answer/BriefCause.ts"
import { eventCheck } from "../check/history/CheckView.ts"
import type { Transition } from "../monitor/JudgeRound.ts"
import { eventMonitor } from "../monitor/MonitorRecord.ts"
import { maskUrls } from "../secret/UrlSecrets.ts"
import { secondsBetween } from "../tools/time/Duration.ts"
import { en } from "../words/en.ts"
import type { EndReason, NewIncident } from "./AutomaticIncident.ts"
import { namesOf } from "./ComponentOutage.ts"

export type MonitorOutageChange =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Open" }
  | { readonly _tag: "End"; readonly reason: EndReason }

const hasRecovered = ({ check, from, to }: Transition): boolean =>
  check !== null && to === "up" && (from === "down" || from === "degraded")

/** A monitor that goes down opens an incident; its recovery or a pause ends it. */
export const monitorOutageChange = (transition: Transition, inIncident: boolean): MonitorOutageChange => {
  if (transition.to === "down" && transition.check !== null) return { _tag: "Open" }
  if (inIncident && hasRecovered(transition)) return { _tag: "End", reason: "recovered" }
  if (inIncident && transition.to === "paused") return { _tag: "End", reason: "monitoring was paused" }
  return { _tag: "Nothing" }
}

/** The deciding check's fields for a title. */
type Failure = Pick<Observation, "cause" | "statusCode">

/** `Checkout API is down: 503 Service Unavailable`. */
const outageTitle = (monitorName: string, check: Failure | null): string => {
  const cause = check === null ? null : briefCause(check)
  return en.isDown(maskUrls(monitorName), true) + (cause === null ? "" : `: ${cause}`)
}

/** A component that shows the monitor, on a page with automatic incidents. */
export interface ShowingComponent {
  readonly componentId: ComponentId
  readonly name: string
  readonly pageId: PageId
}

/** The incident of a monitor that went down. It is public if a component shows the monitor, and then names only components. */
export const monitorIncident = (
  monitor: { readonly id: MonitorId; readonly name: string },
  startedAt: DateTime.Utc,
  check: Failure | null,
  shownBy: ReadonlyArray<ShowingComponent>
): NewIncident => {
  const isPublic = shownBy.length > 0
  const names = namesOf(shownBy).join(", ")
  return {
    monitorId: monitor.id,
    public: isPublic,
    title: outageTitle(monitor.name, check),
    status: "investigating",
    impact: "major",
    components: shownBy.map(({ componentId }) => ({ componentId, status: "major_outage" })),
    pageIds: [...new Set(shownBy.map(({ pageId }) => pageId))],
    startedAt,
    body: isPublic ? en.investigating(names) : `${maskUrls(monitor.name)} is failing its checks.`
  }
}

/**
 * The monitor's own event for a transition; none for one without a check, such as a pause. `since` is when the previous state began,
 * ms; `incident` is the one that the transition opened or, on recovery, resolved.
 */
export const monitorEvents = (
  monitor: Parameters<typeof eventMonitor>[0] & { readonly url: string },
  transition: Transition,
  since: number,
  incident: { readonly id: IncidentId; readonly url: string } | null,
  likelyUpstream: LikelyUpstream | null
): ReadonlyArray<EventDraft> => {
  const { check, from, to } = transition
  if (check === null) return []
  const data = { monitor: eventMonitor(monitor, to, monitor.url), from, check: eventCheck(check) }
  if (to === "down" && incident !== null) {
    const cause = likelyUpstream === null ? {} : { likelyUpstream }
    const opened = { ...incident, title: outageTitle(monitor.name, check), ...cause }
    return [{ type: "monitor.down", data: { ...data, incident: opened, ai: null } }]
  }
  if (hasRecovered(transition)) {
    const downtimeSeconds = from === "down" ? secondsBetween(since, transition.at) : 0
    const ended = incident === null ? null : { ...incident, resolved: true }
    return [{ type: "monitor.up", data: { ...data, downtimeSeconds, incident: ended, ai: null } }]
  }
  return to === "degraded" ? [{ type: "monitor.degraded", data }] : []
}
