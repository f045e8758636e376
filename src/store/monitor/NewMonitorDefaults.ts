/**
 * The state of the workspace for a new monitor: the channels that it gets by default, and one more if it cannot take all, and a mute that
 * covers it. In one statement.
 */
import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { ChannelId, type WorkspaceId } from "../../../schema/Ids.ts"
import { mostChannels } from "../../../schema/monitor/Monitor.ts"
import { Muted } from "../../../schema/mute/Mute.ts"
import { isMuting, mutedJson } from "../alert/MuteScope.ts"
import { mapRead, readFirst } from "../postgres/Read.ts"

const Defaults = Schema.Struct({ channelIds: Schema.Array(ChannelId), muted: Schema.NullOr(Muted) })

const readDefaults = readFirst(Defaults)

export class NewMonitorDefaults extends Effect.Service<NewMonitorDefaults>()("belltower/NewMonitorDefaults", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    read: (workspaceId: WorkspaceId, tags: ReadonlyArray<string>) =>
      mapRead(
        readDefaults(sql`
      select array(select id from channels where workspace_id = ${workspaceId} and is_default
                   order by enabled desc, id limit ${mostChannels + 1}) as "channelIds",
        (select ${sql.literal(mutedJson("x.until", "x.id", "null", "x.reason"))}
         from mutes x where x.workspace_id = ${workspaceId} and ${sql.literal(isMuting)}
           and (x.everything or x.tags && ${[...tags]}::text[])
         order by x.until desc, x.id limit 1) as muted`),
        Option.getOrThrow
      )
  }))
}) {}
