/** Channels with one target get an event once, and take over from each other. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ChannelInput } from "../../../schema/alert/Channel.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { DeliveryQueues } from "../../../src/store/alert/DeliveryQueues.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { fanOut, ground, incidentCreated, newChannel, newWorkspace, rowsOf } from "../../notify/alert/Receiver.ts"

const url = "https://hooks.example.com/one"

/** Three channels with one URL, and an event that all of them receive. */
const setUp = Effect.gen(function*() {
  yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`truncate workspaces cascade`)
  const workspaceId = yield* newWorkspace
  const ids = yield* Effect.forEach([1, 2, 3], () => Effect.map(newChannel(workspaceId, url), ({ id }) => id))
  const [first, second, third] = ids.sort()
  if (first === undefined || second === undefined || third === undefined) return yield* Effect.dieMessage("No channels")
  yield* Effect.flatMap(EventLog, (log) => log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }]))
  yield* fanOut(100)
  const counts = Effect.map(Effect.forEach([first, second, third], rowsOf), (rows) => rows.map(({ length }) => length))
  return { workspaceId, first, second, third, counts, manage: yield* ManageChannels }
})

const claimed = Effect.gen(function*() {
  const now = yield* Effect.flatMap(DatabaseClock, (clock) => clock.now)
  const queues = yield* DeliveryQueues
  const checkouts = yield* queues.claim({ lane: "first", now, room: 10, perWorkspace: 10, except: [] })
  return checkouts.flatMap(({ deliveries }) => deliveries.map(({ channelId }) => channelId))
})

layer(ground([]), { excludeTestServices: true })("channels with one URL", (it) => {
  it.effect("get one delivery of an event, by the oldest, and all count as alerted", () =>
    Effect.gen(function*() {
      const { counts, workspaceId } = yield* setUp
      expect(yield* counts).toEqual([1, 0, 0])
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`select channel_id from alerted_channels where workspace_id = ${workspaceId}`).toHaveLength(3)
    }))

  it.effect("hand an open delivery over when its channel is deleted", () =>
    Effect.gen(function*() {
      const { counts, first, manage, second, workspaceId } = yield* setUp
      yield* manage.remove(workspaceId, first)
      expect(yield* counts).toEqual([0, 1, 0])
      expect(yield* claimed).toEqual([second])
    }))

  it.effect("hand it over when its channel is disabled or gets another URL, to one that is enabled", () =>
    Effect.gen(function*() {
      const { counts, first, manage, second, third, workspaceId } = yield* setUp
      yield* manage.update(workspaceId, second, { enabled: false })
      yield* manage.update(workspaceId, first, { url: "https://hooks.example.com/other" })
      expect(yield* counts).toEqual([0, 0, 1])
      expect(yield* claimed).toEqual([third])
    }))

  it.effect("keep it when the channel changes otherwise", () =>
    Effect.gen(function*() {
      const { counts, first, manage, workspaceId } = yield* setUp
      yield* manage.update(workspaceId, first, { name: "Renamed", rotateSecret: true })
      expect(yield* counts).toEqual([1, 0, 0])
    }))

  it.effect("hand it over when its channel gets a header, by which a relay may route", () =>
    Effect.gen(function*() {
      const { counts, first, manage, workspaceId } = yield* setUp
      yield* manage.update(workspaceId, first, { headers: { "X-Team": "db" } })
      expect(yield* counts).toEqual([0, 1, 0])
    }))
})

layer(ground([]), { excludeTestServices: true })("channels at one server", (it) => {
  const receivers = (inputs: ReadonlyArray<Omit<ChannelInput, "name">>) =>
    Effect.gen(function*() {
      const workspaceId = yield* newWorkspace
      const manage = yield* ManageChannels
      const ids = yield* Effect.forEach(inputs, (input) => manage.create(workspaceId, { name: "Team", ...input }))
      yield* Effect.flatMap(EventLog, (log) =>
        log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }]))
      yield* fanOut(100)
      return yield* Effect.map(
        Effect.forEach(ids, ({ id }) =>
          rowsOf(id)),
        (rows) => rows.map(({ length }) => length)
      )
    })

  it.effect("get a delivery for each topic, key or set of headers", () =>
    Effect.gen(function*() {
      const server = { url: "https://push.example.com" }
      expect(
        yield* receivers([
          { type: "ntfy", ...server, topic: "ops" },
          { type: "ntfy", ...server, topic: "db" },
          { type: "ntfy", ...server, topic: "ops" },
          { type: "opsgenie", ...server, token: "team-one" },
          { type: "opsgenie", ...server, token: "team-two" },
          { type: "opsgenie", ...server, token: "team-one" },
          { type: "webhook", ...server, headers: { "X-Team": "ops" } },
          { type: "webhook", ...server, headers: { "X-Team": "db" } },
          { type: "webhook", ...server, headers: { "x-team": "ops" } },
          { type: "webhook", ...server }
        ])
      ).toEqual([1, 1, 0, 1, 1, 0, 1, 1, 0, 1])
    }))
})
