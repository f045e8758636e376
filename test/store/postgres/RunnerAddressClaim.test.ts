/** A runner's address belongs to one live process. */
import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, type Redacted, Scope } from "effect"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { RunnerAddressClaim } from "../../../src/store/postgres/RunnerAddressClaim.ts"
import { newDatabase } from "../../support/database/TestDatabase.ts"
import { databaseLine } from "../../support/network/Line.ts"
import { until } from "../../support/time/Until.ts"

const place = { host: "10.0.0.5", port: 34_431 }

const databaseAt = (address: Redacted.Redacted) => Database.layer(address, { maxConnections: 3, applicationName: "test" })

/** A process that starts; closing its scope ends it. */
const start = (address: Redacted.Redacted, at = place) =>
  Effect.gen(function*() {
    const scope = yield* Effect.acquireRelease(Scope.make(), (one) => Scope.close(one, Exit.void))
    const context = yield* Layer.buildWithScope(
      RunnerAddressClaim.layer(at, 10).pipe(Layer.provide(databaseAt(address))),
      scope
    )
    return { lost: Context.get(context, RunnerAddressClaim).lost, end: Scope.close(scope, Exit.void) }
  })

/** The row that a runner keeps fresh. */
const beat = (address: Redacted.Redacted, agoSec: number) =>
  Effect.provide(
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql`
        insert into cluster_runners (address, runner, last_heartbeat)
        values (${`${place.host}:${place.port}`}, '', now() - make_interval(secs => ${agoSec}))
        on conflict (address) do update set last_heartbeat = excluded.last_heartbeat`),
    databaseAt(address)
  )

it.scopedLive("a second runner at the address is refused, at another one it starts", () =>
  Effect.gen(function*() {
    const address = yield* newDatabase("migrated")
    const first = yield* start(address)
    yield* beat(address, 0)
    const refused = yield* Effect.flip(start(address))
    expect(refused.message).toBe(
      "Another runner is registered at 10.0.0.5:34431, and each needs an address at which the others reach it. " +
        "Set BELLTOWER_RUNNER_HOST to an address of this machine, or BELLTOWER_RUNNER_PORT for a second runner on one machine."
    )
    yield* start(address, { ...place, port: 34_432 })
    yield* first.end
    yield* start(address)
  }))

it.scopedLive("a runner that was killed starts again, although its row is fresh", () =>
  Effect.gen(function*() {
    const address = yield* newDatabase("migrated")
    const line = yield* databaseLine(address)
    yield* start(line.address)
    yield* beat(address, 0)
    // As the kernel does with the connections of a process that was killed.
    yield* line.cut
    yield* start(address)
  }))

it.scopedLive("the connection of a machine that was lost holds nobody up once its runner shows no sign of life", () =>
  Effect.gen(function*() {
    const address = yield* newDatabase("migrated")
    yield* start(address)
    yield* beat(address, 11)
    yield* start(address)
  }))

it.scopedLive("a runner keeps its address over a restart of its connection, or hears that it has lost it", () =>
  Effect.gen(function*() {
    const address = yield* newDatabase("migrated")
    const line = yield* databaseLine(address)
    const first = yield* start(line.address)
    const lost = yield* Effect.fork(first.lost)
    yield* beat(address, 0)
    yield* line.cut
    yield* line.mend
    yield* until(Effect.exit(Effect.scoped(start(address))), Exit.isFailure)
    expect(yield* Fiber.poll(lost)).toMatchObject({ _tag: "None" })
    yield* line.cut
    yield* start(address)
    yield* line.mend
    expect((yield* Effect.flip(Fiber.join(lost)))._tag).toBe("AddressTaken")
  }))
