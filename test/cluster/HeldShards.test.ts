/** Runners divide the shards, and with them what only a part of each may do. */
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import * as Cluster from "../../cluster/Cluster.ts"
import { makeHeldShards } from "../../cluster/HeldShards.ts"
import { TestDatabase } from "../support/database/TestDatabase.ts"
import { freePort } from "../support/network/FreePort.ts"
import { testIdentity } from "../support/program/TestIdentity.ts"
import { until } from "../support/time/Until.ts"

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
})
