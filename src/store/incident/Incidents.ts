/** The rows of incidents, maintenance windows and their updates. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { IncidentId, type MonitorId, type PageId, UpdateId, type WorkspaceId } from "../../../schema/Ids.ts"
import { AiReport } from "../../../schema/incident/AiReport.ts"
import {
  Acknowledgement,
  type Incident,
  type IncidentKind,
  type IncidentUpdate,
  SetComponent
} from "../../../schema/incident/Incident.ts"
import type { NewIncident } from "../../domain/incident/AutomaticIncident.ts"
import { mint, mintAt } from "../Mint.ts"
import { countOf, findAll, findOne, write } from "../postgres/Queries.ts"
import { incidentColumns, IncidentRow, IncidentRowWithReports, LockedIncident, summaryOf, UpdateRow } from "./IncidentRows.ts"

export interface IncidentDraft extends Omit<NewIncident, "status" | "body" | "components">, Pick<Incident, "kind" | "status"> {
  readonly automatic: boolean
  readonly components: ReadonlyArray<SetComponent>
  readonly scheduledStart: DateTime.Utc | null
  readonly scheduledEnd: DateTime.Utc | null
  /** The pages of which a maintenance window covers all components. */
  readonly wholePageIds: ReadonlyArray<PageId>
  /** Whether subscribers are notified of the start, the changes and the end of a maintenance window. */
  readonly notify: boolean
}

/** The fields of maintenance windows alone. */
export const noWindow = { scheduledStart: null, scheduledEnd: null, wholePageIds: [], notify: true } as const

export interface UpdateDraft extends Pick<IncidentUpdate, "status" | "body" | "public" | "ai" | "at"> {
  /** False for a text that the service wrote. */
  readonly byPerson: boolean
  /** Whether subscribers are notified. */
  readonly notify: boolean
}

export interface IncidentFields extends Pick<Incident, "status" | "impact" | "startedAt" | "resolvedAt"> {
  readonly components: ReadonlyArray<SetComponent>
  /** Without it, the title stays. */
  readonly title?: string
}

/** Null matches any incident. */
export interface IncidentFilter {
  readonly workspaceId: WorkspaceId
  readonly open: boolean
  readonly kind: IncidentKind | null
  readonly pageId: PageId | null
  readonly monitorId: string | null
  readonly before: IncidentId | null
  readonly limit: number
}

/** Older reports are dropped. */
const mostReports = 20

const encodeComponents = Schema.encodeSync(Schema.parseJson(Schema.Array(SetComponent)))
const encodeAcknowledgement = Schema.encodeSync(Schema.parseJson(Acknowledgement))
const encodeReport = Schema.encodeSync(Schema.parseJson(AiReport))

/** A maintenance window's plan, as its record shows it. */
const planOf = (plan: (typeof IncidentRowWithReports.Type)["plan"]): Pick<Incident, "recurrence" | "remindMinutes"> =>
  plan === null ? {} : {
    ...(plan.rule === null || plan.timezone === null ? {} : { recurrence: { rule: plan.rule, timezone: plan.timezone } }),
    ...(plan.remindMinutes.length === 0 ? {} : { remindMinutes: plan.remindMinutes })
  }

const date = (at: DateTime.Utc | null) => (at === null ? null : DateTime.toDateUtc(at))

