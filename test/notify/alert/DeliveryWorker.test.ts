import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer } from "effect"
import type { ServerResponse } from "node:http"
import { defaultDeliveryLimits } from "../../../src/domain/alert/DeliveryLimits.ts"
import { DeliveryVerdict } from "../../../src/domain/alert/DeliveryVerdict.ts"
import { ChannelAddresses, publicAddresses } from "../../../src/notify/alert/ChannelAddresses.ts"
import { makeDeliveryWorker } from "../../../src/notify/alert/DeliveryWorker.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { Deliveries } from "../../../src/store/alert/Deliveries.ts"
import { DeliveryQueues } from "../../../src/store/alert/DeliveryQueues.ts"
import { DeliveryResults, Postponed } from "../../../src/store/alert/DeliveryResults.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { Tracing } from "../../../src/telemetry/Tracing.ts"
import { holding } from "../../support/database/LockedWorkspace.ts"
import { makeManualClock, type ManualClock } from "../../support/time/ManualClock.ts"
import { skewedClock } from "../../support/time/SkewedClock.ts"
import { until } from "../../support/time/Until.ts"
import { answering, fanOut, ground, incidentCreated, loopback, newChannel, newWorkspace, receiver, rowsOf } from "./Receiver.ts"

/** The database's clock, set by the test. */
let time = DateTime.unsafeMake("2026-11-20T12:00:00Z")
const pass = (duration: Duration.DurationInput) =>
  Effect.sync(() => {
    time = DateTime.addDuration(time, duration)
  })
const testClock = Layer.succeed(
  DatabaseClock,
  DatabaseClock.make({ now: Effect.sync(() => time), estimate: () => time.epochMillis, isDoubtful: () => false })
)

/** A worker driven by the test: `ended` returns when it has given all queues back. */
const drivenWorker = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const worker = yield* makeDeliveryWorker({
    limits: defaultDeliveryLimits,
    share: () => 1,
    wake: Effect.void,
    timeoutMs: 5000
  })
  const held = sql`
    select from delivery_queues q join channels c on c.id = q.channel_id where q.held_until is not null and c.type = 'webhook'`
  return { step: worker.step, ended: until(held, (rows) => rows.length === 0) }
})

const claim = Effect.flatMap(
  DeliveryQueues,
  (queues) => Effect.suspend(() => queues.claim({ lane: "first", now: time, room: 10, perWorkspace: 10, except: [] }))
)

