/** The one automatic incident of a page whose components report for themselves: they open or join it, and leave it. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { type DateTime, Effect, Option, Schema } from "effect"
import { type ComponentId, IncidentId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { AffectedComponent, Incident, type IncidentUpdate } from "../../../schema/incident/Incident.ts"
import { type Failing, impactOf, outageTitle } from "../../domain/incident/ComponentOutage.ts"
import { en } from "../../domain/words/en.ts"
import { encodeComponents, Incidents } from "./Incidents.ts"

/** A component that fails or has recovered. */
export interface Affected {
  readonly workspaceId: WorkspaceId
  readonly pageId: PageId
  readonly id: ComponentId
  readonly name: string
}

/** What was written of an incident. */
export interface Written {
  readonly kind: "created" | "updated" | "resolved"
  readonly incidentId: IncidentId
  readonly update: IncidentUpdate
}

const Open = Schema.Struct({
  id: IncidentId,
  status: Incident.fields.status,
  startedAt: Schema.DateTimeUtcFromDate,
  components: Schema.Array(AffectedComponent)
})
type Open = typeof Open.Type

export class PageOutages extends Effect.Service<PageOutages>()("belltower/PageOutages", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const incidents = yield* Incidents

    /** Components of a page open, join and leave one at a time. */
    const lockPage = ({ pageId, workspaceId }: Affected) =>
      sql`select 1 from pages where workspace_id = ${workspaceId} and id = ${pageId} for no key update`

    const openOf = SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, pageId: PageId }),
      Result: Open,
      execute: ({ pageId, workspaceId }) =>
        sql`
        select id, status, started_at as "startedAt", components from incidents
        where workspace_id = ${workspaceId} and page_ids @> array[${pageId}]::text[] and automatic and monitor_id is null
          and kind = 'incident' and resolved_at is null
        order by id limit 1 for no key update`
    })

    const openById = SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, id: IncidentId }),
      Result: Open,
      execute: ({ id, workspaceId }) =>
        sql`
        select id, status, started_at as "startedAt", components from incidents
        where workspace_id = ${workspaceId} and id = ${id} and resolved_at is null for no key update`
    })

    const setComponents = (workspaceId: WorkspaceId, id: IncidentId, components: Open["components"]) =>
      sql`
      update incidents
      set components = ${encodeComponents(components)}::jsonb, impact = ${impactOf(components.map(({ status }) => status))}
      where workspace_id = ${workspaceId} and id = ${id}`

    const withStatus = (components: Open["components"], one: typeof AffectedComponent.Type) => [
      ...components.filter(({ componentId }) => componentId !== one.componentId),
      one
    ]

    const open = Effect.fnUntraced(function*(component: Affected, status: Failing, since: DateTime.Utc) {
      const { id, update } = yield* incidents.create(component.workspaceId, {
        monitorId: null,
        public: true,
        title: outageTitle(component.name, status),
        impact: impactOf([status]),
        components: [{ componentId: component.id, status }],
        pageIds: [component.pageId],
        startedAt: since,
        body: en.investigating(component.name)
      })
      const written: Written = { kind: "created", incidentId: id, update }
      return written
    })

    /** Opens the page's incident, or adds the component to the one that is open. In the caller's transaction. */
    const join = Effect.fn("PageOutages.join")(function*(component: Affected, status: Failing, since: DateTime.Utc) {
      const { pageId, workspaceId } = component
      yield* lockPage(component)
      const found = yield* openOf({ workspaceId, pageId })
      if (Option.isNone(found)) return yield* open(component, status, since)
      const { components, id, status: stage } = found.value
      yield* setComponents(workspaceId, id, withStatus(components, { componentId: component.id, status }))
      const body = en.affectedToo(component.name)
      const written: Written = {
        kind: "updated",
        incidentId: id,
        update: yield* incidents.addUpdate(workspaceId, id, stage, body, true)
      }
      return written
    }, Effect.orDie)

    /** The component fails in another way now; nothing to write where a person has resolved the incident meanwhile. */
    const change = Effect.fn("PageOutages.change")(function*(component: Affected, incidentId: IncidentId, status: Failing) {
      const { workspaceId } = component
      yield* lockPage(component)
      const found = yield* openById({ workspaceId, id: incidentId })
      if (Option.isNone(found)) return Option.none<Written>()
      yield* setComponents(workspaceId, incidentId, withStatus(found.value.components, { componentId: component.id, status }))
      const body = `${outageTitle(component.name, status)}.`
      return Option.some<Written>({
        kind: "updated",
        incidentId,
        update: yield* incidents.addUpdate(workspaceId, incidentId, found.value.status, body, true)
      })
    }, Effect.orDie)

    /** The others that still fail; one that was deleted fails no more. */
    const stillFailing = ({ id, workspaceId }: Affected, { components }: Open) => {
      const others = components.filter(({ componentId, status }) => componentId !== id && status !== "operational")
      return others.length === 0 ? Effect.succeed(false) : Effect.map(
        sql`
          select 1 from components
          where workspace_id = ${workspaceId} and id = any(${others.map(({ componentId }) => componentId)}::text[]) limit 1`,
        (rows) => rows.length > 0
      )
    }

    /** The component is well again: the incident ends with the last of its components. */
    const leave = Effect.fn("PageOutages.leave")(
      function*(
        component: Affected,
        incidentId: IncidentId,
        at: DateTime.Utc,
        note: (what: string, since: DateTime.Utc) => string
      ) {
        const { workspaceId } = component
        yield* lockPage(component)
        const found = yield* openById({ workspaceId, id: incidentId })
        if (Option.isNone(found)) return Option.none<Written>()
        if (yield* stillFailing(component, found.value)) {
          const recovered = withStatus(found.value.components, { componentId: component.id, status: "operational" })
          yield* setComponents(workspaceId, incidentId, recovered)
          const body = en.recoveredAlone(component.name)
          const update = yield* incidents.addUpdate(workspaceId, incidentId, found.value.status, body, true)
          return Option.some<Written>({ kind: "updated", incidentId, update })
        }
        const resolved = yield* incidents.resolve(
          workspaceId,
          incidentId,
          at,
          component.name,
          (what) => note(what, found.value.startedAt)
        )
        return Option.map(resolved, (update): Written => ({ kind: "resolved", incidentId, update }))
      },
      Effect.orDie
    )

    return { join, change, leave }
  }),
  dependencies: [Incidents.Default]
}) {}