/** Writes rows and updates, in the caller's transaction. */
const makeWrites = (sql: SqlClient.SqlClient) => {
  const insertAs = Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: IncidentId, draft: IncidentDraft) {
    yield* sql`insert into incidents ${
      sql.insert({
        id,
        workspace_id: workspaceId,
        kind: draft.kind,
        automatic: draft.automatic,
        public: draft.public,
        monitor_id: draft.monitorId,
        title: draft.title,
        status: draft.status,
        impact: draft.impact,
        components: encodeComponents(draft.components),
        page_ids: draft.pageIds,
        started_at: date(draft.startedAt),
        scheduled_start: date(draft.scheduledStart),
        scheduled_end: date(draft.scheduledEnd),
        whole_page_ids: draft.wholePageIds,
        notify: draft.notify,
        updated_at: date(draft.startedAt)
      })
    }`
    return id
  }, Effect.orDie)

  const insert = Effect.fn("Incidents.insert")(function*(workspaceId: WorkspaceId, draft: IncidentDraft) {
    return yield* insertAs(workspaceId, yield* mint("inc", IncidentId), draft)
  })

  /** Inserts a past incident, which lists show at its time. */
  const insertAt = Effect.fn("Incidents.insertAt")(function*(workspaceId: WorkspaceId, draft: IncidentDraft, at: DateTime.Utc) {
    return yield* insertAs(workspaceId, yield* mintAt("inc", IncidentId, at), draft)
  })

  const addUpdate = Effect.fn("Incidents.addUpdate")(
    function*(workspaceId: WorkspaceId, incidentId: IncidentId, draft: UpdateDraft) {
      const { ai, at, body, status } = draft
      const id = yield* mint("upd", UpdateId)
      yield* sql`insert into incident_updates ${
        sql.insert({
          id,
          workspace_id: workspaceId,
          incident_id: incidentId,
          status,
          body,
          at: date(at),
          ai,
          public: draft.public,
          by_person: draft.byPerson,
          notify: draft.notify
        })
      }`
      yield* sql`
        update incidents set updated_at = ${date(at)} where workspace_id = ${workspaceId} and id = ${incidentId}`
      const shown = { id, status, body, at, ai }
      const update: IncidentUpdate = draft.public ? { ...shown, public: true } : { ...shown, public: false }
      return update
    },
    Effect.orDie
  )

  const save = Effect.fn("Incidents.save")(
    function*(workspaceId: WorkspaceId, id: IncidentId, fields: IncidentFields) {
      const { components, impact, resolvedAt, startedAt, status, title = null } = fields
      yield* sql`
        update incidents
        set status = ${status}, impact = ${impact}, components = ${encodeComponents(components)}::jsonb,
          started_at = ${date(startedAt)}, resolved_at = ${date(resolvedAt)}, title = coalesce(${title}, title)
        where workspace_id = ${workspaceId} and id = ${id}`
    },
    Effect.orDie
  )

  /**
   * Shows an incident on these pages. What was said while it was internal becomes internal, too: nobody wrote it for visitors.
   * Call it before adding the update that brings it there.
   */
  const showOn = Effect.fn("Incidents.showOn")(
    function*(workspaceId: WorkspaceId, before: Pick<Incident, "id" | "public">, pageIds: ReadonlyArray<PageId>) {
      if (!before.public) {
        yield* sql`
          update incident_updates set public = false
          where workspace_id = ${workspaceId} and incident_id = ${before.id} and public`
      }
      yield* sql`
        update incidents set public = true, page_ids = ${pageIds}::text[], ai_summary = case when public then ai_summary end
        where workspace_id = ${workspaceId} and id = ${before.id}`
    },
    Effect.orDie
  )

  const setAcknowledgement = (workspaceId: WorkspaceId, id: IncidentId, ack: Acknowledgement | null) =>
    write(sql`
        update incidents set acknowledgement = ${ack === null ? null : encodeAcknowledgement(ack)}::jsonb
        where workspace_id = ${workspaceId} and id = ${id}`)

  const addReport = (workspaceId: WorkspaceId, id: IncidentId, report: AiReport, summary: string | null) =>
    write(sql`
        update incidents
        set ai_reports = case when jsonb_array_length(ai_reports) >= ${mostReports} then ai_reports - 0 else ai_reports end
              || jsonb_build_array(${encodeReport(report)}::jsonb),
          ai_summary = coalesce(${summary}, ai_summary), updated_at = ${date(report.at)}
        where workspace_id = ${workspaceId} and id = ${id}`)

  return { insert, insertAt, addUpdate, save, showOn, setAcknowledgement, addReport }
}

