/** Rotation of the secret as operators do it: by the command, beside running processes, and killed in the middle. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted, Ref, Schedule } from "effect"
import { existsSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { clientOf, newAgent } from "../flows/support/Client.ts"
import { newFolder, runProgram, spawnProgram, startedFolder, startProgram } from "../flows/support/Program.ts"
import { formerlySealed } from "../support/database/FormerlySealed.ts"
import { newDatabase } from "../support/database/TestDatabase.ts"
import { freePort } from "../support/network/FreePort.ts"
import { otherSecret as next, testSecret as first } from "../support/program/TestInstallation.ts"
import { until } from "../support/time/Until.ts"

const rotated = { BELLTOWER_SECRET: next, BELLTOWER_SECRET_PREVIOUS: first }

/** Mails enough for a rotation that takes a while. */
const addMails = (sql: SqlClient.SqlClient, count: number) =>
  sql`
    insert into mails (id, recipient, subject, sealed, priority, status, due_at, created_at)
    select 'mail_' || n, 'ada@example.com', 'News', ${
    formerlySealed(first, "{\"text\":\"\",\"html\":\"\",\"headers\":{}}")
  }, 1, 'captured',
           now(), now()
    from generate_series(1, ${count}::int) as n`

const leftOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly count: number }>`select count(*)::int as count from mails where sealed not like '2.%'`,
    ([row]) => row?.count ?? 0
  )

/** The sealed token of a heartbeat, in the address that its editors see. */
const tokenIn = (monitor: { readonly pingUrl?: string }): string => /\/hb\/(\w+)$/.exec(monitor.pingUrl ?? "")?.[1] ?? "no token"

