/** Channels with one target: each gets an event by itself, and nothing that becomes of one concerns another. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { fanOut, ground, incidentCreated, newChannel, newWorkspace, rowsOf } from "../../notify/alert/Receiver.ts"

const url = "https://hooks.example.com/one"

/** Two channels with one URL, and an event that both receive. */
const setUp = Effect.gen(function*() {
  const workspaceId = yield* newWorkspace
  const [first, second] = yield* Effect.all([newChannel(workspaceId, url), newChannel(workspaceId, url)])
  yield* Effect.flatMap(EventLog, (log) => log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }]))
  yield* fanOut(100)
  const statuses = Effect.map(
    Effect.forEach([first, second], ({ id }) => rowsOf(id)),
    (channels) => channels.map((rows) => rows.map(({ status }) => status))
  )
  return { workspaceId, first: first.id, second: second.id, statuses, manage: yield* ManageChannels }
})

layer(ground([]), { excludeTestServices: true })("channels with one URL", (it) => {
  it.effect("get one delivery of an event each, and both count as alerted", () =>
    Effect.gen(function*() {
      const { statuses, workspaceId } = yield* setUp
      expect(yield* statuses).toEqual([["due"], ["due"]])
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`select channel_id from alerted_channels where workspace_id = ${workspaceId}`).toHaveLength(2)
    }))

  it.effect("keep their own delivery when the other one is deleted", () =>
    Effect.gen(function*() {
      const { first, manage, statuses, workspaceId } = yield* setUp
      yield* manage.remove(workspaceId, first)
      expect(yield* statuses).toEqual([[], ["due"]])
    }))

  it.effect("keep it when the other one is disabled, whose own ends", () =>
    Effect.gen(function*() {
      const { manage, second, statuses, workspaceId } = yield* setUp
      yield* manage.update(workspaceId, second, { enabled: false })
      expect(yield* statuses).toEqual([["due"], ["dead"]])
    }))

  it.effect("keep both when one gets another URL", () =>
    Effect.gen(function*() {
      const { first, manage, statuses, workspaceId } = yield* setUp
      yield* manage.update(workspaceId, first, { url: "https://hooks.example.com/other" })
      expect(yield* statuses).toEqual([["due"], ["due"]])
    }))
})
