/** The live stream, through real connections. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, Fiber, Option, Stream } from "effect"
import { ChannelId, CheckId, EventId, UserId, type WorkspaceId } from "../../schema/Ids.ts"
import { cookieName } from "../../src/http/guard/SessionCookie.ts"
import { Keys } from "../../src/store/access/Keys.ts"
import { EventLog, eventsSignal } from "../../src/store/event/EventLog.ts"
import { mint } from "../../src/store/Mint.ts"
import { Sessions } from "../../src/store/people/Sessions.ts"
import { Signals } from "../../src/store/postgres/Signals.ts"
import { call, callJson, type Json, newKey, testBaseUrl, TestServer } from "../support/program/TestServer.ts"
import { until } from "../support/time/Until.ts"

const record = (workspaceId: WorkspaceId, ...messages: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const log = yield* EventLog
    const channel = { id: ChannelId.make("ch_1"), name: "ops" }
    return yield* sql.withTransaction(
      log.append(workspaceId, messages.map((message) => ({ type: "test.ping", data: { message, channel } }) as const))
    )
  })

interface Frame {
  readonly id: string | undefined
  readonly data: Json
}

const parse = (frame: string): Frame => {
  const field = (name: string) => frame.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  return { id: field("id"), data: JSON.parse(field("data") ?? "null") }
}

/** The data frames of a stream that has been opened. */
const open = Effect.fn("open")(function*(path: string, headers: Record<string, string>) {
  const controller = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (one) => Effect.sync(() => one.abort())
  )
  const response = yield* call(path, { headers, signal: controller.signal })
  expect(response.headers.get("content-type")).toContain("text/event-stream")
  const body = response.body
  if (body === null) return yield* Effect.dieMessage("no body")
  return Stream.fromReadableStream(() => body, (cause) => cause).pipe(
    Stream.decodeText(),
    Stream.mapAccum("", (rest, text) => {
      const parts = (rest + text).split("\n\n")
      return [parts.pop() ?? "", parts]
    }),
    Stream.flattenIterables,
    Stream.filter((frame) => frame.includes("data: ")),
    Stream.map(parse)
  )
})

const take = <E>(frames: Stream.Stream<Frame, E>, count: number) =>
  Effect.map(Stream.runCollect(Stream.take(frames, count)), (chunk) => [...chunk])

const messages = (frames: ReadonlyArray<Frame>) => frames.map(({ data }) => data.data.message)

