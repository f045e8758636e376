/** What the server reports about itself, even when a dependency is unavailable. */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Database } from "../../../src/store/postgres/Database.ts"
import { severedDatabase } from "../../support/SeveredDatabase.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { callJson, newKey, serverOver } from "../../support/TestServer.ts"

it.live("readiness names the failing dependencies, and waits for none that hangs", () =>
  Effect.gen(function*() {
    expect((yield* callJson("/healthz")).body).toEqual({ alive: true })
    const { body, status } = yield* callJson("/readyz")
    expect([status, body]).toEqual([503, { ready: false, failing: ["bus", "cluster"] }])
  }).pipe(Effect.provide(
    serverOver([
      { name: "database", probe: Effect.void },
      { name: "bus", probe: Effect.fail("gone") },
      { name: "cluster", probe: Effect.never }
    ]).pipe(Layer.provideMerge(TestDatabase))
  )))

it.scopedLive("an unavailable database is reported, and used again once it is back", () =>
  Effect.gen(function*() {
    const line = yield* severedDatabase()
    const database = yield* Layer.build(line.layer)
    const ping = Effect.flatMap(Database, (found) => found.ping).pipe(Effect.provide(database))
    const server = yield* Layer.build(
      serverOver([{ name: "database", probe: ping }]).pipe(Layer.provideMerge(Layer.succeedContext(database)))
    )
    yield* Effect.gen(function*() {
      const { headers } = yield* newKey()
      expect((yield* callJson("/readyz")).status).toBe(200)
      yield* line.cut
      const { body, status } = yield* callJson("/api/v1/agent/whoami", { headers })
      expect([status, body.error.code]).toEqual([503, "unavailable"])
      expect((yield* callJson("/readyz")).body).toEqual({ ready: false, failing: ["database"] })
      expect((yield* callJson("/api/v1/stream", { headers })).status).toBe(503)
      expect((yield* callJson("/healthz")).status).toBe(200)
      yield* line.mend
      expect((yield* callJson("/api/v1/agent/whoami", { headers })).status).toBe(200)
      expect((yield* callJson("/readyz")).body).toEqual({ ready: true })
    }).pipe(Effect.provide(server))
  }))
