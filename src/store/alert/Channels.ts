/** The rows of alert channels. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema, Struct } from "effect"
import { Channel, type ChannelType, type ListedChannel, ShownSettings } from "../../../schema/alert/Channel.ts"
import { ChannelId, type WorkspaceId } from "../../../schema/Ids.ts"
import { mask } from "../../../schema/Mask.ts"
import { groupingTypes } from "../../domain/alert/AlertGroup.ts"
import { hashedTarget, identicalOnes } from "../../domain/alert/IdenticalChannels.ts"
import { quietUntil } from "../../domain/alert/QuietHours.ts"
import { KeyedHashes } from "../KeyedHashes.ts"
import { DatabaseClock } from "../postgres/DatabaseClock.ts"
import { findAll, findOne } from "../postgres/Queries.ts"
import { inTransaction } from "../postgres/Transaction.ts"
import { Vault } from "../Vault.ts"
import { type ChannelSecrets, openSecrets, sealSecrets } from "./ChannelSecrets.ts"

/** The settings that have no column of their own. */
const OtherSettings = Schema.Struct(Struct.omit(ShownSettings.fields, "url", "headers"))
const otherSettings = (channel: typeof OtherSettings.Type) => Struct.pick(channel, ...Struct.keys(OtherSettings.fields))
const encodeSettings = Schema.encodeSync(Schema.parseJson(OtherSettings))

/** The fields of a channel that deliveries read beside its type, which a newer version may have written. */
export const keptSettings = {
  enabled: Schema.Boolean,
  url: Schema.NullOr(Schema.String),
  settings: OtherSettings,
  sealed: Schema.NullOr(Schema.String),
  problem: Schema.NullOr(Schema.String),
  updatedAt: Schema.DateTimeUtcFromDate
}
export const keptColumns = `enabled, url, settings, sealed, problem, updated_at as "updatedAt"`

export type KeptSettings = Schema.Struct.Type<typeof keptSettings>

const Row = Schema.Struct({
  ...Struct.omit(Channel.fields, "headers", ...Struct.keys(OtherSettings.fields)),
  headerNames: Schema.Array(Schema.String),
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate,
  problem: Schema.NullOr(Schema.String),
  problemAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  settings: OtherSettings
})
const ListedRow = Schema.Struct({ ...Row.fields, targetHash: Schema.NullOr(Schema.String) })
const SealedRow = Schema.Struct({ ...Row.fields, sealed: Schema.NullOr(Schema.String) })

/** Only the names are stored in clear. */
const channelOf = ({ headerNames, problem, problemAt, settings, ...row }: typeof Row.Type): Channel => ({
  ...row,
  ...(problem === null || problemAt === null ? {} : { problem: { message: problem, since: problemAt } }),
  headers: Object.fromEntries(headerNames.map((name) => [name, mask])),
  ...settings
})

const listed = (rows: ReadonlyArray<typeof ListedRow.Type>): ReadonlyArray<ListedChannel> => {
  const identical = identicalOnes(rows)
  return rows.map(({ targetHash: _, ...row }, index) => ({
    ...channelOf(row),
    identicalTo: (identical[index] ?? []).map(({ id }) => id)
  }))
}

const quietHoursOf = ({ quietHours }: Channel): string | null => (quietHours === null ? null : JSON.stringify(quietHours))

export interface ChannelState {
  readonly channel: Channel
  readonly secrets: ChannelSecrets
}

