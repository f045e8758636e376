/** The rows of alert channels. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Option, Predicate, Schema, Struct } from "effect"
import { Channel, ShownSettings } from "../../../schema/alert/Channel.ts"
import { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import { hashedTarget, targetOf } from "../../domain/alert/SharedTargets.ts"
import { Vault } from "../Vault.ts"
import { type ChannelSecrets, openSecrets, sealSecrets } from "./ChannelSecrets.ts"
import { endDeliveries, handOver } from "./SharedDeliveries.ts"

/** The settings that have no column of their own. */
export const OtherSettings = Schema.Struct(Struct.omit(ShownSettings.fields, "url", "headers"))
const encodeSettings = Schema.encodeSync(Schema.parseJson(OtherSettings))

const Row = Schema.Struct({
  ...Struct.omit(Channel.fields, ...Struct.keys(OtherSettings.fields)),
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate,
  settings: OtherSettings
})
const SealedRow = Schema.Struct({ ...Row.fields, sealed: Schema.NullOr(Schema.String) })

const channelOf = ({ settings, ...row }: typeof Row.Type): Channel => ({ ...row, ...settings })

const Key = Schema.Struct({ workspaceId: WorkspaceId, id: ChannelId })

/** A channel with its secrets. */
export interface ChannelState {
  readonly channel: Channel
  readonly secrets: ChannelSecrets
}

export class Channels extends Effect.Service<Channels>()("belltower/Channels", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const columns = sql.literal(`
      id, name, type, url, header_names as headers, settings, events, is_default as "isDefault", enabled,
      created_at as "createdAt", updated_at as "updatedAt"`)

    const all = SqlSchema.findAll({
      Request: WorkspaceId,
      Result: Row,
      execute: (workspaceId) => sql`select ${columns} from channels where workspace_id = ${workspaceId} order by id`
    })

    const forUpdate = SqlSchema.findOne({
      Request: Key,
      Result: SealedRow,
      execute: ({ id, workspaceId }) =>
        sql`
        select ${columns}, sealed from channels where workspace_id = ${workspaceId} and id = ${id} for no key update`
    })

    const ids = SqlSchema.findAll({
      Request: Schema.Struct({ workspaceId: WorkspaceId, onlyDefault: Schema.Boolean }),
      Result: Schema.Struct({ id: ChannelId }),
      execute: ({ onlyDefault, workspaceId }) =>
        sql`
        select id from channels where workspace_id = ${workspaceId} and (is_default or not ${onlyDefault}) order by id`
    })

    const targetHashOf = ({ secrets }: ChannelState): Buffer | null =>
      Predicate.isString(secrets.settings.url) ? vault.hash(hashedTarget(secrets.settings.url)) : null

    const targetOfState = (state: ChannelState): string =>
      targetOf({ ...state.channel, targetHash: targetHashOf(state)?.toString("hex") ?? null })

    const insert = Effect.fn("Channels.insert")(function*(workspaceId: WorkspaceId, state: ChannelState) {
      const { channel, secrets } = state
      const sealed = yield* sealSecrets(secrets).pipe(Effect.provideService(Vault, vault))
      yield* sql`
        insert into channels (id, workspace_id, name, type, url, header_names, settings, sealed, target_hash, events, is_default,
                              enabled, created_at, updated_at)
        values (${channel.id}, ${workspaceId}, ${channel.name}, ${channel.type}, ${channel.url}, ${[...channel.headers]},
                ${encodeSettings(channel)}::jsonb, ${sealed}, ${
        targetHashOf(state)
      }, ${channel.events}, ${channel.isDefault}, ${channel.enabled},
                ${DateTime.toDateUtc(channel.createdAt)}, ${DateTime.toDateUtc(channel.updatedAt)})`
    }, Effect.orDie)

    const write = Effect.fn("Channels.write")(function*(workspaceId: WorkspaceId, before: ChannelState, state: ChannelState) {
      const { channel, secrets } = state
      const sealed = yield* sealSecrets(secrets).pipe(Effect.provideService(Vault, vault))
      const updatedAt = DateTime.toDateUtc(channel.updatedAt)
      yield* sql`
        update channels
        set name = ${channel.name}, url = ${channel.url}, header_names = ${[...channel.headers]},
            settings = ${encodeSettings(channel)}::jsonb, sealed = ${sealed}, target_hash = ${targetHashOf(state)},
            events = ${channel.events}, is_default = ${channel.isDefault}, enabled = ${channel.enabled}, updated_at = ${updatedAt}
        where workspace_id = ${workspaceId} and id = ${channel.id}`
      if (!channel.enabled || targetOfState(before) !== targetOfState(state)) yield* handOver(sql, workspaceId, channel.id)
      // Otherwise deliveries that are due now would arrive late, after the channel is enabled again.
      if (!channel.enabled) yield* endDeliveries(sql, workspaceId, channel.id, "The channel was disabled")
    })

    /** Replaces a channel with the result of `next`, one change at a time. None when the channel does not exist. */
    const change = Effect.fn("Channels.change")(function*<E, R>(
      workspaceId: WorkspaceId,
      id: ChannelId,
      next: (current: ChannelState) => Effect.Effect<ChannelState, E, R>
    ) {
      const found = yield* Effect.orDie(forUpdate({ workspaceId, id }))
      if (Option.isNone(found)) return Option.none<ChannelState>()
      const { sealed, ...row } = found.value
      const secrets = yield* openSecrets(sealed).pipe(Effect.provideService(Vault, vault))
      const before = { channel: channelOf(row), secrets }
      const changed = yield* next(before)
      yield* Effect.orDie(write(workspaceId, before, changed))
      return Option.some(changed)
    }, (work) => sql.withTransaction(work).pipe(Effect.catchTag("SqlError", Effect.die)))

    /** Deletes a channel with its deliveries, except those that other channels take over, and detaches it from its monitors. False when it does not exist. */
    const remove = Effect.fn("Channels.remove")(function*(workspaceId: WorkspaceId, id: ChannelId) {
      yield* handOver(sql, workspaceId, id)
      const gone = yield* sql`delete from channels where workspace_id = ${workspaceId} and id = ${id} returning id`
      yield* sql`
        update monitors set channel_ids = array_remove(channel_ids, ${id})
        where workspace_id = ${workspaceId} and ${id} = any(channel_ids)`
      return gone.length > 0
    }, (work) => Effect.orDie(sql.withTransaction(work)))

    return {
      list: (workspaceId: WorkspaceId) => Effect.map(Effect.orDie(all(workspaceId)), (rows) => rows.map(channelOf)),
      insert,
      change,
      remove,
      /** The channels attached to a new monitor. */
      defaultIds: (workspaceId: WorkspaceId): Effect.Effect<ReadonlyArray<ChannelId>> =>
        Effect.orDie(ids({ workspaceId, onlyDefault: true })).pipe(Effect.map((rows) => rows.map(({ id }) => id))),
      /** The ids in `wanted` that are not channels of the workspace. */
      unknownIds: (workspaceId: WorkspaceId, wanted: ReadonlyArray<ChannelId>): Effect.Effect<ReadonlyArray<ChannelId>> =>
        Effect.orDie(ids({ workspaceId, onlyDefault: false })).pipe(
          Effect.map((rows) => wanted.filter((id) => !rows.some((row) => row.id === id)))
        )
    }
  })
}) {}
