/** Live streams share their reads, keep their place while they catch up, and are limited in number over all processes. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { RateLimited } from "../../../schema/Errors.ts"
import { ApiKeyId, ChannelId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { Follower } from "../../../src/operations/event/Follower.ts"
import { Next } from "../../../src/operations/event/Follower.ts"
import { FollowEvents } from "../../../src/operations/event/FollowEvents.ts"
import { StreamSettings, StreamSlots } from "../../../src/operations/event/StreamSlots.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { Wakeups } from "../../../src/store/postgres/Wakeups.ts"
import { newWorkspace } from "../../pages/Fixtures.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { until } from "../../support/time/Until.ts"

/** The reads of events so far, by workspace. */
const reads = new Map<string, number>()

/** The real log, which counts its reads. */
const countedLog = Layer.effect(
  EventLog,
  Effect.map(EventLog, (log) =>
    EventLog.make({
      ...log,
      after: (workspaceId, cursor, types, limit) =>
        Effect.suspend(() => {
          reads.set(workspaceId, (reads.get(workspaceId) ?? 0) + 1)
          return log.after(workspaceId, cursor, types, limit)
        })
    }))
).pipe(Layer.provide(EventLog.Default))

const caps = { key: 3, workspace: 4, address: 5 }

/** Any number of streams; the limits have tests of their own. */
const unlimited = Layer.succeed(StreamSlots, StreamSlots.make({ take: () => Effect.void }))

const following = FollowEvents.Default.pipe(
  Layer.provide(unlimited),
  Layer.provide(Wakeups.Default),
  Layer.provideMerge(countedLog),
  Layer.provideMerge(TestDatabase)
)

const limited = StreamSlots.Default.pipe(Layer.provide(Layer.succeed(StreamSettings, caps)))

const callerOf = (workspaceId: WorkspaceId, key = "key_1"): Caller => ({
  workspaceId,
  principal: { _tag: "Key", keyId: ApiKeyId.make(key) },
  scopes: ["read"],
  role: "viewer",
  operations: null
})

const fromNow = { types: null, after: Option.none(), checks: false }

const record = (workspaceId: WorkspaceId, count: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const log = yield* EventLog
    const data = { message: "hello", channel: { id: ChannelId.make("ch_1"), name: "ops" } }
    return yield* sql.withTransaction(
      log.append(workspaceId, Array.from({ length: count }, () => ({ type: "test.ping", data }) as const))
    )
  })

/** The ids of the next events, as many as wanted. */
const take = (follower: Follower, count: number) =>
  Effect.gen(function*() {
    const ids: Array<string> = []
    while (ids.length < count) {
      const next = yield* follower.next(10_000)
      if (!Next.$is("News")(next)) return yield* Effect.dieMessage(`The stream ended as ${next._tag}`)
      ids.push(...next.events.map(({ id }) => id))
    }
    return ids
  })

layer(following, { excludeTestServices: true })("Live streams", (it) => {
  it.scoped("of one workspace share one read for each wake-up, however many they are", () =>
    Effect.gen(function*() {
      const following = yield* FollowEvents
      const workspaceId = yield* newWorkspace()
      const caller = callerOf(workspaceId)
      const began = yield* Clock.currentTimeMillis
      const followers = yield* Effect.forEach(
        Array.from({ length: 1_500 }),
        () => following.follow(caller, "192.0.2.1", fromNow),
        { concurrency: 8 }
      )
      // The feed's first read, which finds nothing.
      yield* until(Effect.sync(() => reads.get(workspaceId)), (count) => count === 1)
      for (const round of [1, 2, 3]) {
        const waiting = yield* Effect.fork(Effect.forEach(followers, (one) => take(one, 5), { concurrency: "unbounded" }))
        const ids = yield* record(workspaceId, 5)
        expect(new Set((yield* Fiber.join(waiting)).map(String))).toEqual(new Set([String(ids)]))
        // The feed also polls every 5 s, which a slow machine may meet.
        const polls = Math.floor(((yield* Clock.currentTimeMillis) - began) / 5000)
        const read = reads.get(workspaceId) ?? 0
        expect(read).toBeGreaterThan(round)
        expect(read).toBeLessThanOrEqual(1 + round + polls)
      }
    }))

  it.scoped("that start far back catch up page by page, then join the others, with nothing lost or duplicated", () =>
    Effect.gen(function*() {
      const following = yield* FollowEvents
      const workspaceId = yield* newWorkspace()
      const [first = "", ...rest] = yield* record(workspaceId, 451)
      const after = Option.some({ id: first, field: "after" })
      const late = yield* following.follow(callerOf(workspaceId), "192.0.2.1", { ...fromNow, after })
      const caughtUp = yield* take(late, 450)
      expect(caughtUp).toEqual(rest)
      // 450 events in pages of 100.
      expect(reads.get(workspaceId)).toBeLessThanOrEqual(7)
      const newer = yield* record(workspaceId, 3)
      expect(yield* take(late, 3)).toEqual(newer)
    }))

  it.scoped("skip the types that they do not want, and still move on", () =>
    Effect.gen(function*() {
      const following = yield* FollowEvents
      const workspaceId = yield* newWorkspace()
      const other = yield* following.follow(callerOf(workspaceId), "192.0.2.1", { ...fromNow, types: ["monitor.down"] })
      const all = yield* following.follow(callerOf(workspaceId), "192.0.2.1", fromNow)
      // More than the feed keeps: a stream that stood still would be cut off.
      for (let round = 0; round < 3; round++) {
        yield* record(workspaceId, 500)
        yield* take(all, 500)
        const next = yield* other.next(0)
        expect(next).toEqual(Next.News({ events: [], checks: [] }))
      }
    }))
})