layer(TestServer, { excludeTestServices: true })("the live stream", (it) => {
  it.scoped("sends each event as it is committed, in the form of list_events, and none from before", () =>
    Effect.gen(function*() {
      const { headers, workspaceId } = yield* newKey()
      yield* record(workspaceId, "old")
      const stream = yield* open("/api/v1/stream", headers)
      const ids = yield* record(workspaceId, "1", "2")
      const frames = yield* take(stream, 2)
      expect(frames.map(({ id }) => id)).toEqual(ids)
      const polled = yield* callJson("/api/v1/events?limit=2", { headers })
      expect(frames.map(({ data }) => data).reverse()).toEqual(polled.body.data)
    }))

  it.scoped("continues after the given id, by query or Last-Event-ID, with nothing lost or duplicated", () =>
    Effect.gen(function*() {
      const { headers, workspaceId } = yield* newKey()
      const ids = yield* record(workspaceId, ...Array.from({ length: 450 }, (_, i) => String(i)))
      const byQuery = yield* open(`/api/v1/stream?after=${ids[0]}`, headers)
      expect(messages(yield* take(byQuery, 449))).toEqual(Array.from({ length: 449 }, (_, i) => String(i + 1)))
      const byHeader = yield* open(`/api/v1/stream?after=${ids[0]}`, { ...headers, "last-event-id": ids[447] ?? "" })
      expect(messages(yield* take(byHeader, 2))).toEqual(["448", "449"])
    }))

  it.scoped("loses and duplicates nothing over reconnections while many transactions commit events", () =>
    Effect.gen(function*() {
      const { headers, workspaceId } = yield* newKey()
      const [start = ""] = yield* record(workspaceId, "start")
      const total = 120
      yield* Effect.forEach(Array.from({ length: total }, (_, i) => String(i)), (message) => record(workspaceId, message), {
        concurrency: 4,
        discard: true
      }).pipe(Effect.fork)
      const seen: Array<string> = []
      let last = start
      while (seen.length < total) {
        const stream = yield* open("/api/v1/stream", { ...headers, "last-event-id": last })
        const frames = yield* take(stream, Math.min(17, total - seen.length))
        seen.push(...frames.map(({ id = "" }) => id))
        last = seen.at(-1) ?? last
      }
      const polled = yield* callJson(`/api/v1/events?after=${start}&limit=500`, { headers })
      expect(seen).toEqual(polled.body.data.map(({ id }: Json) => id))
    }))

  /** The first frame of a stream, as text. */
  const opening = Effect.fn("opening")(function*(path: string, headers: Record<string, string>) {
    const controller = new AbortController()
    const { body } = yield* call(path, { headers, signal: controller.signal })
    const first = yield* Effect.promise(async () => new TextDecoder().decode((await body?.getReader().read())?.value))
    controller.abort()
    return first
  })

  it.scoped("begins with the id to resume from, so that nothing is lost before the first event", () =>
    Effect.gen(function*() {
      const { headers, workspaceId } = yield* newKey()
      const first = yield* opening("/api/v1/stream", headers)
      const nothingYet = /^id: (evt_\w{26})$/m.exec(first)?.[1] ?? ""
      const ids = yield* record(workspaceId, "1", "2")
      const resumed = yield* open("/api/v1/stream", { ...headers, "last-event-id": nothingYet })
      expect(messages(yield* take(resumed, 2))).toEqual(["1", "2"])
      expect(yield* opening("/api/v1/stream", headers)).toContain(`id: ${ids[1]}\n\n`)
      expect(yield* opening(`/api/v1/stream?after=${ids[0]}`, headers)).toContain(`id: ${ids[0]}\n\n`)
    }))

  describe("opened with a token", () => {
    const newToken = (headers: Record<string, string>) =>
      Effect.map(callJson("/api/v1/stream-tokens", { method: "POST", headers }), ({ body, status }) => {
        expect(status).toBe(201)
        return encodeURIComponent(body.token)
      })

    it.scoped("sends the events of its key's workspace and opens nothing else; a changed token is refused", () =>
      Effect.gen(function*() {
        const { headers, workspaceId } = yield* newKey()
        const token = yield* newToken(headers)
        const stream = yield* open(`/api/v1/stream?token=${token}`, {})
        yield* record(workspaceId, "1")
        expect(messages(yield* take(stream, 1))).toEqual(["1"])
        // In the middle: the last character of base64 has bits that mean nothing.
        const middle = Math.floor(token.length / 2)
        const changed = `${token.slice(0, middle)}${token[middle] === "A" ? "B" : "A"}${token.slice(middle + 1)}`
        expect((yield* callJson(`/api/v1/stream?token=${changed}`)).status).toBe(401)
        expect((yield* callJson("/api/v1/events", { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
      }))

    it.scoped("ends with its key, and then opens no stream", () =>
      Effect.gen(function*() {
        const { headers, keyId, workspaceId } = yield* newKey()
        const keys = yield* Keys
        const token = yield* newToken(headers)
        const response = yield* call(`/api/v1/stream?token=${token}`)
        const ended = yield* Effect.fork(Effect.promise(() => response.text()))
        yield* keys.revoke(workspaceId, keyId)
        expect(yield* Fiber.join(ended)).toContain("retry:")
        expect((yield* callJson(`/api/v1/stream?token=${token}`)).status).toBe(401)
      }))

    it.scoped("is refused where the key may not read events", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body: helper } = yield* callJson("/api/v1/api-keys", {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify({ name: "helper", operations: ["create_stream_token"], expiresInMinutes: 60 })
        })
        const token = yield* newToken({ authorization: `Bearer ${helper.secret}` })
        const { body, status } = yield* callJson(`/api/v1/stream?token=${token}`)
        expect([status, body.error.code]).toEqual([403, "forbidden"])
      }))
  })

  it.scoped("sends only the requested types", () =>
    Effect.gen(function*() {
      const { headers, workspaceId } = yield* newKey()
      const sql = yield* SqlClient.SqlClient
      const pings = yield* open("/api/v1/stream?types=monitor.down,test.*", headers)
      const monitors = yield* open("/api/v1/stream?types=monitor.*", headers)
      const [ping] = yield* record(workspaceId, "1")
      const later = EventId.make("evt_7zzzzzzzzzzzzzzzzzzzzzzzzz")
      yield* sql`insert into events (workspace_id, id, type, at, data) values (${workspaceId}, ${later}, 'monitor.up', now(), '{}')`
      yield* sql`select pg_notify(${eventsSignal}, ${workspaceId})`
      expect((yield* take(pings, 1)).map(({ id }) => id)).toEqual([ping])
      expect((yield* take(monitors, 1)).map(({ id }) => id)).toEqual([later])
    }))

  it.scoped("never sends a workspace another's events", () =>
    Effect.gen(function*() {
      const mine = yield* newKey()
      const other = yield* newKey()
      const stream = yield* open("/api/v1/stream", mine.headers)
      yield* record(other.workspaceId, "secret")
      yield* record(mine.workspaceId, "mine")
      expect(messages(yield* take(stream, 1))).toEqual(["mine"])
    }))

  describe("of finished checks", () => {
    const check = (workspaceId: WorkspaceId) =>
      JSON.stringify({
        workspaceId,
        monitorId: "mon_1",
        check: {
          _id: CheckId.make("chk_1"),
          at: "2026-11-20T08:00:00.000Z",
          outcome: "up",
          statusCode: 200,
          latencyMs: 12,
          error: null,
          cause: null,
          region: "main",
          hasEvidence: false
        }
      })

    it.scoped("sends frames without an id to clients that request them, and marks the workspace as watched meanwhile", () =>
      Effect.gen(function*() {
        const { headers, workspaceId } = yield* newKey()
        const sql = yield* SqlClient.SqlClient
        const signals = yield* Signals
        const watching = sql<{ left: number }>`
          select extract(epoch from until - now())::float8 as left from live_watchers where workspace_id = ${workspaceId}`
        yield* Effect.gen(function*() {
          const quiet = yield* open("/api/v1/stream", headers)
          expect(yield* watching).toEqual([])
          const stream = yield* open("/api/v1/stream?checks=1", headers)
          expect((yield* watching)[0]?.left).toBeGreaterThan(5)
          yield* signals.send("belltower_checks", check(workspaceId))
          const [frame] = yield* take(stream, 1)
          expect(frame).toEqual({
            id: undefined,
            data: {
              type: "check.completed",
              at: "2026-11-20T08:00:00.000Z",
              data: { monitorId: "mon_1", check: expect.objectContaining({ _id: "chk_1", outcome: "up" }) }
            }
          })
          yield* record(workspaceId, "1")
          expect(messages(yield* take(quiet, 1))).toEqual(["1"])
        }).pipe(Effect.scoped)
        yield* until(watching, (rows) => rows.length === 0)
      }))
  })

  it.scoped("ends when its session or membership ends, and not when another person's does", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const sessions = yield* Sessions
      const { workspaceId } = yield* newKey()
      const enter = Effect.fn("enter")(function*(role: string) {
        const userId = yield* mint("usr", UserId)
        yield* sql`insert into users (id, email, created_at, updated_at) values (${userId}, ${`${userId}@example.com`}, now(), now())`
        yield* sql`insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${userId}, ${role}, now())`
        const { id, token } = yield* sessions.create({ userId, via: "link", ip: null, userAgent: null }, false)
        const response = yield* call("/api/v1/stream", { headers: { cookie: `${cookieName(testBaseUrl)}=${token}` } })
        expect(response.status).toBe(200)
        return { id, userId, ended: yield* Effect.forkScoped(Effect.promise(() => response.text())) }
      })
      const one = yield* enter("viewer")
      const two = yield* enter("member")
      const stays = yield* enter("owner")
      yield* sessions.end(one.userId, one.id)
      expect(yield* Fiber.join(one.ended)).toContain("retry:")
      yield* sql`update memberships set role = 'viewer' where user_id = ${two.userId}`
      yield* sql`delete from memberships where user_id = ${two.userId}`
      expect(yield* Fiber.join(two.ended)).toContain("retry:")
      expect(yield* Fiber.poll(stays.ended)).toEqual(Option.none())
    }))

  it.effect("is rejected in the envelope, before it begins", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const other = yield* newKey()
      const [theirs = ""] = yield* record(other.workspaceId, "1")
      expect((yield* callJson("/api/v1/stream")).status).toBe(401)
      for (
        const [query, path] of [
          ["after=nonsense", "after"],
          [`after=${theirs}`, "after"],
          ["types=monitor.*,wrong.type", "types"],
          ["checks=perhaps", "checks"]
        ]
      ) {
        const { body, status } = yield* callJson(`/api/v1/stream?${query}`, { headers })
        expect([query, status, body.error.message]).toEqual([query, 422, expect.stringMatching(new RegExp(`\\b${path}\\b`))])
      }
    }))
})
