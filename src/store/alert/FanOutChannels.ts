/** Reads the channels that may receive events, and what links them to the events. */
import { type SqlClient, SqlSchema } from "@effect/sql"
import { type DateTime, Effect, Schema } from "effect"
import { QuietHours } from "../../../schema/alert/QuietHours.ts"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import { groupingTypes } from "../../domain/alert/AlertGroup.ts"
import { audienceOf, type ChannelLinks, linkKey } from "../../domain/alert/EventRouting.ts"
import { closesAlerts, keepsAlerts, type OpenAlerts, pagingTypes } from "../../domain/alert/PagingAlerts.ts"
import type { AlertedChannels } from "./AlertedChannels.ts"

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

/** New events, with all data that decides which deliveries to create. */
export interface EventBatch {
  /** Oldest first. */
  readonly events: ReadonlyArray<WorkspaceEvent>
  /** The enabled channels of their workspaces. */
  readonly channels: ReadonlyArray<typeof ListeningChannel.Type>
  readonly links: ChannelLinks
  /** What the channels of paging services were alerted about before. */
  readonly alerts: OpenAlerts
  /** By the database's clock. */
  readonly now: DateTime.Utc
}

export type FanOutChannels = ReturnType<typeof makeFanOutChannels>

export const makeFanOutChannels = (sql: SqlClient.SqlClient, alertedChannels: AlertedChannels) => {
  const columns = sql.literal(`
    id, workspace_id as "workspaceId", name, type, enabled,
    coalesce(group_alerts, type = any('{${groupingTypes.join(",")}}')) and type <> all('{${pagingTypes.join(",")}}') as groups,
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

  const Keys = Schema.Struct({ workspaceIds: Schema.Array(WorkspaceId), ids: Schema.Array(Schema.String) })

  const attachedTo = SqlSchema.findAll({
    Request: Keys,
    Result: Link,
    execute: ({ ids, workspaceIds }) =>
      sql`
      select id as key, channel_ids as "channelIds" from monitors
      where workspace_id = any(${[...workspaceIds]}::text[]) and id = any(${[...ids]}::text[])`
  })

  const linksOf = Effect.fn("FanOut.links")(function*(
    events: ReadonlyArray<WorkspaceEvent>,
    audience: ReturnType<typeof audienceOf>,
    find: typeof attachedTo
  ) {
    const concerned = events.filter(({ type }) => audienceOf(type) === audience)
    const ids = concerned.flatMap((event) => linkKey(event) ?? [])
    if (ids.length === 0) return []
    const rows = yield* find({ workspaceIds: [...new Set(concerned.map(({ workspaceId }) => workspaceId))], ids })
    return rows.map(({ channelIds, key }) => [key, new Set(channelIds)] as const)
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

  /** Locks the channels in the caller's transaction. */
  const load = Effect.fn("FanOut.load")(function*(events: ReadonlyArray<WorkspaceEvent>, now: DateTime.Utc) {
    const channels = yield* listening([...new Set(events.map(({ workspaceId }) => workspaceId))])
    const attached = yield* linksOf(events, "attached", attachedTo)
    const paging = channels.filter(({ type }) => keepsAlerts(type)).map(({ id }) => id)
    if (events.some(({ type }) => audienceOf(type) === "alerted")) yield* awaitGroups(channels.map(({ id }) => id))
    else if (paging.length > 0 && events.some(({ type }) => closesAlerts(type))) yield* awaitGroups(paging)
    const alerted = yield* linksOf(events, "alerted", alertedChannels.find)
    const alerts = yield* alertedChannels.alertsOf(events, paging)
    const batch: EventBatch = { events, channels, links: new Map([...attached, ...alerted]), alerts, now }
    return batch
  })

  return {
    load,
    /** A channel, unless it was disabled or deleted. */
    find: (workspaceId: WorkspaceId, id: ChannelId) => Effect.orDie(one({ workspaceId, id }))
  }
}
