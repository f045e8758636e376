/** The rows of incidents and their updates. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Option, Schema, Struct } from "effect"
import { IncidentId, PageId, UpdateId, WorkspaceId } from "../../../schema/Ids.ts"
import { AffectedComponent, Incident, IncidentUpdate } from "../../../schema/incident/Incident.ts"
import type { NewIncident } from "../../domain/incident/AutomaticIncident.ts"
import { mint } from "../Mint.ts"

const IncidentRow = Schema.Struct({
  ...Struct.omit(Incident.fields, "updates", "url"),
  startedAt: Schema.DateTimeUtcFromDate,
  resolvedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  scheduledStart: Schema.NullOr(Schema.DateTimeUtcFromDate),
  scheduledEnd: Schema.NullOr(Schema.DateTimeUtcFromDate)
})

const UpdateRow = Schema.Struct({ ...IncidentUpdate.fields, at: Schema.DateTimeUtcFromDate })

const OpenRow = Schema.Struct({
  ...Struct.pick(Incident.fields, "id", "status", "public", "components"),
  startedAt: Schema.DateTimeUtcFromDate
})

const encodeComponents = Schema.encodeSync(Schema.parseJson(Schema.Array(AffectedComponent)))

export class Incidents extends Effect.Service<Incidents>()("belltower/Incidents", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const openColumns = sql.literal(`id, status, public, started_at as "startedAt", components`)

    const incident = SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, id: IncidentId }),
      Result: IncidentRow,
      execute: ({ id, workspaceId }) =>
        sql`
        select id, kind, automatic, public, monitor_id as "monitorId", title, status, impact, components,
          started_at as "startedAt", resolved_at as "resolvedAt", scheduled_start as "scheduledStart",
          scheduled_end as "scheduledEnd", ai_summary as "aiSummary"
        from incidents where workspace_id = ${workspaceId} and id = ${id}`
    })

    const updates = SqlSchema.findAll({
      Request: Schema.Struct({ workspaceId: WorkspaceId, id: IncidentId }),
      Result: UpdateRow,
      execute: ({ id, workspaceId }) =>
        sql`
        select id, status, body, at, ai, public from incident_updates
        where workspace_id = ${workspaceId} and incident_id = ${id} order by id`
    })

    const openById = SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, id: IncidentId }),
      Result: OpenRow,
      execute: ({ id, workspaceId }) =>
        sql`
        select ${openColumns} from incidents
        where workspace_id = ${workspaceId} and id = ${id} and resolved_at is null for no key update`
    })

    const openOfPage = SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, pageId: PageId }),
      Result: OpenRow,
      execute: ({ pageId, workspaceId }) =>
        sql`
        select ${openColumns} from incidents
        where workspace_id = ${workspaceId} and page_ids @> array[${pageId}]::text[] and automatic and monitor_id is null
          and kind = 'incident' and resolved_at is null
        order by id limit 1 for no key update`
    })

    const find = (workspaceId: WorkspaceId, id: IncidentId, url: (id: IncidentId) => string) =>
      Effect.gen(function*() {
        const row = yield* incident({ workspaceId, id })
        if (Option.isNone(row)) return Option.none<Incident>()
        return Option.some<Incident>({ ...row.value, updates: yield* updates({ workspaceId, id }), url: url(id) })
      }).pipe(Effect.orDie)

    /** Writes a new automatic incident without its first update, in the caller's transaction. */
    const insert = Effect.fn("Incidents.insert")(function*(workspaceId: WorkspaceId, draft: NewIncident) {
      const id = yield* mint("inc", IncidentId)
      yield* sql`insert into incidents ${
        sql.insert({
          id,
          workspace_id: workspaceId,
          kind: "incident",
          automatic: true,
          public: draft.public,
          monitor_id: draft.monitorId,
          title: draft.title,
          status: draft.status,
          impact: draft.impact,
          components: encodeComponents(draft.components),
          page_ids: draft.pageIds,
          started_at: DateTime.toDateUtc(draft.startedAt)
        })
      }`
      return id
    }, Effect.orDie)

    /** Writes an update in the caller's transaction; the incident's own row is left as it is. */
    const addUpdate = Effect.fn("Incidents.addUpdate")(
      function*(workspaceId: WorkspaceId, incidentId: IncidentId, draft: Pick<IncidentUpdate, "status" | "body" | "public">) {
        const update: IncidentUpdate = {
          ...draft,
          id: yield* mint("upd", UpdateId),
          at: yield* DateTime.now,
          ai: false
        }
        yield* sql`insert into incident_updates ${
          sql.insert({
            id: update.id,
            workspace_id: workspaceId,
            incident_id: incidentId,
            status: update.status,
            body: update.body,
            at: DateTime.toDateUtc(update.at),
            public: update.public
          })
        }`
        return update
      },
      Effect.orDie
    )

    /** Sets the affected components and the impact that follows from them, in the caller's transaction. */
    const setComponents = Effect.fn("Incidents.setComponents")(
      function*(workspaceId: WorkspaceId, id: IncidentId, { components, impact }: Pick<Incident, "components" | "impact">) {
        yield* sql`
          update incidents set components = ${encodeComponents(components)}::jsonb, impact = ${impact}
          where workspace_id = ${workspaceId} and id = ${id}`
      },
      Effect.orDie
    )

    /** Marks an incident as resolved, in the caller's transaction, which has locked it. */
    const resolve = Effect.fn("Incidents.resolve")(function*(workspaceId: WorkspaceId, id: IncidentId, at: DateTime.Utc) {
      yield* sql`
        update incidents set status = 'resolved', resolved_at = ${DateTime.toDateUtc(at)}
        where workspace_id = ${workspaceId} and id = ${id} and resolved_at is null`
    }, Effect.orDie)

    return {
      find,
      insert,
      addUpdate,
      setComponents,
      resolve,
      /** Locks and returns an incident; none when it is resolved. */
      lockOpen: (workspaceId: WorkspaceId, id: IncidentId) => Effect.orDie(openById({ workspaceId, id })),
      /** Locks and returns the open automatic incident of a page. */
      lockOpenOfPage: (workspaceId: WorkspaceId, pageId: PageId) => Effect.orDie(openOfPage({ workspaceId, pageId }))
    }
  })
}) {}
