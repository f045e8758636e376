/** Channels of every type share the same rows, and their secrets are sealed at rest. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import type { Channel } from "../../../schema/alert/Channel.ts"
import { ChannelId } from "../../../schema/Ids.ts"
import { Channels, type ChannelState } from "../../../src/store/alert/Channels.ts"
import { mint } from "../../../src/store/Mint.ts"
import { ground, newWorkspace } from "../../notify/alert/Receiver.ts"

const telegram = Effect.gen(function*() {
  const at = DateTime.unsafeMake(0)
  const channel: Channel = {
    id: yield* mint("ch", ChannelId),
    name: "Team",
    type: "telegram",
    url: null,
    headers: {},
    botToken: "123...",
    chatId: "-100",
    events: null,
    isDefault: true,
    groupAlerts: true,
    quietHours: null,
    enabled: true,
    createdAt: at,
    updatedAt: at
  }
  const state: ChannelState = { channel, secrets: { signing: [], settings: { botToken: "123:very-secret" } } }
  return state
})

layer(ground([]), { excludeTestServices: true })("channels", (it) => {
  it.effect("are listed with the settings that their type shows", () =>
    Effect.gen(function*() {
      const channels = yield* Channels
      const workspaceId = yield* newWorkspace
      const state = yield* telegram
      yield* channels.insert(workspaceId, state)
      expect(yield* channels.list(workspaceId)).toEqual([{ ...state.channel, identicalTo: [] }])
      const rows = yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select * from channels where id = ${state.channel.id}`)
      expect(JSON.stringify(rows)).not.toContain("very-secret")
    }))

  it.effect("of one type are read without opening the secrets of others, which may be broken", () =>
    Effect.gen(function*() {
      const channels = yield* Channels
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* newWorkspace
      const [state, other] = [yield* telegram, yield* telegram]
      yield* channels.insert(workspaceId, state)
      yield* channels.insert(workspaceId, other)
      yield* sql`update channels set type = 'webhook', sealed = 'broken' where id = ${other.channel.id}`
      const found = yield* channels.statesOfType(workspaceId, "telegram")
      expect(found.map(({ channel }) => channel.id)).toEqual([state.channel.id])
    }))

  it.effect("are changed with access to their secrets", () =>
    Effect.gen(function*() {
      const channels = yield* Channels
      const workspaceId = yield* newWorkspace
      const { channel, secrets } = yield* telegram
      yield* channels.insert(workspaceId, { channel, secrets })
      const done = yield* channels.change(workspaceId, channel.id, (current) => {
        expect(current.channel).toEqual(channel)
        expect(current.secrets.settings).toMatchObject(secrets.settings)
        return Effect.succeed({ ...current, channel: { ...channel, chatId: "-200" } })
      })
      expect(Option.map(done, (changed) => changed.channel.chatId)).toEqual(Option.some("-200"))
      expect(yield* channels.list(workspaceId)).toMatchObject([{ chatId: "-200", botToken: "123..." }])
    }))
})
