/** A channel as the fan-out reads it: whether it may receive events, and what decides where they go. */
import type { SqlClient } from "@effect/sql"
import { Schema } from "effect"
import { QuietHours } from "../../../schema/alert/QuietHours.ts"
import { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import { groupingTypes } from "../../domain/alert/AlertGroup.ts"

/** Its type is plain text because a newer version may have written it. */
export const ListeningChannel = Schema.Struct({
  id: ChannelId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  type: Schema.String,
  url: Schema.NullOr(Schema.String),
  headerNames: Schema.Array(Schema.String),
  settings: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  targetHash: Schema.NullOr(Schema.String),
  enabled: Schema.Boolean,
  /** Whether its alerts wait for others. */
  groups: Schema.Boolean,
  quietHours: Schema.NullOr(QuietHours),
  events: Schema.NullOr(Schema.Array(Schema.String))
})

export const listeningColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`
    id, workspace_id as "workspaceId", name, type, url, header_names as "headerNames", settings,
    encode(target_hash, 'hex') as "targetHash", enabled,
    coalesce(group_alerts, type = any('{${groupingTypes.join(",")}}')) as groups,
    quiet_hours as "quietHours", events`)
