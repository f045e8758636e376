/** Reads the channels that may receive events, and those that are attached to monitors. */
import { type SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Schema } from "effect"
import { QuietHours } from "../../../schema/alert/QuietHours.ts"
import { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import { groupingTypes } from "../../domain/alert/AlertGroup.ts"

/** A channel as the fan-out reads it. Its type is plain text because a newer version may have written it. */
const ListeningChannel = Schema.Struct({
  id: ChannelId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  type: Schema.String,
  enabled: Schema.Boolean,
  /** Whether its alerts wait for others. */
  groups: Schema.Boolean,
  quietHours: Schema.NullOr(QuietHours),
  events: Schema.NullOr(Schema.Array(Schema.String))
})

const Link = Schema.Struct({ key: Schema.String, channelIds: Schema.Array(ChannelId) })

export const makeFanOutChannels = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(`
    id, workspace_id as "workspaceId", name, type, enabled,
    coalesce(group_alerts, type = any('{${groupingTypes.join(",")}}')) as groups,
    quiet_hours as "quietHours", events`)

  // The lock keeps a channel from being deleted before its deliveries are written.
  const listening = SqlSchema.findAll({
    Request: Schema.Array(WorkspaceId),
    Result: ListeningChannel,
    execute: (workspaceIds) =>
      sql`
      select ${columns} from channels
      where workspace_id = any(${[...workspaceIds]}::text[]) and enabled order by id for key share`
  })

  const one = SqlSchema.findOne({
    Request: Schema.Struct({ workspaceId: WorkspaceId, id: ChannelId }),
    Result: ListeningChannel,
    execute: ({ id, workspaceId }) =>
      sql`select ${columns} from channels where workspace_id = ${workspaceId} and id = ${id} and enabled for key share`
  })

  const attachedTo = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceIds: Schema.Array(WorkspaceId), ids: Schema.Array(Schema.String) }),
    Result: Link,
    execute: ({ ids, workspaceIds }) =>
      sql`
      select id as key, channel_ids as "channelIds" from monitors
      where workspace_id = any(${[...workspaceIds]}::text[]) and id = any(${[...ids]}::text[])`
  })

  /**
   * Groups that are being sent: their alerts count from their commit. What waits still is followed by the acknowledgement when it
   * is sent (`cluster/alert/LateAcknowledgements.ts`), and is not sent to a paging service after the end of its incident
   * (`cluster/alert/SingleAlerts.ts`).
   */
  const awaitGroups = (ids: ReadonlyArray<ChannelId>) =>
    Effect.zipRight(
      sql`select from alert_groups where channel_id = any(${[...ids]}::text[]) order by channel_id for update`,
      sql`select from quiet_groups where channel_id = any(${[...ids]}::text[]) order by channel_id for update`
    )

  return {
    /** The enabled channels of workspaces, locked in the caller's transaction. */
    listening,
    /** The channels attached to monitors. */
    attachedTo,
    awaitGroups,
    /** An enabled channel, locked in the caller's transaction; none if it was disabled or deleted. */
    find: (workspaceId: WorkspaceId, id: ChannelId) => Effect.orDie(one({ workspaceId, id }))
  }
}
