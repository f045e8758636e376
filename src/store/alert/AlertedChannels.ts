/** Which channels were alerted about an incident, so that they also learn of its acknowledgement. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import { ChannelId, type IncidentId, WorkspaceId } from "../../../schema/Ids.ts"

/** Counted from the last alert about an incident. */
const retention = Duration.days(30)

const pruneBatch = 1000

/** A channel that received an event about an incident. */
export interface Alerted {
  readonly workspaceId: WorkspaceId
  readonly incidentId: IncidentId
  readonly channelId: ChannelId
}

export class AlertedChannels extends Effect.Service<AlertedChannels>()("belltower/AlertedChannels", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const find = SqlSchema.findAll({
      Request: Schema.Struct({ workspaceIds: Schema.Array(WorkspaceId), ids: Schema.Array(Schema.String) }),
      Result: Schema.Struct({ key: Schema.String, channelIds: Schema.Array(ChannelId) }),
      execute: ({ ids, workspaceIds }) =>
        sql`
        select incident_id as key, array_agg(channel_id) as "channelIds" from alerted_channels
        where workspace_id = any(${[...workspaceIds]}::text[]) and incident_id = any(${[...ids]}::text[])
        group by incident_id`
    })

    /** In the caller's transaction. */
    const add = Effect.fn("AlertedChannels.add")(function*(alerted: ReadonlyArray<Alerted>, now: DateTime.Utc) {
      if (alerted.length === 0) return
      const at = DateTime.toDateUtc(now)
      yield* sql`
        insert into alerted_channels (workspace_id, incident_id, channel_id, alerted_at)
        select distinct workspace_id, incident_id, channel_id, ${at}::timestamptz
        from unnest(${alerted.map(({ workspaceId }) => workspaceId)}::text[],
                    ${alerted.map(({ incidentId }) => incidentId)}::text[],
                    ${alerted.map(({ channelId }) => channelId)}::text[]) as a (workspace_id, incident_id, channel_id)
        order by workspace_id, incident_id, channel_id
        on conflict (workspace_id, incident_id, channel_id) do update set alerted_at = excluded.alerted_at`
    })

    /** Deletes a batch of rows whose last alert was more than 30 days before `now`. Returns whether there may be more. */
    const prune = Effect.fn("AlertedChannels.prune")(function*(now: DateTime.Utc) {
      const gone = yield* sql`
        delete from alerted_channels where ctid in (
          select ctid from alerted_channels
          where alerted_at < ${DateTime.toDateUtc(DateTime.subtractDuration(now, retention))} limit ${pruneBatch}
        ) returning 1`
      return gone.length === pruneBatch
    }, Effect.orDie)

    return { find, add, prune }
  })
}) {}
