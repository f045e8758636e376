/** A status page at one moment: everything a visitor may see of it, in no particular language yet. */
import { DateTime, Option } from "effect"
import type { EffectiveStatus } from "../../schema/component/Component.ts"
import { instant } from "../../schema/Fields.ts"
import type { ComponentId, MonitorId } from "../../schema/Ids.ts"
import type { ComponentGroup } from "../../schema/page/Page.ts"
import type { PublicComponent } from "../../schema/page/PublicPage.ts"
import { type Span, type Stretch, uptime, type Window } from "../domain/monitor/Uptime.ts"
import { pageStatus } from "../domain/page/PageStatus.ts"
import { timeline } from "../domain/page/Timeline.ts"
import { type Day, lastDays, uptimeDays } from "../domain/page/UptimeDays.ts"
import type { ComponentView } from "../store/component/ComponentRows.ts"
import type { PageIncident } from "../store/incident/PageIncidents.ts"
import type { PageRow } from "../store/page/Pages.ts"

/** How far back the page tells of incidents. */
export const historyDays = 14

/** As many bars as phones have room for. */
export const recentDays = 30

export interface ShownComponent extends PublicComponent {
  /** Over the last `recentDays`, where the page shows percentages. */
  readonly recentPercent: number | null
}

export interface Snapshot {
  readonly page: PageRow
  readonly status: EffectiveStatus
  readonly groups: ReadonlyArray<ComponentGroup>
  readonly components: ReadonlyArray<ShownComponent>
  readonly incidents: ReadonlyArray<PageIncident>
  readonly maintenances: ReadonlyArray<PageIncident>
  /** Ended within the last `historyDays`. */
  readonly past: ReadonlyArray<PageIncident>
  readonly at: DateTime.Utc
}

export interface SnapshotRows {
  readonly page: PageRow
  readonly groups: ReadonlyArray<ComponentGroup>
  readonly components: ReadonlyArray<ComponentView>
  readonly spans: ReadonlyMap<MonitorId, ReadonlyArray<Span>>
  /** What pushes made components show. */
  readonly pushed: ReadonlyMap<ComponentId, ReadonlyArray<Stretch<EffectiveStatus>>>
  readonly incidents: ReadonlyArray<PageIncident>
}

/** The days that the page's bars show. */
export const daysOf = (page: PageRow, now: DateTime.Utc): ReadonlyArray<Day> =>
  lastDays(
    now,
    Option.getOrElse(DateTime.zoneMakeNamed(page.settings.timezone), () => DateTime.zoneMakeOffset(0)),
    page.settings.uptimeDays
  )

/** From the first day's start to now. */
export const windowOf = (days: ReadonlyArray<Day>, now: DateTime.Utc): Window => ({
  from: days[0]?.from ?? DateTime.toEpochMillis(now),
  to: DateTime.toEpochMillis(now)
})

const shownComponent =
  ({ page, pushed, spans }: SnapshotRows, days: ReadonlyArray<Day>, window: Window) =>
  (component: ComponentView): ShownComponent => {
    const stretches = component.push
      ? pushed.get(component.id) ?? []
      : timeline(component.aggregate, component.monitorIds.map((id) => spans.get(id) ?? []), window)
    const measured = component.showUptime && !component.manual
    const percent = (over: Window) =>
      measured && page.settings.showUptimePercent ? uptime(stretches, over)?.percent ?? null : null
    return {
      id: component.id,
      key: component.key,
      name: component.name,
      description: component.description,
      group: component.group,
      status: component.status,
      statusMessage: component.statusMessage,
      uptimePercent: percent(window),
      recentPercent: percent(windowOf(days.slice(-recentDays), instant(window.to))),
      days: measured ? uptimeDays(stretches, days) : null,
      updatedAt: instant(Math.max(DateTime.toEpochMillis(component.updatedAt), stretches.at(-1)?.startedAt ?? 0))
    }
  }

/** An incident as this page may tell it: of its own components alone; none where all that an alarm was about is hidden. */
const onPage = (visible: ReadonlySet<string>) => (incident: PageIncident): ReadonlyArray<PageIncident> => {
  const components = incident.components.filter(({ componentId }) => visible.has(componentId))
  return incident.automatic && components.length === 0 ? [] : [{ ...incident, components }]
}

const isOver = ({ resolvedAt, status }: PageIncident) => resolvedAt !== null || status === "resolved" || status === "completed"

export const makeSnapshot = (rows: SnapshotRows, now: DateTime.Utc): Snapshot => {
  const days = daysOf(rows.page, now)
  const shown = rows.components.filter((component) => !component.hidden)
  const components = shown.map(shownComponent(rows, days, windowOf(days, now)))
  const incidents = rows.incidents.flatMap(onPage(new Set(shown.map(({ id }) => id))))
  const open = incidents.filter((incident) => !isOver(incident))
  const active = open.filter(({ kind }) => kind === "incident")
  const used = new Set(shown.map(({ group }) => group))
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