/** A channel at `url` with the only due delivery. */
const oneDue = Effect.fn("oneDue")(function*(url: string) {
  yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from channels`)
  const workspaceId = yield* newWorkspace
  const channel = yield* newChannel(workspaceId, url)
  const log = yield* EventLog
  const [eventId] = yield* log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }])
  yield* fanOut(100)
  return { workspaceId, channelId: channel.id, eventId }
})

const waits = [30, 120, 600, 1800, 3600, 10_800, 21_600].map((seconds) => Duration.seconds(seconds))

layer(ground(loopback, testClock), { excludeTestServices: true })("a delivery", (it) => {
  it.scoped("is attempted eight times, exactly on schedule, and is then dead", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(answering(500))
      const { channelId, eventId } = yield* oneDue(url)
      const { ended, step } = yield* drivenWorker
      yield* step
      yield* ended
      for (const [index, wait] of waits.entries()) {
        yield* pass(Duration.subtract(wait, Duration.millis(1)))
        yield* step
        expect(seen.length).toBe(index + 1)
        yield* pass("1 millis")
        yield* step
        yield* ended
        expect(seen.length).toBe(index + 2)
      }
      expect(yield* rowsOf(channelId)).toMatchObject([
        { status: "dead", attempts: 8, last_error: "Answered 500 Internal Server Error; gave up after 8 attempts" }
      ])
      yield* pass("30 days")
      yield* step
      expect(seen.length).toBe(8)
      expect(new Set(seen.map(({ body }) => body)).size).toBe(1)
      expect(new Set(seen.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([eventId]))
    }))

  it.scoped("that is retried has a fresh timestamp and signature each time", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(answering(500))
      yield* oneDue(url)
      let ahead = 0
      const { ended, step } = yield* Effect.withClock(drivenWorker, skewedClock({ wall: () => ahead }))
      yield* step
      yield* ended
      ahead = 30_000
      yield* pass("30 seconds")
      yield* Effect.withClock(step, skewedClock({ wall: () => ahead }))
      yield* ended
      expect(new Set(seen.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(2)
      expect(new Set(seen.map(({ headers }) => headers["webhook-signature"])).size).toBe(2)
    }))

  it.scoped("whose attempt has an internal error beside sending fails, frees its slot, and is tried again", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(answering(200))
      const { channelId } = yield* oneDue(url)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update deliveries set traceparent = ${`00-${"1".repeat(32)}-${"2".repeat(16)}-01`}`
      let isBroken = true
      const { ended, step } = yield* Effect.provideService(drivenWorker, Tracing, {
        begin: () => {
          if (isBroken) throw new Error("broken")
          return null
        }
      })
      yield* step
      yield* ended
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "due", attempts: 1 }])
      isBroken = false
      yield* pass("30 seconds")
      yield* step
      yield* ended
      expect(seen.length).toBe(1)
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
      yield* pass("30 seconds")
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
      const in5Minutes = DateTime.toDateUtc(DateTime.add(time, { minutes: 5 }))
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
      expect((yield* claim).map(({ deliveries }) => deliveries.length)).toEqual([1])
      const { ended, step } = yield* drivenWorker
      yield* pass("29 seconds")
      yield* step
      expect(seen.length).toBe(0)
      yield* pass("1 seconds")
      yield* step
      yield* ended
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "delivered", attempts: 1 }])
    }))

  it.scoped("is settled only by its latest holder", () =>
    Effect.gen(function*() {
      const { channelId } = yield* oneDue("http://127.0.0.1:1/")
      const results = yield* DeliveryResults
      const take = Effect.map(claim, ([claimed]) => claimed?.deliveries[0])
      const paused = yield* take
      yield* pass("30 seconds")
      const latest = yield* take
      if (paused === undefined || latest === undefined) return expect.unreachable()
      const tooLate = DeliveryVerdict.Dead({ statusCode: null, error: "Too late" })
      yield* results.settle([{ delivery: paused, outcome: tooLate }], [{ ...paused, slow: null }], time, 10_000)
      yield* results.settle([{ delivery: paused, outcome: Postponed({ at: time }) }], [{ ...paused, slow: null }], time, 10_000)
      expect(yield* claim).toEqual([])
      yield* results.settle([{ delivery: latest, outcome: DeliveryVerdict.Delivered({ statusCode: 200 }) }], [], time, 10_000)
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "delivered", attempts: 1 }])
    }))

  it.scoped("that has arrived counts as delivered, even if another worker holds it by then", () =>
    Effect.gen(function*() {
      const { channelId } = yield* oneDue("http://127.0.0.1:1/")
      const results = yield* DeliveryResults
      const take = Effect.map(claim, ([claimed]) => claimed?.deliveries[0])
      const paused = yield* take
      yield* pass("30 seconds")
      const latest = yield* take
      if (paused === undefined || latest === undefined) return expect.unreachable()
      yield* results.settle(
        [
          { delivery: latest, outcome: Postponed({ at: time }) },
          { delivery: paused, outcome: DeliveryVerdict.Delivered({ statusCode: 200 }) }
        ],
        [],
        time,
        10_000
      )
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "delivered", attempts: 1 }])
      yield* results.settle(
        [{ delivery: latest, outcome: DeliveryVerdict.Dead({ statusCode: 500, error: "No" }) }],
        [],
        time,
        10_000
      )
      expect(yield* rowsOf(channelId)).toMatchObject([{ status: "delivered", attempts: 1 }])
    }))

  it.scoped("is not started again by a process that stood still until its lease ended", () =>
    Effect.gen(function*() {
      const unanswered: Array<ServerResponse> = []
      const { next, seen, url } = yield* receiver((response) => void unanswered.push(response))
      const { channelId } = yield* oneDue(url)
      const { ended, step } = yield* drivenWorker
      yield* step
      yield* next
      yield* pass("31 seconds")
      yield* step
      yield* Effect.sync(() => unanswered.forEach((response) => response.end()))
      yield* until(rowsOf(channelId), ([row]) => row?.status === "delivered")
      yield* ended
      expect([seen.length, yield* rowsOf(channelId)]).toMatchObject([1, [{ attempts: 1 }]])
    }))

  it.scoped("keeps its lease while its attempt lasts", () =>
    Effect.gen(function*() {
      yield* oneDue("http://127.0.0.1:1/")
      const queues = yield* DeliveryQueues
      const [claimed] = yield* claim
      if (claimed === undefined) return expect.unreachable()
      const held = { channelId: claimed.channelId, heldUntil: claimed.heldUntil }
      yield* pass("20 seconds")
      yield* queues.renew([held])
      yield* pass("20 seconds")
      expect(yield* claim).toEqual([])
      yield* pass("11 seconds")
      expect((yield* claim).length).toBe(1)
      const lost = { ...held }
      yield* queues.renew([lost])
      expect(lost).toEqual(held)
    }))

  it.scoped("that finds its target gone is shown by the channel, until something arrives or the channel is changed", () =>
    Effect.gen(function*() {
      let status = 410
      const { url } = yield* receiver((response) => void response.writeHead(status).end())
      const { channelId, workspaceId } = yield* oneDue(url)
      const { list, test, update } = yield* ManageChannels
      const problem = Effect.map(list(workspaceId), ([channel]) => channel?.problem ?? null)
      expect(yield* problem).toBe(null)
      const { ended, step } = yield* drivenWorker
      yield* step
      yield* ended
      expect(yield* until(problem, (found) => found !== null)).toEqual({ message: "Answered 410 Gone", since: time })
      yield* update(workspaceId, channelId, { name: "Renamed" })
      expect((yield* problem)?.message).toBe("Answered 410 Gone")
      status = 200
      expect((yield* test(workspaceId, channelId)).delivered).toBe(true)
      expect(yield* problem).toBe(null)
      status = 410
      yield* test(workspaceId, channelId)
      expect((yield* problem)?.message).toBe("Answered 410 Gone")
      yield* update(workspaceId, channelId, { url: `${url}/new` })
      expect(yield* problem).toBe(null)
    }))

  it.scoped("to a Telegram group that became a supergroup stores its new id, and the delivery says so", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver((response, _, { body }) => {
        const { chat_id: chat } = JSON.parse(body)
        if (chat === "-1009") return void response.end("{\"ok\":true}")
        const refusal = {
          ok: false,
          description: "Bad Request: group chat was upgraded",
          parameters: { migrate_to_chat_id: -1009 }
        }
        return void response.writeHead(400).end(JSON.stringify(refusal))
      })
      const workspaceId = yield* newWorkspace
      const addresses = Layer.succeed(ChannelAddresses, { ...publicAddresses, telegram: new URL(url).origin })
      const manage = yield* Effect.provide(ManageChannels, Layer.provide(Layer.fresh(ManageChannels.Default), addresses))
      const { id } = yield* manage.create(workspaceId, { name: "Team", type: "telegram", botToken: "123:good", chatId: "-100" })
      for (const _ of [1, 2]) expect((yield* manage.test(workspaceId, id)).delivered).toBe(true)
      expect(seen.map(({ body }) => JSON.parse(body).chat_id)).toEqual(["-100", "-1009", "-1009"])
      expect(yield* manage.list(workspaceId)).toMatchObject([{ chatId: "-1009" }])
      const notes = Effect.map(rowsOf(id), (rows) => rows.flatMap(({ last_error: note }) => note ?? []))
      expect(yield* notes).toEqual(["Telegram turned the group into a supergroup; chatId is now -1009"])
    }))

  it.scoped("whose workspace somebody has locked delays no result of others, and is written once it is free", () =>
    Effect.gen(function*() {
      const unanswered: Array<ServerResponse> = []
      const { next, seen, url } = yield* receiver((response) => void unanswered.push(response))
      const { channelId: other } = yield* oneDue(url)
      const workspaceId = yield* newWorkspace
      const { id: locked } = yield* newChannel(workspaceId, url)
      const log = yield* EventLog
      yield* log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }])
      yield* fanOut(100)
      const { ended, step } = yield* drivenWorker
      yield* step
      yield* Effect.zip(next, next)
      const release = yield* holding((sql) => sql`select 1 from delivery_queues where channel_id = ${locked} for update`)
      for (const response of unanswered) response.writeHead(200).end()
      yield* until(rowsOf(other), ([row]) => row?.["status"] === "delivered", "5 seconds")
      expect(yield* rowsOf(locked)).toMatchObject([{ status: "due", attempts: 0 }])
      yield* release
      yield* ended
      expect(yield* rowsOf(locked)).toMatchObject([{ status: "delivered", attempts: 1 }])
      expect(seen.length).toBe(2)
    }))

  it.scoped("whose result waits for a lock is written at shutdown once that is free, although nothing else is in flight", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(answering(200))
      const { channelId } = yield* oneDue(url)
      const sql = yield* SqlClient.SqlClient
      const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      yield* Effect.scoped(Effect.gen(function*() {
        const { step } = yield* drivenWorker
        // The claim reads the delivery and locks only its queue.
        const release = yield* holding((sql) => sql`select 1 from deliveries where channel_id = ${channelId} for update`)
        yield* step
        // The first tries have ended without the lock, and the next one comes after a second.
        yield* until(waiting, (rows) => rows.length > 0)
        yield* until(waiting, (rows) => rows.length === 0)
        yield* release
      }))
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

  it.scoped("scheduled while the database's clock was far ahead is attempted once that clock is right", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver((response, count) => void response.writeHead(count === 1 ? 500 : 200).end())
      const { ended, step } = yield* drivenWorker
      const right = time
      yield* pass("365 days")
      const { channelId } = yield* oneDue(url)
      yield* step
      yield* ended
      time = right
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
      yield* pass("29 days")
      const log = yield* EventLog
      yield* log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }])
      yield* fanOut(100)
      yield* deliveries.prune(time)
      expect((yield* rowsOf(channelId)).map(({ status }) => status)).toEqual(["delivered", "due"])
      yield* pass("31 days")
      yield* deliveries.prune(time)
      expect((yield* rowsOf(channelId)).map(({ status }) => status)).toEqual(["due"])
    }))
})