describe("rotate-secret", () => {
  it.scopedLive(
    "runs beside a server that goes on, continues after kill -9, and then the previous secret may go",
    () =>
      Effect.gen(function*() {
        const address = yield* newDatabase("partitioned")
        const folder = yield* newFolder
        const database = yield* Layer.build(Database.layer(address, { maxConnections: 2, applicationName: "belltower test" }))
        const sql = Context.get(database, SqlClient.SqlClient)
        const env = { DATABASE_URL: Redacted.value(address), BELLTOWER_SECRET: first }
        const made = yield* Effect.scoped(Effect.gen(function*() {
          const program = yield* startProgram({ folder, env })
          const agent = yield* newAgent(program.baseUrl)
          const { body } = yield* agent.post("/monitors", { name: "Backup", periodSec: 3600 })
          yield* program.signal("SIGTERM")
          yield* program.ended
          return { agent, monitor: body }
        }))
        yield* addMails(sql, 20_000)

        expect(tokenIn(made.monitor)).toHaveLength(24)
        const program = yield* startProgram({ folder, env: { ...env, ...rotated } })
        const client = clientOf(program.baseUrl, made.agent.apiKey)
        expect((yield* client.get(`/monitors/${made.monitor.id}`)).body.pingUrl).toContain("/hb/")
        const written = yield* Ref.make([{ id: String(made.monitor.id), token: tokenIn(made.monitor) }])
        const writing = yield* client.post("/monitors", { name: "Job", periodSec: 3600 }).pipe(
          Effect.tap(({ body, status }) => {
            expect(status).toBe(201)
            return Ref.update(written, (all) => [...all, { id: String(body.id), token: tokenIn(body) }])
          }),
          Effect.repeat(Schedule.intersect(Schedule.spaced("100 millis"), Schedule.recurs(80))),
          Effect.fork
        )
        for (let kill = 1; kill <= 3; kill++) {
          yield* Effect.scoped(Effect.gen(function*() {
            const before = yield* leftOf(sql)
            const command = yield* spawnProgram({ folder, args: ["rotate-secret"], env: { ...env, ...rotated } })
            yield* until(leftOf(sql), (left) => left < before)
            yield* command.signal("SIGKILL")
            expect((yield* command.ended).signal).toBe("SIGKILL")
          }))
          const port = String(yield* freePort)
          const early = yield* runProgram({ folder, env: { ...env, BELLTOWER_SECRET: next, PORT: port } })
          expect([early.code, early.stderr]).toEqual([
            1,
            expect.stringContaining("is not the secret that this database is sealed with")
          ])
        }
        expect(yield* leftOf(sql)).toBeGreaterThan(0)
        const done = yield* runProgram({ folder, args: ["rotate-secret"], env: { ...env, ...rotated } })
        expect(done).toMatchObject({ code: 0, stderr: "" })
        expect(done.stdout).toContain("remove BELLTOWER_SECRET_PREVIOUS and restart the processes")
        yield* Fiber.join(writing)
        yield* program.signal("SIGTERM")
        yield* program.ended

        const after = yield* startProgram({ folder, env: { ...env, BELLTOWER_SECRET: next } })
        const again = clientOf(after.baseUrl, made.agent.apiKey)
        const tokenNow = (id: string) => Effect.map(again.get(`/monitors/${id}`), ({ body }) => tokenIn(body))
        for (const { id, token } of yield* Ref.get(written)) expect(yield* tokenNow(id)).toBe(token)
        const late = yield* runProgram({ folder, env: { ...env, PORT: String(yield* freePort) } })
        expect([late.code, late.stderr]).toEqual([
          1,
          expect.stringContaining("is not the secret that this database is sealed with")
        ])
      }),
    240_000
  )

  it.scopedLive(
    "gives a built-in database a new secret in its file, also after kill -9, but not under a running server",
    () =>
      Effect.gen(function*() {
        const folder = yield* startedFolder
        const file = join(folder, "data", "secret")
        const content = Effect.promise(() => readFile(file, "utf8"))
        const made = yield* Effect.scoped(Effect.gen(function*() {
          const program = yield* startProgram({ folder })
          const agent = yield* newAgent(program.baseUrl)
          const { body } = yield* agent.post("/monitors", { name: "Backup", periodSec: 3600 })
          const refused = yield* runProgram({ folder, args: ["rotate-secret"] })
          expect([refused.code, refused.stderr]).toEqual([
            1,
            expect.stringMatching(/^belltower: Stop the server first: [^\n]+\n$/)
          ])
          yield* program.signal("SIGTERM")
          yield* program.ended
          return { agent, ping: tokenIn(body), id: body.id, secret: yield* content }
        }))
        const isBetweenTwo = Effect.sync(() => existsSync(`${file}.previous`))
        const kill = Effect.scoped(Effect.gen(function*() {
          const before = yield* content
          const command = yield* spawnProgram({ folder, args: ["rotate-secret"] })
          yield* until(content, (text) => text !== before)
          yield* command.signal("SIGKILL")
          yield* command.ended
        }))
        // On a busy machine the kill may come when all is done.
        yield* Effect.repeat(kill, { until: () => isBetweenTwo, times: 9 })
        expect(yield* isBetweenTwo).toBe(true)
        const interrupted = yield* content
        const check = Effect.fn("check")(function*() {
          const program = yield* startProgram({ folder })
          const { body } = yield* clientOf(program.baseUrl, made.agent.apiKey).get(`/monitors/${made.id}`)
          expect(tokenIn(body)).toBe(made.ping)
          yield* program.signal("SIGTERM")
          yield* program.ended
        }, Effect.scoped)
        yield* check()
        const done = yield* runProgram({ folder, args: ["rotate-secret"] })
        expect(done).toMatchObject({ code: 0, stderr: "" })
        expect(done.stdout).not.toContain((yield* content).trim())
        // The interrupted rotation was completed, with its secret.
        expect([yield* content, interrupted === made.secret]).toEqual([interrupted, false])
        expect([yield* isBetweenTwo, (yield* Effect.promise(() => stat(file))).mode & 0o777]).toEqual([false, 0o600])
        yield* check()
      }),
    120_000
  )

  it.scopedLive("without the secrets that it needs says which", () =>
    Effect.gen(function*() {
      const address = yield* newDatabase("migrated")
      const folder = yield* newFolder
      const env = { DATABASE_URL: Redacted.value(address), BELLTOWER_SECRET: first }
      const { code, stderr } = yield* runProgram({ folder, args: ["rotate-secret"], env })
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^belltower: Set BELLTOWER_SECRET to the new secret [^\n]+\n$/)])
    }))
})
