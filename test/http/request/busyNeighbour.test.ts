/** A workspace whose requests wait for the database does not keep those of others waiting. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array as Arr, Deferred, Effect, Fiber } from "effect"
import { patience } from "../../../src/domain/tools/queues/ConnectionShares.ts"
import { urgently } from "../../../src/loops/WorkPriority.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { bearer, newKey, post } from "../../support/program/TestServer.ts"
import { until } from "../../support/time/Until.ts"

/** More than the connections of the program to its database. */
const requests = 20

const create = (secret: string) =>
  Effect.map(
    post("/api/v1/monitors", { name: "Shop", url: "https://shop.test/", paused: true }, bearer(secret)),
    ({ body, status }) => ({ status, body })
  )

/** Two workspaces; requests of one wait for a lock on its row until `free` runs. */
const makeNeighbours = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const busy = yield* newKey()
  const quiet = yield* newKey()
  const locked = yield* Deferred.make<void>()
  const freed = yield* Deferred.make<void>()
  const lock = sql`select from workspaces where id = ${busy.workspaceId} for update`
  const holding = lock.pipe(Effect.zipRight(Deferred.succeed(locked, undefined)), Effect.zipRight(Deferred.await(freed)))
  const holder = yield* Effect.fork(urgently(sql.withTransaction(holding)))
  yield* Deferred.await(locked)
  const waiting = yield* Effect.forkAll(Array.from({ length: requests }, () => create(busy.secret)))
  const blocked = urgently(
    sql<{ readonly n: number }>`
      select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  )
  yield* until(blocked, ([row]) => (row?.n ?? 0) > 1)
  const free = Effect.zipRight(Deferred.succeed(freed, undefined), Fiber.join(holder))
  return { quiet, waiting, free }
})

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("a workspace with many concurrent requests", (it) => {
  it.scoped("leaves a connection to the database to others", () =>
    Effect.gen(function*() {
      const { free, quiet, waiting } = yield* makeNeighbours
      const made = yield* Effect.all(Array.from({ length: 3 }, () => create(quiet.secret)))
      expect(made.map(({ status }) => status)).toEqual([201, 201, 201])
      yield* free
      expect(new Set((yield* Fiber.join(waiting)).map(({ status }) => status))).toEqual(new Set([201]))
    }))

  it.scoped("learns why they are refused once they have waited for too long, and its others still happen", () =>
    Effect.gen(function*() {
      const { free, waiting } = yield* makeNeighbours
      yield* Effect.sleep(patience.request + 1000)
      yield* free
      const [refused, made] = Arr.partition(yield* Fiber.join(waiting), ({ status }) => status === 201)
      expect(made.length).toBeGreaterThan(0)
      expect(new Set(refused.map(({ body, status }) => `${status} ${body.error.message}`)))
        .toEqual(new Set(["503 Too many requests wait for the database"]))
    }))
})
