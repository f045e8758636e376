/** Runners divide the shards, and with them what only a part of each may do. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import * as Cluster from "../../cluster/Cluster.ts"
import { makeHeldShards } from "../../cluster/HeldShards.ts"
import { TestDatabase } from "../support/database/TestDatabase.ts"
import { freePort } from "../support/network/FreePort.ts"
import { testIdentity } from "../support/program/TestIdentity.ts"
import { constantly, until } from "../support/time/Until.ts"

/** A runner without actors, and a way to stop it. */
const makeRunner = Effect.gen(function*() {
  const scope = yield* Effect.acquireRelease(Scope.make(), (made) => Scope.close(made, Exit.void))
  const cluster = Layer.orDie(Cluster.layerRunner(testIdentity, "127.0.0.1", yield* freePort))
  const context = yield* Layer.buildWithScope(cluster, scope)
  const { part } = yield* Effect.provide(makeHeldShards, Context.make(Scope.Scope, scope).pipe(Context.merge(context)))
  return { part, stop: Scope.close(scope, Exit.void) }
})

layer(TestDatabase, { excludeTestServices: true })("the parts of two runners", (it) => {
  it.scoped("are one together, and pass to the other when one stops", () =>
    Effect.gen(function*() {
      const one = yield* makeRunner
      yield* until(Effect.sync(one.part), (part) => part === 1)
      const other = yield* makeRunner
      const parts = Effect.sync(() => [one.part(), other.part()] as const)
      const [ofOne, ofOther] = yield* until(parts, ([a, b]) => a > 0 && b > 0 && a + b === 1)
      expect(Math.min(ofOne, ofOther)).toBeGreaterThan(0.2)
      yield* one.stop
      yield* until(Effect.sync(other.part), (part) => part === 1)
    }))

  it.scoped("are taken again soon by one that stood still until its locks had expired", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { part } = yield* makeRunner
      const held = Effect.sync(part)
      yield* until(held, (all) => all === 1)
      // The second time, the next regular look of the cluster's library is ten seconds away.
      for (const _ of ["once", "again"]) {
        yield* sql`update cluster_locks set address = '127.0.0.1:1', acquired_at = now() - interval '1 minute'`
        yield* until(held, (all) => all === 0, "60 seconds", constantly)
        yield* until(held, (all) => all === 1, "6 seconds")
      }
    }))
})
