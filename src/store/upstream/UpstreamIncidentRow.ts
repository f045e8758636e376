/** The row of a third party's published incident. */
import { Schema } from "effect"
import { UpstreamCondition } from "../../../schema/upstream/Upstream.ts"

const at = Schema.DateTimeUtcFromDate

/** The fields that `upstreamIncidentColumns` selects. */
export const upstreamIncidentRow = {
  service: Schema.String,
  id: Schema.String,
  title: Schema.String,
  status: Schema.String,
  impact: UpstreamCondition,
  url: Schema.NullOr(Schema.String),
  startedAt: at,
  updatedAt: at,
  resolvedAt: Schema.NullOr(at),
  components: Schema.Array(Schema.String),
  text: Schema.NullOr(Schema.String)
}

/** The columns of `upstream_incidents i`. */
export const upstreamIncidentColumns = `
  i.service, i.id, i.title, i.status, i.impact, i.url, i.started_at as "startedAt", i.updated_at as "updatedAt",
  i.resolved_at as "resolvedAt", i.components, i.body as text`