export class Incidents extends Effect.Service<Incidents>()("belltower/Incidents", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const withPlan = findOne(IncidentRowWithReports, (workspaceId: WorkspaceId, id: IncidentId) =>
      sql`
      select ${incidentColumns(sql)}, i.ai_reports as "aiReports", to_json(p) as plan from incidents i
      left join lateral (
        select remind_minutes as "remindMinutes", rule, timezone from maintenance_plans where incident_id = i.id
      ) p on true
      where i.workspace_id = ${workspaceId} and i.id = ${id}`)

    /** Windows over a component that follows the monitor. */
    const covers = (monitorId: string) =>
      sql`exists (
        select from components c
        where c.workspace_id = i.workspace_id and c.monitor_ids && array[${monitorId}]::text[]
          and (c.page_id = any(i.whole_page_ids)
            or i.components @> jsonb_build_array(jsonb_build_object('componentId', c.id))))`

    // Only the filters that are set are written, so that the planner can choose the index of each.
    const conditions = ({ before, kind, monitorId, open, pageId }: IncidentFilter) => [
      ...(open ? [sql`i.resolved_at is null`] : []),
      ...(kind === null ? [] : [sql`i.kind = ${kind}`]),
      ...(pageId === null ? [] : [sql`i.page_ids @> array[${pageId}]::text[]`]),
      ...(monitorId === null ? [] : [kind === "maintenance" ? covers(monitorId) : sql`i.monitor_id = ${monitorId}`]),
      ...(before === null ? [] : [sql`i.id < ${before}`])
    ]

    const updates = findAll(UpdateRow, (workspaceId: WorkspaceId, id: IncidentId) =>
      sql`
      select id, status, body, at, ai, public from incident_updates
      where workspace_id = ${workspaceId} and incident_id = ${id} order by at, id`)

    return {
      find: (workspaceId: WorkspaceId, id: IncidentId, url: (id: IncidentId) => string) =>
        Effect.gen(function*() {
          const found = yield* withPlan(workspaceId, id)
          if (Option.isNone(found)) return Option.none<Incident>()
          const { aiReports, notify, plan, ...row } = found.value
          return Option.some<Incident>({
            ...summaryOf(row, url),
            ...planOf(plan),
            ...(row.kind === "maintenance" ? { notify } : {}),
            aiReports,
            updates: yield* updates(workspaceId, id)
          })
        }),
      /** Newest first. */
      list: findAll(IncidentRow, (filter: IncidentFilter) =>
        sql`
        select ${incidentColumns(sql)} from incidents i
        where ${sql.and([sql`i.workspace_id = ${filter.workspaceId}`, ...conditions(filter)])}
        order by i.id desc limit ${filter.limit}`),
      ...makeWrites(sql),
      /** Reads an incident without locking it. */
      peek: findOne(LockedIncident, (workspaceId: WorkspaceId, id: IncidentId) =>
        sql`
      select ${incidentColumns(sql)} from incidents i where i.workspace_id = ${workspaceId} and i.id = ${id}`),
      lock: findOne(LockedIncident, (workspaceId: WorkspaceId, id: IncidentId) =>
        sql`
      select ${incidentColumns(sql)} from incidents i
      where i.workspace_id = ${workspaceId} and i.id = ${id} for no key update`),
      /** Locks and returns an incident; none when it is resolved. */
      lockOpen: findOne(LockedIncident, (workspaceId: WorkspaceId, id: IncidentId) =>
        sql`
      select ${incidentColumns(sql)} from incidents i
      where i.workspace_id = ${workspaceId} and i.id = ${id} and i.resolved_at is null for no key update`),
      /**
       * Locks and returns the open automatic incident of a page. Filtered by the partial index of open incidents: a page's history
       * grows, what is open does not. Its first page opened it; people may have brought it onto others, which open incidents of
       * their own.
       */
      lockOpenOfPage: findOne(LockedIncident, (workspaceId: WorkspaceId, pageId: PageId) =>
        sql`
      select ${incidentColumns(sql)} from incidents i
      where i.workspace_id = ${workspaceId} and i.page_ids[1] = ${pageId} and i.automatic
        and i.monitor_id is null and i.kind = 'incident' and i.resolved_at is null
      order by i.id limit 1 for no key update`),
      openOfMonitor: findOne(Schema.Struct({ id: IncidentId }), (workspaceId: WorkspaceId, monitorId: MonitorId) =>
        sql`
      select id from incidents
      where workspace_id = ${workspaceId} and monitor_id = ${monitorId} and resolved_at is null
      order by id desc limit 1`),
      updateCount: (workspaceId: WorkspaceId, id: IncidentId) =>
        countOf(sql`
          select count(*)::int as count from incident_updates where workspace_id = ${workspaceId} and incident_id = ${id}`)
    }
  })
}) {}
