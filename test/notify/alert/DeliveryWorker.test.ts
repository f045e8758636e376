import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Queue, TestClock } from "effect"
import { Verdict } from "../../../src/domain/alert/DeliveryVerdict.ts"
import { makeDeliveryWorker } from "../../../src/notify/alert/DeliveryWorker.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { Deliveries } from "../../../src/store/alert/Deliveries.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { answering, fanOut, ground, incidentCreated, loopback, newChannel, newWorkspace, receiver, rowsOf } from "./Receiver.ts"

/** A worker driven by the test: `ended` returns when one more attempt has ended. */
const drivenWorker = Effect.gen(function*() {
  const room = yield* Queue.unbounded<void>()
  const worker = yield* makeDeliveryWorker({ onRoom: Queue.offer(room, undefined), timeoutMs: 5000 })
  return { step: worker.step, ended: Queue.take(room) }
})

/** A channel at `url` with the only due delivery. */
const oneDue = Effect.fn("oneDue")(function*(url: string) {
  yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from deliveries`)
  const workspaceId = yield* newWorkspace
  const channel = yield* newChannel(workspaceId, url)
  const log = yield* EventLog
  const [eventId] = yield* log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }])
  yield* fanOut(100)
  return { workspaceId, channelId: channel.id, eventId }
})

const waits = [30, 120, 600, 1800, 3600, 10_800, 21_600].map((seconds) => Duration.seconds(seconds))

layer(ground(loopback))("a delivery", (it) => {
  it.scoped("is attempted eight times, exactly on schedule, and is then dead", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(answering(500))
      const { channelId, eventId } = yield* oneDue(url)
      const { ended, step } = yield* drivenWorker
      yield* step
      yield* ended
      for (const [index, wait] of waits.entries()) {
        yield* TestClock.adjust(Duration.subtract(wait, Duration.millis(1)))
        expect(Duration.toMillis(yield* step)).toBe(1)
        expect(seen.length).toBe(index + 1)
        yield* TestClock.adjust("1 millis")
        yield* step
        yield* ended
        expect(seen.length).toBe(index + 2)
      }
      expect(yield* rowsOf(channelId)).toMatchObject([
        { status: "dead", attempts: 8, last_error: "Answered 500 Internal Server Error; gave up after 8 attempts" }
      ])
      yield* TestClock.adjust("30 days")
      yield* step
      expect(seen.length).toBe(8)
      expect(new Set(seen.map(({ body }) => body)).size).toBe(1)
      expect(new Set(seen.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([eventId]))
      expect(new Set(seen.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(8)
      expect(new Set(seen.map(({ headers }) => headers["webhook-signature"])).size).toBe(8)
    }))

  it.scoped("that fails once is delivered by the next attempt", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver((response, count) => void response.writeHead(count === 1 ? 500 : 200).end())
      const { channelId } = yield* oneDue(url)
      const { ended, step } = yield* drivenWorker
      yield* step
      yield* ended
      expect(yield* rowsOf(channelId)).toMatchObject([{
        status: "due",
        attempts: 1,
        last_error: "Answered 500 Internal Server Error"
      }])
      yield* TestClock.adjust("30 seconds")
      yield* step
      yield* ended
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "delivered", attempts: 2, last_error: null }])
    }))

  it.scoped("is dead immediately when the receiver answers 410 Gone", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(answering(410))
      const { channelId } = yield* oneDue(url)
      const { ended, step } = yield* drivenWorker
      yield* step
      yield* ended
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "dead", attempts: 1, last_error: "Answered 410 Gone" }])
    }))

  it.scoped("waits as long as a busy receiver asks for", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(answering(429, { "retry-after": "300" }))
      const { channelId } = yield* oneDue(url)
      const { ended, step } = yield* drivenWorker
      yield* step
      yield* ended
      const in5Minutes = DateTime.toDateUtc(DateTime.add(yield* DateTime.now, { minutes: 5 }))
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "due", due_at: in5Minutes }])
    }))

  it.scoped("to a channel type that only a newer version supports waits for that version, and does not delay others", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(answering(200))
      const { channelId, workspaceId } = yield* oneDue(url)
      const sql = yield* SqlClient.SqlClient
      const { id: unknown } = yield* newChannel(workspaceId, url)
      yield* sql`
        insert into deliveries (id, workspace_id, event_id, channel_id, body, status, due_at, created_at)
        select 'dlv_of_an_unknown_kind', workspace_id, event_id, ${unknown}, body, status, due_at, created_at from deliveries`
      yield* sql`update channels set type = 'carrier_pigeon' where id = ${unknown}`
      const { ended, step } = yield* drivenWorker
      yield* step
      yield* ended
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "delivered", attempts: 1 }])
      expect(yield* rowsOf(unknown)).toMatchObject([{ status: "due", attempts: 0 }])
    }))

  it.scoped("whose worker was killed is taken over after its lease expires, and not before", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(answering(200))
      const { channelId } = yield* oneDue(url)
      const deliveries = yield* Deliveries
      yield* deliveries.claim({ now: yield* DateTime.now, limit: 10, perChannel: 5, holding: [] })
      const { ended, step } = yield* drivenWorker
      yield* TestClock.adjust("29 seconds")
      yield* step
      expect(seen.length).toBe(0)
      yield* TestClock.adjust("1 seconds")
      yield* step
      yield* ended
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "delivered", attempts: 1 }])
    }))

  it.scoped("is settled only by its latest holder", () =>
    Effect.gen(function*() {
      const { channelId } = yield* oneDue("http://127.0.0.1:1/")
      const deliveries = yield* Deliveries
      const take = Effect.flatMap(DateTime.now, (now) => deliveries.claim({ now, limit: 10, perChannel: 5, holding: [] }))
      const [paused] = yield* take
      yield* TestClock.adjust("30 seconds")
      const [latest] = yield* take
      if (paused === undefined || latest === undefined) return expect.unreachable()
      const now = yield* DateTime.now
      yield* deliveries.settle(paused, Verdict.Dead({ statusCode: null, error: "Too late" }), now)
      yield* deliveries.release([paused])
      expect(yield* take).toEqual([])
      yield* deliveries.settle(latest, Verdict.Delivered({ statusCode: 200 }), now)
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "delivered", attempts: 1 }])
    }))

  it.scoped("in flight at shutdown is due again immediately, for another worker", () =>
    Effect.gen(function*() {
      const { next, seen, url } = yield* receiver((response, count) => void (count > 1 && response.writeHead(200).end()))
      const { channelId } = yield* oneDue(url)
      yield* Effect.scoped(Effect.gen(function*() {
        const { step } = yield* drivenWorker
        yield* step
        yield* next
      }))
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "due", attempts: 0 }])
      const { ended, step } = yield* drivenWorker
      yield* step
      yield* ended
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "delivered", attempts: 1 }])
      expect(seen.map(({ body }) => body)[1]).toBe(seen[0]?.body)
    }))

  it.scoped("scheduled by a clock far ahead is attempted once the clock is right", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver((response, count) => void response.writeHead(count === 1 ? 500 : 200).end())
      const { channelId } = yield* oneDue(url)
      const { ended, step } = yield* drivenWorker
      const right = yield* DateTime.now
      yield* TestClock.adjust("365 days")
      yield* step
      yield* ended
      yield* TestClock.setTime(DateTime.toEpochMillis(right))
      yield* step
      yield* ended
      expect(seen.length).toBe(2)
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "delivered", attempts: 2 }])
    }))

  it.scoped("of a disabled channel is dead, and so are deliveries that became due since", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(answering(200))
      const { channelId, workspaceId } = yield* oneDue(url)
      yield* Effect.flatMap(ManageChannels, (manage) => manage.update(workspaceId, channelId, { enabled: false }))
      const { step } = yield* drivenWorker
      yield* step
      expect(seen.length).toBe(0)
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "dead", last_error: "The channel was disabled" }])
    }))

  it.scoped("survives an internal error, such as a secret that cannot be opened", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { url } = yield* receiver(answering(200))
      const { channelId } = yield* oneDue(url)
      yield* sql`update channels set sealed = 'bm90IHNlYWxlZA==' where id = ${channelId}`
      const { ended, step } = yield* drivenWorker
      yield* step
      yield* ended
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "due", attempts: 1 }])
    }))

  it.scoped("is deleted 30 days after its end, and not while it is due", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver((response, count) => void response.writeHead(count === 1 ? 200 : 500).end())
      const { channelId, workspaceId } = yield* oneDue(url)
      const deliveries = yield* Deliveries
      const { ended, step } = yield* drivenWorker
      yield* step
      yield* ended
      yield* TestClock.adjust("29 days")
      const log = yield* EventLog
      yield* log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }])
      yield* fanOut(100)
      yield* deliveries.prune()
      expect((yield* rowsOf(channelId)).map(({ status }) => status)).toEqual(["delivered", "due"])
      yield* TestClock.adjust("31 days")
      yield* deliveries.prune()
      expect((yield* rowsOf(channelId)).map(({ status }) => status)).toEqual(["due"])
    }))
})
