/** The rows of incidents: opened and resolved with the monitor they tell of. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { ComponentId, IncidentId, MonitorId, PageId, UpdateId, WorkspaceId } from "../../../schema/Ids.ts"
import { AffectedComponent, Incident, IncidentUpdate } from "../../../schema/incident/Incident.ts"
import { en } from "../../domain/words/en.ts"
import { mint } from "../Mint.ts"

const IncidentRow = Schema.Struct({
  id: IncidentId,
  kind: Incident.fields.kind,
  automatic: Schema.Boolean,
  public: Schema.Boolean,
  monitorId: Schema.NullOr(MonitorId),
  title: Schema.String,
  status: Incident.fields.status,
  impact: Incident.fields.impact,
  components: Schema.Array(AffectedComponent),
  startedAt: Schema.DateTimeUtcFromDate,
  resolvedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  scheduledStart: Schema.NullOr(Schema.DateTimeUtcFromDate),
  scheduledEnd: Schema.NullOr(Schema.DateTimeUtcFromDate),
  aiSummary: Schema.NullOr(Schema.String)
})

const UpdateRow = Schema.Struct({
  id: UpdateId,
  status: IncidentUpdate.fields.status,
  body: Schema.String,
  at: Schema.DateTimeUtcFromDate,
  ai: Schema.Boolean,
  public: Schema.Boolean
})

const ShownOn = Schema.Struct({ componentId: ComponentId, name: Schema.String, pageId: PageId })

/** What an automatic incident starts from. */
export interface Opening {
  readonly monitorId: MonitorId
  readonly monitorName: string
  readonly startedAt: DateTime.Utc
}

/** A new automatic incident; `monitorId` is null where components report for themselves. */
interface Draft {
  readonly monitorId: MonitorId | null
  readonly public: boolean
  readonly title: string
  readonly impact: Incident["impact"]
  readonly components: Incident["components"]
  readonly pageIds: ReadonlyArray<PageId>
  readonly startedAt: DateTime.Utc
  /** The text of its first update. */
  readonly body: string
}

export const encodeComponents = Schema.encodeSync(Schema.parseJson(Schema.Array(AffectedComponent)))

export class Incidents extends Effect.Service<Incidents>()("belltower/Incidents", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

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

    const shownOn = SqlSchema.findAll({
      Request: Schema.Struct({ workspaceId: WorkspaceId, monitorId: MonitorId }),
      Result: ShownOn,
      execute: ({ monitorId, workspaceId }) =>
        sql`
        select c.id as "componentId", c.name, c.page_id as "pageId"
        from components c join pages p on p.id = c.page_id
        where c.workspace_id = ${workspaceId} and c.monitor_ids @> array[${monitorId}]::text[] and not c.hidden
          and coalesce((p.settings->>'autoIncidents')::boolean, true)
        order by c.id`
    })

    /** Says what is new of an incident, in the caller's transaction; its status is the update's alone. */
    const addUpdate = Effect.fn("Incidents.addUpdate")(
      function*(workspaceId: WorkspaceId, id: IncidentId, status: IncidentUpdate["status"], body: string, isPublic: boolean) {
        const updateId = yield* mint("upd", UpdateId)
        const at = yield* DateTime.now
        yield* sql`insert into incident_updates ${
          sql.insert({
            id: updateId,
            workspace_id: workspaceId,
            incident_id: id,
            status,
            body,
            at: DateTime.toDateUtc(at),
            public: isPublic
          })
        }`
        return { id: updateId, status, body, at, ai: false, public: isPublic }
      },
      Effect.orDie
    )

    const find = (workspaceId: WorkspaceId, id: IncidentId, url: (id: IncidentId) => string) =>
      Effect.gen(function*() {
        const row = yield* incident({ workspaceId, id })
        if (Option.isNone(row)) return Option.none<Incident>()
        return Option.some<Incident>({ ...row.value, updates: yield* updates({ workspaceId, id }), url: url(id) })
      }).pipe(Effect.orDie)

    /** Writes a new automatic incident with its first update, in the caller's transaction. */
    const create = Effect.fn("Incidents.create")(function*(workspaceId: WorkspaceId, draft: Draft) {
      const id = yield* mint("inc", IncidentId)
      const status = "investigating"
      yield* sql`insert into incidents ${
        sql.insert({
          id,
          workspace_id: workspaceId,
          kind: "incident",
          automatic: true,
          public: draft.public,
          monitor_id: draft.monitorId,
          title: draft.title,
          status,
          impact: draft.impact,
          components: encodeComponents(draft.components),
          page_ids: draft.pageIds,
          started_at: DateTime.toDateUtc(draft.startedAt)
        })
      }`
      return { id, update: yield* addUpdate(workspaceId, id, status, draft.body, draft.public) }
    }, Effect.orDie)

    /** Opens the automatic incident of a monitor that went down, in the caller's transaction; public where a page shows it. */
    const open = Effect.fn("Incidents.open")(function*(workspaceId: WorkspaceId, opening: Opening) {
      const { monitorId, monitorName, startedAt } = opening
      const shown = yield* shownOn({ workspaceId, monitorId })
      const isPublic = shown.length > 0
      const names = [...new Set(shown.map((component) => component.name))].join(", ")
      return yield* create(workspaceId, {
        monitorId,
        public: isPublic,
        title: `${monitorName} is down`,
        impact: "major",
        components: shown.map(({ componentId }) => ({ componentId, status: "major_outage" })),
        pageIds: [...new Set(shown.map((component) => component.pageId))],
        startedAt,
        body: isPublic ? en.investigating(names) : `${monitorName} does not answer as it should.`
      })
    }, Effect.orDie)

    const affectedNames = (workspaceId: WorkspaceId, id: IncidentId) =>
      Effect.map(
        sql<{ readonly name: string }>`
          select distinct c.name from incidents i
          cross join lateral jsonb_array_elements(i.components) affected
          join components c on c.id = affected->>'componentId'
          where i.workspace_id = ${workspaceId} and i.id = ${id} order by c.name`,
        (rows) => rows.map((row) => row.name).join(", ")
      )

    /**
     * Resolves an open incident in the caller's transaction; none when it was resolved before. The note names the monitor
     * where only the team reads it, and the components where the public does.
     */
    const resolve = Effect.fn("Incidents.resolve")(
      function*(workspaceId: WorkspaceId, id: IncidentId, at: DateTime.Utc, monitorName: string, note: (what: string) => string) {
        const rows = yield* sql<{ readonly public: boolean }>`
          update incidents set status = 'resolved', resolved_at = greatest(started_at, ${DateTime.toDateUtc(at)})
          where workspace_id = ${workspaceId} and id = ${id} and resolved_at is null
          returning public`
        const [row] = rows
        if (row === undefined) return Option.none<IncidentUpdate>()
        const what = row.public ? yield* affectedNames(workspaceId, id) : monitorName
        return Option.some<IncidentUpdate>(yield* addUpdate(workspaceId, id, "resolved", note(what), row.public))
      },
      Effect.orDie
    )

    return { find, create, open, resolve, addUpdate }
  })
}) {}
