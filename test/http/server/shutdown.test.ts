/** Graceful shutdown of the server. */
import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { call, callJson, newKey, serverOver } from "../../support/program/TestServer.ts"

it.scopedLive("ends streams immediately, lets a request finish, and accepts no new ones", () =>
  Effect.gen(function*() {
    const begun = yield* Deferred.make<void>()
    const finish = yield* Deferred.make<void>()
    const slow = HttpApiBuilder.Router.use((router) =>
      router.get(
        "/slow",
        Effect.gen(function*() {
          yield* Deferred.succeed(begun, undefined)
          yield* Deferred.await(finish)
          return HttpServerResponse.text("done")
        })
      )
    )
    const scope = yield* Scope.make()
    const server = yield* Layer.buildWithScope(
      serverOver().pipe(Layer.provide(slow), Layer.provideMerge(TestDatabase)),
      scope
    )
    yield* Effect.gen(function*() {
      const { headers } = yield* newKey()
      const stream = yield* call("/api/v1/stream", { headers })
      const request = yield* Effect.fork(Effect.flatMap(call("/slow"), (response) => Effect.promise(() => response.text())))
      yield* Deferred.await(begun)
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      expect(yield* Effect.promise(() => stream.text())).toContain("retry:")
      const refused = yield* Effect.exit(callJson("/healthz", { headers: { connection: "close" } }))
      expect(Exit.isFailure(refused)).toBe(true)
      yield* Deferred.succeed(finish, undefined)
      expect(yield* Fiber.join(request)).toBe("done")
      yield* Fiber.join(closing)
    }).pipe(Effect.provide(server))
  }))
