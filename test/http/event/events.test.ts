/** The event log by polling. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChannelId, type WorkspaceId } from "../../../schema/Ids.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { callJson, type Json, newKey, TestServer } from "../../support/program/TestServer.ts"

const record = (workspaceId: WorkspaceId, ...messages: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const log = yield* EventLog
    const channel = { id: ChannelId.make("ch_1"), name: "ops" }
    return yield* sql.withTransaction(
      log.append(workspaceId, messages.map((message) => ({ type: "test.ping", data: { message, channel } }) as const))
    )
  })

layer(TestServer, { excludeTestServices: true })("list_events", (it) => {
  const messages = (data: ReadonlyArray<Json>) => data.map((event) => event.data.message)

  it.effect("returns the newest first, or with after the oldest first, and continues with next", () =>
    Effect.gen(function*() {
      const { headers, workspaceId } = yield* newKey()
      const empty = yield* callJson("/api/v1/events", { headers })
      expect(empty.body).toEqual({ data: [], next: null, newest: null })
      const [first = ""] = yield* record(workspaceId, "1", "2", "3", "4", "5")
      expect(messages((yield* callJson("/api/v1/events?limit=2", { headers })).body.data)).toEqual(["5", "4"])
      const page = yield* callJson(`/api/v1/events?limit=2&after=${first}`, { headers })
      expect(messages(page.body.data)).toEqual(["2", "3"])
      expect(page.body.data[0]).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: "test.ping",
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        data: { message: "2", channel: { id: "ch_1", name: "ops" } }
      })
      const rest = yield* callJson(`/api/v1/events?after=${page.body.next}`, { headers })
      expect(messages(rest.body.data)).toEqual(["4", "5"])
      const none = yield* callJson(`/api/v1/events?after=${rest.body.next}`, { headers })
      expect(none.body).toEqual({ data: [], next: rest.body.next, newest: rest.body.next })
      // Following from now on: the newest event, whatever the types, is the cursor after which nothing is missed.
      const now = (yield* callJson("/api/v1/events?limit=1&types=monitor.up", { headers })).body.newest
      yield* record(workspaceId, "6")
      expect(messages((yield* callJson(`/api/v1/events?after=${now}`, { headers })).body.data)).toEqual(["6"])
    }))

  it.effect("accepts exact types only", () =>
    Effect.gen(function*() {
      const { headers, workspaceId } = yield* newKey()
      yield* record(workspaceId, "1")
      expect((yield* callJson("/api/v1/events?types=monitor.up,%20test.ping", { headers })).body.data).toHaveLength(1)
      expect((yield* callJson("/api/v1/events?types=monitor.up", { headers })).body.data).toHaveLength(0)
      // As the stream reads them: blank entries name nothing, and none at all stands for all.
      for (const types of ["", ",", "test.ping,", "monitor.up,,test.ping"]) {
        const { body, status } = yield* callJson(`/api/v1/events?types=${types}`, { headers })
        expect([types, status, body.data?.length]).toEqual([types, 200, 1])
      }
      const wild = yield* callJson("/api/v1/events?types=monitor.*", { headers })
      expect([wild.status, wild.body.error.details]).toEqual([422, [
        { path: "types.0", message: "No wildcards here; name exact types (the stream takes prefixes)" }
      ]])
      const wrong = yield* callJson("/api/v1/events?types=monitor.up,monitor.dwn", { headers })
      expect([wrong.status, wrong.body.error.details]).toEqual([422, [
        { path: "types.1", message: "Unknown event type monitor.dwn; did you mean monitor.down?" }
      ]])
    }))

  it.effect("rejects a cursor that is not an event of the workspace", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const other = yield* newKey()
      const [theirs = ""] = yield* record(other.workspaceId, "secret")
      for (const after of ["nonsense", "evt_short", theirs]) {
        const { body, status } = yield* callJson(`/api/v1/events?after=${after}`, { headers })
        expect([after, status, body.error.message]).toEqual([after, 422, expect.stringMatching(/\bafter\b/)])
      }
      expect((yield* callJson("/api/v1/events", { headers })).body.data).toEqual([])
    }))
})
