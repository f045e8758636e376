/** A process counts as listening from the moment on that it can receive pings. */
import { expect, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Layer } from "effect"
import { makeKeepListening } from "../../../src/operations/monitor/KeepListening.ts"
import { PortOpen } from "../../../src/operations/monitor/PortOpen.ts"
import { makeRefusedPings } from "../../../src/operations/monitor/RefusedPings.ts"
import { Listening } from "../../../src/store/monitor/Listening.ts"
import { PingLog } from "../../../src/store/monitor/PingLog.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"

const services = Layer.mergeAll(Listening.Default, PingLog.Default, DatabaseClock.Default).pipe(Layer.provideMerge(TestDatabase))

layer(services, { excludeTestServices: true })("a process", (it) => {
  it.scoped("records that it listens once its port is open, and not if it never opens", () =>
    Effect.gen(function*() {
      const began: Array<string> = []
      const begun = yield* Deferred.make<void>()
      const listening = yield* Listening
      const watched = Listening.make({
        ...listening,
        begin: (id) => Effect.zipRight(Effect.sync(() => began.push(id)), Deferred.succeed(begun, undefined))
      })
      const portOpen = yield* Deferred.make<void>()
      const context = Context.mergeAll(
        Context.make(Listening, watched),
        Context.make(PortOpen, Deferred.await(portOpen))
      )
      yield* Effect.forkScoped(Effect.provide(Effect.flatten(makeKeepListening(makeRefusedPings())), context))
      // A statement of its own takes longer than the first one of a process that does not wait.
      yield* Effect.flatMap(DatabaseClock, (clock) => clock.now)
      expect(began).toEqual([])
      yield* Deferred.succeed(portOpen, undefined)
      yield* Deferred.await(begun)
      expect(began).toHaveLength(1)
    }))
})