layer(ground(loopback, testClock), { excludeTestServices: true })("workers", (it) => {
  /** So many workers with equal shares, at a pace that the test sets. */
  const workers = (count: number, hostRate: number, manual: ManualClock, workspacePercent = 10) => {
    const limits = { concurrency: 400, workspacePercent, hostRate }
    return Effect.replicateEffect(
      makeDeliveryWorker({ limits, share: () => 1 / count, wake: Effect.void, timeoutMs: 10_000 }),
      count
    ).pipe(Effect.withClock(manual.clock))
  }

  it.scoped("begin together no more deliveries a second at one host than its limit", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(() => {})
      const workspaceId = yield* newWorkspace
      yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index),
        (index) => newChannel(workspaceId, `${url}/${index}`)
      )
      const log = yield* EventLog
      yield* log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }])
      yield* fanOut(100)
      const manual = makeManualClock(0)
      const both = yield* workers(2, 10, manual)
      yield* Effect.withClock(Effect.forEach(both, ({ step }) => step), manual.clock)
      for (const begun of [10, 20, 30, 40]) {
        yield* until(Effect.sync(() => seen.length), (count) => count >= begun)
        expect(seen.length).toBe(begun)
        yield* manual.pass(1)
      }
    }))

  it.scoped("that hold a full line for a host attempt a quiet workspace's alert next, and postpone one of those that fill it", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(answering(200))
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from channels`
      const log = yield* EventLog
      const alert = Effect.fnUntraced(function*(channels: ReadonlyArray<string>) {
        const workspaceId = yield* newWorkspace
        yield* Effect.forEach(channels, (path) => newChannel(workspaceId, `${url}/${path}`))
        yield* log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }])
        yield* fanOut(100)
        return workspaceId
      })
      const manual = makeManualClock(0)
      const [worker] = yield* workers(1, 2, manual, 50)
      const step = Effect.withClock(worker!.step, manual.clock)
      const storm = yield* alert(Array.from({ length: 40 }, (_, index) => `storm-${index}`))
      yield* step
      yield* alert(["quiet"])
      yield* step
      yield* manual.pass(1)
      yield* until(Effect.sync(() => seen.length), (count) => count >= 4)
      expect(seen.slice(0, 4).map(({ path }) => path)).toContain("/hook/quiet")
      // Two of the 40 began, 24 waited for what the host takes in 12 seconds, and one of these gave way.
      const postponed = sql`
        select from deliveries
        where workspace_id = ${storm} and status = 'due' and attempts = 0 and due_at > ${DateTime.toDateUtc(time)}`
      yield* until(postponed, (rows) => rows.length === 15)
    }))

  it.scoped("leave the deliveries to the one that has a share", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(answering(200))
      yield* oneDue(url)
      const without = yield* makeDeliveryWorker({
        limits: defaultDeliveryLimits,
        share: () => 0,
        wake: Effect.void,
        timeoutMs: 5000
      })
      yield* without.step
      expect((yield* claim).length).toBe(1)
      expect(seen.length).toBe(0)
    }))
})
