/** Requests with a large body, of which a process has few in memory at a time. */
import { Headers, HttpServerRequest } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { makeLargeBodies } from "../../../src/http/guard/LargeBodies.ts"

/** Serves a request of a workspace with a body of so many bytes; undefined is a length that is not told. */
const serving = (bodies: ReturnType<typeof makeLargeBodies>, workspace: string, bytes: number | undefined) => {
  const headers: Record<string, string> = bytes === undefined
    ? { "transfer-encoding": "chunked" }
    : { "content-length": String(bytes) }
  const request = HttpServerRequest.fromWeb(new Request("http://belltower/", { method: "POST" })).modify({
    headers: Headers.fromInput(headers)
  })
  return <A>(work: Effect.Effect<A>) => bodies(workspace, request, work)
}

const large = 2 * 1024 * 1024

describe("Requests with a large body", () => {
  it.effect("are refused beyond two of a workspace, while others and small ones are served", () =>
    Effect.gen(function*() {
      const bodies = makeLargeBodies()
      const gate = yield* Deferred.make<void>()
      const held = yield* Effect.forEach([large, undefined], (bytes) =>
        Effect.fork(serving(bodies, "busy", bytes)(Deferred.await(gate))))
      yield* Effect.yieldNow()
      const refused = yield* Effect.exit(serving(bodies, "busy", large)(Effect.succeed("served")))
      expect(Exit.isFailure(refused)).toBe(true)
      expect(yield* serving(bodies, "busy", 1000)(Effect.succeed("served"))).toBe("served")
      expect(yield* serving(bodies, "quiet", large)(Effect.succeed("served"))).toBe("served")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll(held)
      expect(yield* serving(bodies, "busy", large)(Effect.succeed("served"))).toBe("served")
    }))

  it.effect("are refused before their body is read when a process has its most", () =>
    Effect.gen(function*() {
      const bodies = makeLargeBodies()
      yield* Effect.forEach(Array.from({ length: 16 }, (_, at) => `busy-${at}`), (workspace) =>
        Effect.fork(serving(bodies, workspace, large)(Effect.never)))
      yield* Effect.yieldNow()
      const failure = yield* Effect.flip(serving(bodies, "quiet", large)(Effect.dieMessage("The body was read")))
      expect(failure._tag).toBe("unavailable")
    }))
})
