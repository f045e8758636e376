/** The row of a component with its status sources, and the status derived from them. */
import type { SqlClient } from "@effect/sql"
import { DateTime, Schema, Struct } from "effect"
import { Component, ComponentStatus, type EffectiveStatus } from "../../../schema/component/Component.ts"
import { PushState } from "../../../schema/component/Push.ts"
import { WorkspaceId } from "../../../schema/Ids.ts"
import { automaticStatus, effectiveStatus } from "../../domain/component/ComponentStatus.ts"
import type { ComponentView } from "../../domain/component/ComponentView.ts"
import { observedUntil } from "../../domain/monitor/MonitorMachine.ts"
import { SpanState } from "../monitor/Spans.ts"

const FollowedMonitor = Schema.Struct({
  state: SpanState,
  since: Schema.NullOr(Schema.Number).annotations({ description: "Start of the state, ms since 1970" }),
  lastRoundAt: Schema.NullOr(Schema.Number),
  intervalSec: Schema.NullOr(Schema.Int),
  timeoutMs: Schema.NullOr(Schema.Int)
})

/** The last observed state; `unobserved` once checks have stopped arriving. */
const observedState = ({ intervalSec, lastRoundAt, state, timeoutMs }: typeof FollowedMonitor.Type, now: number) =>
  intervalSec === null || timeoutMs === null || observedUntil(lastRoundAt, { intervalSec, timeoutMs }, now) >= now
    ? state
    : "unobserved"

/** The row of a component with the sources of its status. */
export const StoredComponent = Schema.Struct({
  ...Struct.omit(Component.fields, "status", "statusMessage", "pushUrl"),
  workspaceId: WorkspaceId,
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate,
  changedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  pushTokenSealed: Schema.NullOr(Schema.String),
  monitors: Schema.Array(FollowedMonitor),
  pushState: Schema.NullOr(PushState),
  override: Schema.NullOr(ComponentStatus),
  maintenances: Schema.Array(ComponentStatus),
  incidents: Schema.Array(ComponentStatus)
})
export type StoredComponent = typeof StoredComponent.Type

/** The statuses that people set in open, visible incidents or running windows; `condition` selects among these. */
const listedIn = (condition: string) => `coalesce((
      select jsonb_agg(affected->>'status')
      from incidents i cross join lateral jsonb_array_elements(i.components) affected
      where i.workspace_id = c.workspace_id and i.page_ids @> array[c.page_id] and i.public and i.resolved_at is null
        and (not i.automatic or (affected->>'byPerson')::boolean) and affected->>'componentId' = c.id and ${condition}), '[]')`

// A deleted monitor stays in the list but does not count. A pause shows immediately, before the actor has processed it.
const selection = `
  select c.id, c.workspace_id as "workspaceId", c.page_id as "pageId", c.name, c.key, c.description, c.group_id as "group",
    c.monitor_ids as "monitorIds", c.aggregate, c.push, c.push_ttl_sec as "pushTtlSec", c.confirmations, c.manual,
    c.push_token_sealed as "pushTokenSealed", c.show_uptime as "showUptime", c.show_response_times as "showResponseTimes",
    c.hidden, c.position as "order", c.created_at as "createdAt", c.updated_at as "updatedAt", shown.push as "pushState",
    shown.changed_at as "changedAt", c.override_status as override,
    coalesce((
      select jsonb_agg(jsonb_build_object(
        'state', case when s.state is null then 'unobserved' when m.paused then 'paused'
                      when s.state = 'paused' then 'pending' else s.state end,
        'since', extract(epoch from s.state_since) * 1000,
        'lastRoundAt', s.machine->'lastRoundAt', 'intervalSec', m.interval_sec, 'timeoutMs', m.timeout_ms))
      from unnest(c.monitor_ids) as followed (id)
      left join monitors m on m.id = followed.id and m.workspace_id = c.workspace_id
      left join monitor_states s on s.monitor_id = m.id), '[]') as monitors,
    ${listedIn("i.kind = 'maintenance' and i.status = 'in_progress'")} as maintenances,
    ${listedIn("i.kind = 'incident'")} as incidents
  from components c left join component_states shown on shown.component_id = c.id`

/** The `select` of components without its `where`; the table's alias is `c`. */
export const selectedComponents = (sql: SqlClient.SqlClient) => sql.literal(selection)

/** The status that a component shows, and the one that its own sources give it. */
interface ShownStatus {
  readonly status: EffectiveStatus
  readonly statusMessage: string | null
  readonly automatic: EffectiveStatus
  /** When the automatic status began, ms. */
  readonly automaticSince: number
}

/** The status derived from the sources at `now` (ms), with `pushState` instead of the stored one. */
export const shownBy = (stored: StoredComponent, pushState: PushState | null, now: number): ShownStatus => {
  const { aggregate, incidents, maintenances, override, push } = stored
  const monitors = stored.monitors.map((one) => ({ state: observedState(one, now), since: one.since }))
  const sources = {
    aggregate,
    monitors: monitors.map(({ state }) => state),
    pushed: push ? pushState?.shown ?? "unknown" : null,
    override,
    maintenances,
    incidents
  }
  const { decidedBy, status } = effectiveStatus(sources)
  const failures = monitors.flatMap(({ since, state }) => (state === "down" || state === "degraded") ? since ?? [] : [])
  return {
    status,
    statusMessage: decidedBy === "push" ? pushState?.message ?? null : null,
    automatic: automaticStatus(sources).status,
    // The last failure made the majority.
    automaticSince: push ? pushState?.since ?? now : failures.length === 0 ? now : Math.round(Math.max(...failures))
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
    "monitors",
    "override",
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
