/** The state rows that component actors own: the state of pushes, and the last announced status of each component. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { EffectiveStatus } from "../../../schema/component/Component.ts"
import { PushState } from "../../../schema/component/Push.ts"
import { type ComponentId, IncidentId, type WorkspaceId } from "../../../schema/Ids.ts"
import { PageSettings } from "../../../schema/page/Page.ts"
import { pagesSignal } from "../page/Pages.ts"
import { findOne } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { StoredComponent } from "./ComponentRows.ts"
import { selectedComponents } from "./ComponentSelection.ts"
import { ComponentSpans } from "./ComponentSpans.ts"

/** The component's page and its last announced status; version 0 and null before the first announcement. */
const Announced = Schema.Struct({
  slug: Schema.String,
  settings: PageSettings,
  version: Schema.Int,
  status: Schema.NullOr(EffectiveStatus),
  statusMessage: Schema.NullOr(Schema.String),
  automatic: Schema.NullOr(EffectiveStatus).annotations({ description: "Its status by its own sources" }),
  incidentId: Schema.NullOr(IncidentId)
})

/** The data that a component's actor decides on. */
export interface ComponentWithState {
  readonly component: StoredComponent
  readonly announced: typeof Announced.Type
}

export interface Settled {
  readonly status: EffectiveStatus
  readonly statusMessage: string | null
  /** The status by the component's own sources, without people's decisions. */
  readonly automatic: EffectiveStatus
  readonly pushState: PushState | null
  readonly incidentId: IncidentId | null
  readonly at: DateTime.Utc
}

const encodeState = Schema.encodeSync(Schema.parseJson(PushState))

export class ComponentStates extends Effect.Service<ComponentStates>()("belltower/ComponentStates", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const spans = yield* ComponentSpans
    const signals = yield* Signals

    /** One statement, so that the version and the sources are from the same moment. */
    const find = findOne(
      Schema.Struct({ ...StoredComponent.fields, announced: Announced }),
      (workspaceId: WorkspaceId, id: ComponentId) =>
        sql`
        select component.*, jsonb_build_object(
            'slug', p.slug, 'settings', p.settings, 'version', coalesce(s.version, 0), 'status', s.status,
            'statusMessage', s.status_message, 'automatic', s.automatic_status, 'incidentId', s.incident_id) as announced
        from (${selectedComponents(sql)} where c.workspace_id = ${workspaceId} and c.id = ${id}) component
        join pages p on p.id = component."pageId" left join component_states s on s.component_id = component.id`
    )

    const load = (workspaceId: WorkspaceId, id: ComponentId): Effect.Effect<Option.Option<ComponentWithState>> =>
      Effect.map(find(workspaceId, id), Option.map(({ announced, ...component }) => ({ component, announced })))

    /** False when another writer changed the row or the component was deleted; the caller must then roll back. */
    const commit = Effect.fn("ComponentStates.commit")(function*({ component, announced }: ComponentWithState, settled: Settled) {
      const { id, workspaceId } = component
      const changed = settled.status !== announced.status || settled.statusMessage !== announced.statusMessage
      const at = DateTime.toDateUtc(settled.at)
      const push = settled.pushState === null ? null : encodeState(settled.pushState)
      const written = yield* sql`
        insert into component_states as s
          (component_id, workspace_id, version, status, status_message, automatic_status, push, incident_id, changed_at)
        select c.id, c.workspace_id, 1, ${settled.status}, ${settled.statusMessage}, ${settled.automatic}, ${push}::jsonb,
               ${settled.incidentId}, ${at}
        from components c where c.workspace_id = ${workspaceId} and c.id = ${id}
        on conflict (component_id) do update set
          version = s.version + 1, status = excluded.status, status_message = excluded.status_message, push = excluded.push,
          automatic_status = excluded.automatic_status, incident_id = excluded.incident_id, changed_at = case when ${changed} then excluded.changed_at else s.changed_at end
        where s.version = ${announced.version}
        returning 1`
      if (written.length === 0) return false
      const { pushState } = settled
      if (pushState !== null && pushState.shown !== component.pushState?.shown) {
        yield* spans.mark(workspaceId, id, pushState.shown, pushState.since)
      }
      // Nothing but people's decisions is known of it, so these are its history.
      if (component.manual && changed) yield* spans.mark(workspaceId, id, settled.status, DateTime.toEpochMillis(settled.at))
      if (changed) yield* signals.send(pagesSignal, announced.slug)
      return true
    }, Effect.orDie)

    return { load, commit }
  }),
  dependencies: [ComponentSpans.Default]
}) {}
