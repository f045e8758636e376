/** The row of a component with its sources, and the status that follows from them. */
import type { SqlClient } from "@effect/sql"
import { DateTime, Schema, Struct } from "effect"
import { Component, ComponentStatus, type EffectiveStatus } from "../../../schema/component/Component.ts"
import { PushState } from "../../../schema/component/Push.ts"
import { WorkspaceId } from "../../../schema/Ids.ts"
import { effectiveStatus } from "../../domain/component/ComponentStatus.ts"
import type { ComponentView } from "../../domain/component/ComponentView.ts"
import { observedUntil } from "../../domain/monitor/MonitorMachine.ts"
import { SpanState } from "../monitor/Spans.ts"

const FollowedMonitor = Schema.Struct({
  state: SpanState,
  lastRoundAt: Schema.NullOr(Schema.Number),
  intervalSec: Schema.NullOr(Schema.Int),
  timeoutMs: Schema.NullOr(Schema.Int)
})

/** The state that was last seen; unobserved once checks have stopped coming. */
const seenState = ({ intervalSec, lastRoundAt, state, timeoutMs }: typeof FollowedMonitor.Type, now: number) =>
  intervalSec === null || timeoutMs === null || observedUntil(lastRoundAt, { intervalSec, timeoutMs }, now) >= now
    ? state
    : "unobserved"

/** The row of a component and what its status comes from. */
export const StoredComponent = Schema.Struct({
  ...Struct.omit(Component.fields, "status", "statusMessage", "pushUrl"),
  workspaceId: WorkspaceId,
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate,
  changedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  pushTokenSealed: Schema.NullOr(Schema.String),
  monitors: Schema.Array(FollowedMonitor),
  pushState: Schema.NullOr(PushState),
  incidents: Schema.Array(ComponentStatus)
})
export type StoredComponent = typeof StoredComponent.Type

// A deleted monitor stays in the list without a vote. A pause shows immediately, before the actor has processed it.
const selection = `
  select c.id, c.workspace_id as "workspaceId", c.page_id as "pageId", c.name, c.key, c.description, c.group_id as "group",
    c.monitor_ids as "monitorIds", c.aggregate, c.push, c.push_ttl_sec as "pushTtlSec", c.confirmations, c.manual,
    c.push_token_sealed as "pushTokenSealed", c.show_uptime as "showUptime", c.show_response_times as "showResponseTimes",
    c.hidden, c.position as "order", c.created_at as "createdAt", c.updated_at as "updatedAt", told.push as "pushState",
    told.changed_at as "changedAt",
    coalesce((
      select jsonb_agg(jsonb_build_object(
        'state', case when s.state is null then 'unobserved' when m.paused then 'paused'
                      when s.state = 'paused' then 'pending' else s.state end,
        'lastRoundAt', s.machine->'lastRoundAt', 'intervalSec', m.interval_sec, 'timeoutMs', m.timeout_ms))
      from unnest(c.monitor_ids) as followed (id)
      left join monitors m on m.id = followed.id and m.workspace_id = c.workspace_id
      left join monitor_states s on s.monitor_id = m.id), '[]') as monitors,
    coalesce((
      select jsonb_agg(case when i.kind = 'maintenance' then 'maintenance' else affected->>'status' end)
      from incidents i cross join lateral jsonb_array_elements(i.components) affected
      where i.workspace_id = c.workspace_id and i.page_ids @> array[c.page_id] and i.public and not i.automatic
        and i.resolved_at is null and (i.kind = 'incident' or i.status = 'in_progress')
        and affected->>'componentId' = c.id), '[]') as incidents
  from components c left join component_states told on told.component_id = c.id`

/** Everything of a component up to its `where`; the table is `c`. */
export const selectedComponents = (sql: SqlClient.SqlClient) => sql.literal(selection)

/** The status that its sources give at `now` (ms), with `pushState` in place of the stored one. */
export const shownBy = (
  { aggregate, incidents, monitors, push }: StoredComponent,
  pushState: PushState | null,
  now: number
): { readonly status: EffectiveStatus; readonly statusMessage: string | null } => {
  const pushed = push ? pushState?.shown ?? "unknown" : null
  const status = effectiveStatus({ aggregate, monitors: monitors.map((one) => seenState(one, now)), pushed, incidents })
  return { status, statusMessage: push && status === pushed ? pushState?.message ?? null : null }
}

/** The component at `now` (ms); `updatedAt` is when it was edited or began to show what it shows, whichever is later. */
export const viewOf = (stored: StoredComponent, now: number): ComponentView => {
  const { changedAt, incidents: _, monitors: __, pushState, pushTokenSealed: ___, workspaceId: ____, ...component } = stored
  return {
    ...component,
    ...shownBy(stored, pushState, now),
    updatedAt: changedAt === null ? component.updatedAt : DateTime.max(component.updatedAt, changedAt)
  }
}