export class Channels extends Effect.Service<Channels>()("belltower/Channels", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const hash = yield* KeyedHashes
    const clock = yield* DatabaseClock
    const columns = sql.literal(`
      id, name, type, url, header_names as "headerNames", settings, events, is_default as "isDefault",
      coalesce(group_alerts, type = any('{${groupingTypes.join(",")}}')) as "groupAlerts",
      quiet_hours as "quietHours", enabled, problem, problem_at as "problemAt",
      created_at as "createdAt", updated_at as "updatedAt"`)

    const all = findAll(ListedRow, (workspaceId: WorkspaceId) =>
      sql`
        select ${columns}, encode(target_hash, 'hex') as "targetHash" from channels
        where workspace_id = ${workspaceId} order by id`)

    const sealedRows = findAll(
      SealedRow,
      (workspaceId: WorkspaceId) => sql`select ${columns}, sealed from channels where workspace_id = ${workspaceId} order by id`
    )

    const sealedOfType = findAll(SealedRow, (workspaceId: WorkspaceId, type: ChannelType) =>
      sql`
        select ${columns}, sealed from channels where workspace_id = ${workspaceId} and type = ${type} order by id`)

    const forUpdate = findOne(SealedRow, (workspaceId: WorkspaceId, id: ChannelId) =>
      sql`
        select ${columns}, sealed from channels where workspace_id = ${workspaceId} and id = ${id} for no key update`)

    const ids = findAll(Schema.Struct({ id: ChannelId }), (workspaceId: WorkspaceId, onlyDefault: boolean) =>
      sql`
        select id from channels where workspace_id = ${workspaceId} and (is_default or not ${onlyDefault}) order by id`)

    const targetHashOf = ({ channel: { headers, url, ...others }, secrets }: ChannelState): Buffer | null => {
      const text = hashedTarget({ url, headers, ...otherSettings(others) }, secrets.settings)
      return text === null ? null : hash(text)
    }

    const enabled = findAll(
      Schema.Struct({ id: ChannelId, works: Schema.Boolean }),
      (workspaceId: WorkspaceId, ids: ReadonlyArray<ChannelId>) =>
        sql`
        select id, problem is null or type = 'email' as works
        from channels where workspace_id = ${workspaceId} and id = any(${ids}::text[]) and enabled order by id`
    )

    /** Alerts that wait are sent when the new quiet hours end, or now. */
    const moveQuietEnd = Effect.fn("Channels.moveQuietEnd")(function*(workspaceId: WorkspaceId, { id, quietHours }: Channel) {
      const now = yield* clock.now
      const end = quietHours === null ? null : quietUntil(quietHours, now)
      yield* sql`
        update quiet_groups set due_at = ${DateTime.toDateUtc(end ?? now)}
        where workspace_id = ${workspaceId} and channel_id = ${id}`
    })

    const endDeliveries = (workspaceId: WorkspaceId, id: ChannelId) =>
      sql`
      update deliveries set status = 'dead', last_error = 'The channel was disabled', finished_at = statement_timestamp()
      where workspace_id = ${workspaceId} and channel_id = ${id} and status = 'due'`

    const insert = Effect.fn("Channels.insert")(function*(workspaceId: WorkspaceId, state: ChannelState) {
      const { channel, secrets } = state
      const sealed = yield* sealSecrets(channel.id, secrets).pipe(Effect.provideService(Vault, vault))
      yield* sql`
        insert into channels (id, workspace_id, name, type, url, header_names, settings, sealed, target_hash, events, is_default,
                              group_alerts, quiet_hours, enabled, created_at, updated_at)
        values (${channel.id}, ${workspaceId}, ${channel.name}, ${channel.type}, ${channel.url}, ${Object.keys(channel.headers)},
                ${encodeSettings(channel)}::jsonb, ${sealed}, ${
        targetHashOf(state)
      }, ${channel.events}, ${channel.isDefault}, ${channel.groupAlerts}, ${quietHoursOf(channel)}::jsonb, ${channel.enabled},
                ${DateTime.toDateUtc(channel.createdAt)}, ${DateTime.toDateUtc(channel.updatedAt)})`
    }, Effect.orDie)

    const write = Effect.fn("Channels.write")(function*(workspaceId: WorkspaceId, before: ChannelState, state: ChannelState) {
      const { channel, secrets } = state
      const sealed = yield* sealSecrets(channel.id, secrets).pipe(Effect.provideService(Vault, vault))
      const updatedAt = DateTime.toDateUtc(channel.updatedAt)
      yield* sql`
        update channels
        set name = ${channel.name}, url = ${channel.url}, header_names = ${Object.keys(channel.headers)},
            settings = ${encodeSettings(channel)}::jsonb, sealed = ${sealed}, target_hash = ${targetHashOf(state)},
            events = ${channel.events}, is_default = ${channel.isDefault},
            group_alerts = ${channel.groupAlerts}, quiet_hours = ${
        quietHoursOf(channel)
      }::jsonb, enabled = ${channel.enabled}, updated_at = ${updatedAt},
            problem = ${channel.problem?.message ?? null},
            problem_at = ${channel.problem === undefined ? null : DateTime.toDateUtc(channel.problem.since)}
        where workspace_id = ${workspaceId} and id = ${channel.id}`
      if (quietHoursOf(before.channel) !== quietHoursOf(channel)) yield* moveQuietEnd(workspaceId, channel)
      // Otherwise deliveries that are due now would arrive late, after the channel is enabled again.
      if (!channel.enabled) yield* endDeliveries(workspaceId, channel.id)
    })

    const stateOf = ({ sealed, ...row }: typeof SealedRow.Type): Effect.Effect<ChannelState> =>
      Effect.map(
        Effect.provideService(openSecrets(row.id, sealed), Vault, vault),
        (secrets) => ({ channel: channelOf(row), secrets })
      )

    return {
      /** Attaches a channel to the workspace's monitors that have none. */
      attachWhereNone: Effect.fn("Channels.attachWhereNone")(
        (workspaceId: WorkspaceId, id: ChannelId) =>
          sql`
          update monitors set channel_ids = array[${id}]
          where workspace_id = ${workspaceId} and channel_ids = '{}'`,
        Effect.asVoid,
        Effect.orDie
      ),
      list: (workspaceId: WorkspaceId): Effect.Effect<ReadonlyArray<ListedChannel>> => Effect.map(all(workspaceId), listed),
      /** The channels with their secrets, oldest first; a cap bounds their number. */
      states: (workspaceId: WorkspaceId): Effect.Effect<ReadonlyArray<ChannelState>> =>
        Effect.flatMap(sealedRows(workspaceId), Effect.forEach(stateOf)),
      /** The channels of one type; no secret of another is opened. */
      statesOfType: (workspaceId: WorkspaceId, type: ChannelType): Effect.Effect<ReadonlyArray<ChannelState>> =>
        Effect.flatMap(sealedOfType(workspaceId, type), Effect.forEach(stateOf)),
      insert,
      /** Replaces a channel with the result of `next`, one change at a time. None when the channel does not exist. */
      change: Effect.fn("Channels.change")(function*<E, R>(
        workspaceId: WorkspaceId,
        id: ChannelId,
        next: (current: ChannelState) => Effect.Effect<ChannelState, E, R>
      ) {
        const found = yield* forUpdate(workspaceId, id)
        if (Option.isNone(found)) return Option.none<ChannelState>()
        const before = yield* stateOf(found.value)
        const changed = yield* next(before)
        yield* Effect.orDie(write(workspaceId, before, changed))
        return Option.some(changed)
      }, inTransaction(sql)),
      /** How many monitors alert a channel. Reads the workspace's monitors, as its deletion does. */
      monitorsOf: (workspaceId: WorkspaceId, id: ChannelId): Effect.Effect<number> =>
        Effect.orDie(Effect.map(
          sql<{ readonly count: number }>`
          select count(*)::int as count from monitors where workspace_id = ${workspaceId} and ${id} = any(channel_ids)`,
          ([row]) => row?.count ?? 0
        )),
      /**
       * Deletes a channel with its deliveries and the alerts that wait for it, and detaches it from its monitors. False when it
       * does not exist.
       */
      remove: Effect.fn("Channels.remove")(function*(workspaceId: WorkspaceId, id: ChannelId) {
        const gone = yield* sql`delete from channels where workspace_id = ${workspaceId} and id = ${id} returning id`
        yield* sql`
          update monitors set channel_ids = array_remove(channel_ids, ${id})
          where workspace_id = ${workspaceId} and ${id} = any(channel_ids)`
        return gone.length > 0
      }, inTransaction(sql)),
      /** The channels attached to a new monitor. */
      defaultIds: (workspaceId: WorkspaceId): Effect.Effect<ReadonlyArray<ChannelId>> =>
        ids(workspaceId, true).pipe(Effect.map((rows) => rows.map(({ id }) => id))),
      /**
       * The channels of `wanted` that are enabled, each once. `works` is false while no message can arrive until somebody acts; mails may
       * reach others of a channel's recipients.
       */
      enabled: (workspaceId: WorkspaceId, wanted: ReadonlyArray<ChannelId>) =>
        wanted.length === 0 ? Effect.succeed([]) : enabled(workspaceId, wanted),
      /** The ids in `wanted` that are not channels of the workspace. */
      unknownIds: (workspaceId: WorkspaceId, wanted: ReadonlyArray<ChannelId>): Effect.Effect<ReadonlyArray<ChannelId>> =>
        ids(workspaceId, false).pipe(
          Effect.map((rows) => wanted.filter((id) => !rows.some((row) => row.id === id)))
        )
    }
  })
}) {}