layer(limited.pipe(Layer.provideMerge(TestDatabase)), { excludeTestServices: true })(
  "The number of streams",
  (it) => {
    const open = (slots: StreamSlots, workspaceId: WorkspaceId, key: string, address: string) =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        yield* slots.take(callerOf(workspaceId, key), address).pipe(Scope.extend(scope))
        return scope
      })

    it.scoped("is limited per key, per workspace and per address, and a closed stream gives its place back", () =>
      Effect.gen(function*() {
        const slots = yield* StreamSlots
        const workspaceId = yield* newWorkspace()
        const [scope] = yield* Effect.forEach(["a", "b", "c"], (address) => open(slots, workspaceId, "key_1", address))
        const refused = yield* Effect.flip(open(slots, workspaceId, "key_1", "d"))
        expect(refused).toBeInstanceOf(RateLimited)
        expect(refused.message).toBe("At most 3 streams at a time for one key or person")
        yield* open(slots, workspaceId, "key_2", "d")
        expect((yield* Effect.flip(open(slots, workspaceId, "key_2", "e"))).message)
          .toBe("At most 4 streams at a time for one workspace")
        if (scope !== undefined) yield* Scope.close(scope, Exit.void)
        yield* open(slots, workspaceId, "key_2", "e")
        // Streams without a key count against their address.
        for (let stream = 0; stream < 5; stream++) yield* slots.take(null, "192.0.2.9")
        expect((yield* Effect.flip(slots.take(null, "192.0.2.9"))).message)
          .toBe("At most 5 streams at a time for one client address")
      }))

    it.scoped("cannot be exceeded by opening at the same time, nor by connecting to another process", () =>
      Effect.gen(function*() {
        const slots = yield* StreamSlots
        const workspaceId = yield* newWorkspace()
        const scope = yield* Effect.scope
        const context = yield* Layer.buildWithScope(Layer.fresh(limited), scope)
        const elsewhere = yield* Effect.provide(StreamSlots, context)
        const results = yield* Effect.forEach(
          Array.from({ length: 12 }, (_, index) => index),
          (index) => Effect.option(open(index % 2 === 0 ? slots : elsewhere, workspaceId, "key_9", String(index))),
          { concurrency: "unbounded" }
        )
        expect(results.filter(Option.isSome).length).toBe(3)
      }))

    it.scoped("does not count the streams of a process whose lease has run out", () =>
      Effect.gen(function*() {
        const slots = yield* StreamSlots
        const sql = yield* SqlClient.SqlClient
        const workspaceId = yield* newWorkspace()
        yield* sql`insert into stream_processes (process, until) values ('killed', now() - interval '1 second')`
        yield* sql`
          insert into open_streams (id, process, address, workspace_id, principal)
          select 'killed ' || n, 'killed', 'x', ${workspaceId}, 'key_1' from generate_series(1, 9) n`
        yield* open(slots, workspaceId, "key_1", "x")
      }))
  }
)
