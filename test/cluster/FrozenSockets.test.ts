/** Sockets of a cluster freeze: nothing arrives over those that are open, no reset either, and new ones work. */
import { Entity } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Fiber, Layer, type Redacted, Schema, Scope } from "effect"
import * as Cluster from "../../cluster/Cluster.ts"
import { makeHeldShards } from "../../cluster/HeldShards.ts"
import { RunnerWatchdog } from "../../cluster/RunnerWatchdog.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { newDatabase } from "../support/database/TestDatabase.ts"
import { freePort } from "../support/network/FreePort.ts"
import { databaseLine, makeLine } from "../support/network/Line.ts"
import { testIdentity } from "../support/program/TestIdentity.ts"
import { until } from "../support/time/Until.ts"

const pace = { shardLockSec: 3, runnersSec: 1, pingSec: 2 }
const pool = { maxConnections: 3, applicationName: "belltower test" }
const directions = ["requests", "answers", "both"] as const

const Echo = Entity.make("Echo", [Rpc.make("Say", { payload: { word: Schema.String }, success: Schema.String })])
const echoes = Echo.toLayer(Effect.succeed({ Say: ({ payload }) => Effect.succeed(payload.word) }), { disableFatalDefects: true })

/** A runner whose statements go over a line of its own, and which others reach over another. */
const makeRunner = Effect.fn("makeRunner")(function*(address: Redacted.Redacted) {
  const scope = yield* Effect.acquireRelease(Scope.make(), (made) => Scope.close(made, Exit.void))
  const database = yield* databaseLine(address)
  const listenPort = yield* freePort
  const sockets = yield* makeLine({ host: "127.0.0.1", port: listenPort })
  const context = yield* Layer.buildWithScope(
    Layer.provideMerge(
      Layer.merge(echoes, RunnerWatchdog.layer()),
      Layer.orDie(Cluster.layerRunner(testIdentity, "127.0.0.1", sockets.port(), pace, listenPort))
    ).pipe(Layer.provide(Database.layer(database.address, pool))),
    scope
  )
  const { part } = yield* Effect.provide(makeHeldShards, context)
  return { database, sockets, part, gaveUp: Context.get(context, RunnerWatchdog).gaveUp, stop: Scope.close(scope, Exit.void) }
})

/** Whether every lock was refreshed after that time (ms since 1970, of this machine's clock, which the database shares). */
const allRefreshedSince = (sql: SqlClient.SqlClient, since: number) =>
  Effect.map(
    sql<{ readonly isFresh: boolean | null }>`
      select min(acquired_at) > to_timestamp(${since / 1000}::float8) as "isFresh" from cluster_locks`,
    ([row]) => row?.isFresh === true
  )

// Nearly all of the time is waiting for locks and pings to run out, each test on a database of its own.
describe.concurrent("frozen sockets of the database", () => {
  it.scopedLive.each(directions)(
    "cost runners no more than a moment when %s get lost, and do not hold up a stop",
    (lost) =>
      Effect.gen(function*() {
        const address = yield* newDatabase("migrated")
        const direct = yield* Layer.build(Database.layer(address, pool))
        const sql = Context.get(direct, SqlClient.SqlClient)
        const [one, other] = [yield* makeRunner(address), yield* makeRunner(address)]
        const parts = Effect.sync(() => [one.part(), other.part()] as const)
        const areAllHeld = ([a, b]: readonly [number, number]) => a > 0 && b > 0 && a + b === 1
        yield* until(parts, areAllHeld, "30 seconds")
        const giveUp = yield* Effect.fork(Effect.raceFirst(one.gaveUp, other.gaveUp))

        const frozenAt = yield* Clock.currentTimeMillis
        yield* one.database.freeze(lost)
        yield* other.database.freeze(lost)
        yield* until(
          Effect.all([parts, allRefreshedSince(sql, frozenAt)]),
          ([held, isFresh]) => areAllHeld(held) && isFresh,
          "30 seconds"
        )
        expect(giveUp.unsafePoll()).toBeNull()
        yield* Fiber.interrupt(giveUp)

        yield* one.database.freeze(lost)
        yield* one.stop.pipe(Effect.timeout("15 seconds"))
        yield* until(Effect.sync(other.part), (part) => part === 1, "30 seconds")
      }),
    120_000
  )
})

describe.concurrent("frozen sockets between processes", () => {
  it.scopedLive.each(directions)("are replaced when %s get lost: actors answer again", (lost) =>
    Effect.gen(function*() {
      const address = yield* newDatabase("migrated")
      const runner = yield* makeRunner(address)
      yield* until(Effect.sync(runner.part), (part) => part === 1, "30 seconds")
      const api = yield* Layer.build(
        Layer.provide(Cluster.layerClient(testIdentity, pace), Database.layer(address, pool))
      )
      const echo = yield* Effect.provide(Echo.client, api)
      const say = (word: string) => echo("one").Say({ word }).pipe(Effect.timeout("2 seconds"), Effect.option)
      yield* until(say("before"), (answer) => answer._tag === "Some", "30 seconds")
      yield* runner.sockets.freeze(lost)
      expect((yield* say("lost"))._tag).toBe("None")
      yield* until(say("after"), (answer) => answer._tag === "Some", "60 seconds")
    }), 120_000)
})
