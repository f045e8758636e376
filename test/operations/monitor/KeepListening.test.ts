/** A process counts as listening from the moment on that it can receive pings. */
import { SqlError } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { CheckId } from "../../../schema/Ids.ts"
import { makeId } from "../../../src/domain/tools/Id.ts"
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

  it.scoped(
    "stores refused pings beside one that the database does not take, and goes on to say that it listens",
    () =>
      Effect.gen(function*() {
        const log = yield* PingLog
        const stored: Array<string> = []
        const refusal = new SqlError.SqlError({ cause: { code: "22008" }, message: "timestamp out of range" })
        const write: typeof log.write = (batch) => {
          if (batch.some(({ error }) => error === "odd")) return Effect.fail(refusal)
          stored.push(...batch.map(({ checkId }) => checkId))
          return Effect.succeed(() => undefined)
        }
        const listening = yield* Listening
        const interrupted = yield* Deferred.make<void>()
        const context = Context.mergeAll(
          Context.make(PingLog, PingLog.make({ ...log, write, unheard: (pings) => Effect.succeed([...pings]) })),
          Context.make(
            Listening,
            Listening.make({ ...listening, interrupted: () => Effect.asVoid(Deferred.succeed(interrupted, undefined)) })
          ),
          Context.make(PortOpen, Effect.void)
        )
        const refused = makeRefusedPings()
        const at = yield* Clock.currentTimeMillis
        const all = Array.from({ length: 9 }, (_, index) => CheckId.make(makeId("chk", at + index, randomBytes(10))))
        all.forEach((checkId, index) =>
          refused.keep({ tokenHash: `${index}`, checkId, at, outcome: "up", latencyMs: null, error: index === 4 ? "odd" : null })
        )
        yield* Effect.forkScoped(Effect.provide(Effect.flatten(makeKeepListening(refused)), context))
        yield* Deferred.await(interrupted)
        expect(stored).toEqual(all.filter((_, index) => index !== 4))
        expect(refused.size()).toBe(0)
      }),
    20_000
  )
})
