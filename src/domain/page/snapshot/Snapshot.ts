/** A status page at one moment: everything that a visitor may see, before translation. */
import { DateTime, Option, Struct } from "effect"
import type { EffectiveStatus } from "../../../../schema/component/Component.ts"
import { instant } from "../../../../schema/Fields.ts"
import type { ComponentId, MonitorId } from "../../../../schema/Ids.ts"
import type { ComponentGroup } from "../../../../schema/page/Page.ts"
import type { PublicComponent } from "../../../../schema/page/PublicPage.ts"
import type { MeasuredResponses } from "../../check/history/ResponseSeries.ts"
import type { ComponentView } from "../../component/ComponentStatus.ts"
import { type Span, type Stretch, uptime, type Window } from "../../monitor/Uptime.ts"
import { mapInSteps, type Steps } from "../../tools/Steps.ts"
import type { SettledPage } from "../PageDefaults.ts"
import { maskInSteps, type PageIncident } from "../PageIncident.ts"
import { pageStatus } from "../PageStatus.ts"
import { timeline, withMaintenance } from "../Timeline.ts"
import { type Day, lastDays, uptimeDays } from "../UptimeDays.ts"

/** The days of incidents on the page. */
export const historyDays = 14

/** The number of daily bars that fit on a phone. */
export const recentDays = 30

export interface ShownComponent extends PublicComponent {
  /** The uptime of the last `recentDays`; null if the page hides percentages. */
  readonly recentPercent: number | null
  /** The response times of the last 24 hours, if the owner published them. */
  readonly responses: MeasuredResponses | null
}

export interface Snapshot {
  readonly page: SettledPage
  readonly status: EffectiveStatus
  readonly groups: ReadonlyArray<ComponentGroup>
  readonly components: ReadonlyArray<ShownComponent>
  readonly incidents: ReadonlyArray<PageIncident>
  readonly maintenances: ReadonlyArray<PageIncident>
  /** The incidents that ended within the last `historyDays`. */
  readonly past: ReadonlyArray<PageIncident>
  readonly at: DateTime.Utc
}

export interface SnapshotRows {
  readonly page: SettledPage
  readonly groups: ReadonlyArray<ComponentGroup>
  readonly components: ReadonlyArray<ComponentView>
  readonly spans: ReadonlyMap<MonitorId, ReadonlyArray<Span>>
  /** The status history of components without monitors. */
  readonly recorded: ReadonlyMap<ComponentId, ReadonlyArray<Stretch<EffectiveStatus>>>
  readonly incidents: ReadonlyArray<PageIncident>
  readonly windows: ReadonlyMap<ComponentId, ReadonlyArray<Window>>
  readonly responses: ReadonlyMap<ComponentId, MeasuredResponses>
}

export const daysOf = (page: SettledPage, now: DateTime.Utc): ReadonlyArray<Day> =>
  lastDays(
    now,
    Option.getOrElse(DateTime.zoneMakeNamed(page.settings.timezone), () => DateTime.zoneMakeOffset(0)),
    page.settings.uptimeDays
  )

export const windowOf = (days: ReadonlyArray<Day>, now: DateTime.Utc): Window => ({
  from: days[0]?.from ?? DateTime.toEpochMillis(now),
  to: DateTime.toEpochMillis(now)
})

/** True if its history is its own; that of others is the history of their monitors. */
export const isRecorded = ({ manifest, manual, push }: Pick<ComponentView, "manifest" | "manual" | "push">): boolean =>
  push || manual || manifest !== null

const shownComponent =
  ({ page, recorded, responses, spans, windows }: SnapshotRows, days: ReadonlyArray<Day>, window: Window) =>
  (component: ComponentView): ShownComponent => {
    const observed = isRecorded(component)
      ? recorded.get(component.id) ?? []
      : timeline(component.aggregate, component.monitorIds.map((id) => spans.get(id) ?? []), window)
    const stretches = withMaintenance(observed, windows.get(component.id) ?? [])
    const showsPercent = page.settings.showUptimePercent
    const percent = (over: Window) => component.showUptime && showsPercent ? uptime(stretches, over)?.percent ?? null : null
    const bars = component.showUptime ? uptimeDays(stretches, days) : null
    return {
      ...Struct.pick(component, "id", "key", "name", "description", "group", "status", "statusMessage"),
      uptimePercent: percent(window),
      recentPercent: percent(windowOf(days.slice(-recentDays), instant(window.to))),
      responses: responses.get(component.id) ?? null,
      days: showsPercent ? bars : bars?.map((day) => ({ ...day, uptimePercent: null })) ?? null,
      updatedAt: instant(Math.max(DateTime.toEpochMillis(component.updatedAt), stretches.at(-1)?.startedAt ?? 0))
    }
  }

/** The incident with only this page's visible components; none for an automatic incident that affects none of them. */
export const onPage =
  (visible: ReadonlySet<string>) => <I extends Pick<PageIncident, "automatic" | "components">>(incident: I): ReadonlyArray<I> => {
    const components = incident.components.filter(({ componentId }) => visible.has(componentId))
    return incident.automatic && components.length === 0 ? [] : [{ ...incident, components }]
  }

const isOver = ({ resolvedAt, status }: PageIncident) => resolvedAt !== null || status === "resolved" || status === "completed"

const wholeSnapshot = (rows: SnapshotRows, now: DateTime.Utc, components: ReadonlyArray<ShownComponent>): Snapshot => {
  const incidents = rows.incidents.flatMap(onPage(new Set(components.map(({ id }) => id))))
  const open = incidents.filter((incident) => !isOver(incident))
  const active = open.filter(({ kind }) => kind === "incident")
  const used = new Set(components.map(({ group }) => group))
  return {
    page: rows.page,
    status: pageStatus(components.map(({ status }) => status), active.map(({ impact }) => impact)),
    groups: rows.groups.filter(({ id }) => used.has(id)),
    components,
    incidents: active,
    maintenances: open.filter(({ kind }) => kind === "maintenance"),
    past: incidents.filter((incident) => isOver(incident)),
    at: now
  }
}

const perStep = 2

/** In steps, because a page may have hundreds of components with 90 days each, and a megabyte of texts of incidents. */
export function* snapshotSteps(rows: SnapshotRows, now: DateTime.Utc): Steps<Snapshot> {
  const days = daysOf(rows.page, now)
  const visible = rows.components.filter((component) => !component.hidden)
  yield* maskInSteps(rows.incidents)
  return wholeSnapshot(rows, now, yield* mapInSteps(visible, perStep, shownComponent(rows, days, windowOf(days, now))))
}
