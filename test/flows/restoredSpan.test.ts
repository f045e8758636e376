/** A program on a database that was restored: what is about the time that was lost is stored, and changes and tells nothing. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { ServerAddress } from "../../src/http/server/ServeApp.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { programOf } from "../support/program/Program.ts"
import { newAgent } from "./support/Client.ts"
import { awaited } from "./support/Program.ts"
import { newTarget } from "./support/Target.ts"

/** The span ends in an hour, so everything that happens now is in it. */
const inLostSpan = programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }, (address) =>
  Effect.as(
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql`insert into restores (restored_to, restored_at, not_sent) values (now(), now() + interval '1 hour', '{"mails": 2}')`)
      .pipe(
        Effect.provide(Database.layer(Redacted.make(Redacted.value(address)), { maxConnections: 1, applicationName: "test" })),
        Effect.orDie
      ),
    address
  ))

describe("results and windows of a time that a restore lost", () => {
  it.scopedLive("are recorded without an alert, a state or a message to subscribers", () =>
    Effect.gen(function*() {
      const { port } = yield* ServerAddress
      const sql = yield* SqlClient.SqlClient
      const target = yield* newTarget
      const agent = yield* newAgent(`http://127.0.0.1:${port}`)
      const service = yield* agent.post("/services", { name: "Shop", url: target.url, statusPage: "Acme", intervalSec: 30 })
      const path = `/monitors/${service.body.monitor.id}`
      const checks = yield* awaited(agent.get(`${path}/checks`), ({ body }) => body.data.length > 0)
      expect(checks.body.data[0]).toMatchObject({ outcome: "up", counted: false })
      expect((yield* agent.get(path)).body.state).toBe("pending")

      const now = yield* DateTime.now
      yield* agent.post("/maintenance", {
        title: "Upgrade",
        message: "We upgrade.",
        scheduledStart: DateTime.formatIso(DateTime.add(now, { seconds: 1 })),
        scheduledEnd: DateTime.formatIso(DateTime.add(now, { hours: 2 })),
        pageIds: [service.body.statusPage?.id ?? service.body.page?.id]
      })
      const updates = yield* awaited(
        Effect.orDie(sql<{ readonly status: string; readonly notify: boolean }>`
          select status, notify from incident_updates where status = 'in_progress'`),
        (rows) => rows.length > 0
      )
      expect(updates).toEqual([{ status: "in_progress", notify: false }])
    }).pipe(Effect.provide(inLostSpan)), 60_000)
})
