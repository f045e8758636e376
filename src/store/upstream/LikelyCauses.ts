/** Links incidents of workspaces with the incidents of third parties that they depend on. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import { LikelyUpstream } from "../../../schema/upstream/Upstream.ts"
import { aroundMs } from "../../domain/upstream/LikelyCause.ts"
import { exists, findAll } from "../postgres/Queries.ts"
import { upstreamIncidentColumns, UpstreamIncidentRow } from "./Upstreams.ts"

const around = Duration.millis(aroundMs)

const encode = Schema.encodeSync(Schema.parseJson(LikelyUpstream))

const Candidate = Schema.Struct({
  workspaceId: WorkspaceId,
  /** The component that the workspace declared. */
  component: Schema.NullOr(Schema.String),
  ...UpstreamIncidentRow.fields
})

const Untagged = Schema.Struct({
  workspaceId: WorkspaceId,
  id: IncidentId,
  startedAt: Schema.DateTimeUtcFromDate,
  /** The component that the workspace depends on; null for the whole service. */
  component: Schema.NullOr(Schema.String)
})
export type Unexplained = typeof Untagged.Type

interface Period {
  readonly from: Date
  readonly to: Date
}

/** Incidents of ours that one incident of a third party may explain. */
const mostExplained = 1000

export class LikelyCauses extends Effect.Service<LikelyCauses>()("belltower/LikelyCauses", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const candidates = findAll(
      Candidate,
      (workspaceIds: ReadonlyArray<WorkspaceId>, { from, to }: Period) =>
        sql`
        select w.id as "workspaceId", known.* from workspaces w
        cross join lateral (
          select u.component, ${sql.literal(upstreamIncidentColumns)}
          from jsonb_to_recordset(w.upstreams) u (service text, component text)
          join upstream_incidents i on i.service = u.service and i.started_at between ${from} and ${to}
          order by i.started_at desc limit 100
        ) known
        where w.id = any(${workspaceIds}::text[])`
    )

    // Across workspaces, because a third party serves many: each row names its own.
    const unexplained = findAll(
      Untagged,
      (service: string, { from, to }: Period) =>
        sql`
        select i.workspace_id as "workspaceId", i.id, i.started_at as "startedAt", u.component
        from workspaces w, jsonb_to_recordset(w.upstreams) u (service text, component text), incidents i
        where w.upstreams @> ${JSON.stringify([{ service }])}::jsonb and u.service = ${service}
          and i.workspace_id = w.id and i.monitor_id is not null and i.resolved_at is null and i.likely_upstream is null
          and i.started_at between ${from} and ${to}
        limit ${mostExplained}`
    )

    /** Around times, of which there is at least one. */
    const window = (times: ReadonlyArray<DateTime.Utc>): Period => ({
      from: DateTime.toDateUtc(DateTime.subtractDuration(times.reduce((one, other) => DateTime.min(one, other)), around)),
      to: DateTime.toDateUtc(DateTime.addDuration(times.reduce((one, other) => DateTime.max(one, other)), around))
    })

    return {
      /** Incidents of the third parties that workspaces declare, which began around at least one of some times. */
      candidates: (workspaceIds: ReadonlyArray<WorkspaceId>, times: ReadonlyArray<DateTime.Utc>) =>
        candidates(workspaceIds, window(times)),
      /** Open incidents of monitors that depend on a third party, began around a time and have no likely cause yet. */
      unexplained: (service: string, startedAt: DateTime.Utc) => unexplained(service, window([startedAt])),
      /** False if the incident has a likely cause already. */
      tag: (workspaceId: WorkspaceId, id: IncidentId, cause: LikelyUpstream) =>
        exists(sql`
        update incidents set likely_upstream = ${encode(cause)}::jsonb
        where workspace_id = ${workspaceId} and id = ${id} and likely_upstream is null returning id`)
    }
  })
}) {}
