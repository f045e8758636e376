/** Backing up, restoring and moving as operators do it, with the program: killed in the middle, and started again. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { cp, mkdir, readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { servedByAnother } from "../../src/store/postgres/embedded/EmbeddedPostgres.ts"
import { receiver } from "../notify/alert/Receiver.ts"
import { newDatabase } from "../support/database/TestDatabase.ts"
import { clientOf, newAgent } from "./support/Client.ts"
import { awaited, freshProgram, newFolder, runProgram, spawnProgram, startProgram } from "./support/Program.ts"
import { newTarget } from "./support/Target.ts"

const backupKey = "5f0c9e7a43868c1d4e02f7b6a9d35e8f14c07a92b36d2b1f"
const env = { BELLTOWER_BACKUP_KEY: backupKey }

/** Statements on the embedded database of a program that runs. */
const onDatabaseOf = <A, E>(folder: string, use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const address = yield* Effect.flatten(servedByAnother(join(folder, "data", "postgres")))
    return yield* Effect.flatMap(SqlClient.SqlClient, use).pipe(
      Effect.provide(Database.layer(Redacted.make(address), { maxConnections: 1, applicationName: "test of backups" }))
    )
  })

/** On a slow machine, a command says every 10 s how far it is. */
const withoutProgress = (text: string): string => text.replace(/^\[[^\n]* INFO [^\n]*: [\d,]+ MB\n/gm, "")

const namesIn = (folder: string) => Effect.promise(() => readdir(folder))

/** A folder for another installation with the secret of the first. */
const withSecretOf = (folder: string) =>
  Effect.tap(newFolder, (other) =>
    Effect.promise(async () => {
      await mkdir(join(other, "data"))
      await cp(join(folder, "data", "secret"), join(other, "data", "secret"))
    }))

describe("an installation", () => {
  it.scopedLive("that is restored says what it lost, sends nothing old, and checks again", () =>
    Effect.gen(function*() {
      const target = yield* newTarget
      const hook = yield* receiver((response) => void response.writeHead(500).end())
      const program = yield* freshProgram(env)
      const { folder } = program
      const agent = yield* newAgent(program.baseUrl)
      yield* agent.post("/channels", { name: "Team", type: "webhook", url: hook.url })
      const service = yield* agent.post("/services", {
        name: "Shop",
        url: target.url,
        statusPage: "Acme",
        intervalSec: 30,
        failureThreshold: 1
      })
      const path = `/monitors/${service.body.monitor.id}`
      target.breaks()
      yield* agent.post(`${path}/check`, { apply: true })
      // The alert was refused, so it is tried again.
      yield* hook.next
      const due = awaited(agent.get("/deliveries"), ({ body }) =>
        body.data.some(({ attempts }: { attempts: number }) => attempts > 0))
      const [delivery] = (yield* due).body.data
      // Its next attempt is due within the time that is lost. The workers of this process look later.
      yield* onDatabaseOf(folder, (sql) =>
        sql.withTransaction(
          Effect.zipRight(
            sql`update delivery_queues set retry_at = now() + interval '1 hour'`,
            sql`update deliveries set due_at = now() where status = 'due'`
          )
        ))
      // Enough that a backup and a restore can be killed in the middle.
      yield* onDatabaseOf(folder, (sql) =>
        sql`insert into evidence_usage (workspace_id, day, bytes)
            select md5(n::text) || md5((n + 1)::text), '2026-01-01', n from generate_series(1, 150000) n`)

      const killed = yield* spawnProgram({ folder, args: ["backup", "killed.backup"], env })
      const ofKilled = Effect.map(namesIn(folder), (names) =>
        names.filter((name) => name.startsWith("killed.backup")))
      yield* awaited(ofKilled, (names) => names.length > 0)
      yield* killed.signal("SIGKILL")
      yield* killed.ended
      const [part = "", ...whole] = yield* ofKilled
      expect([part, whole]).toEqual([expect.stringMatching(/^killed\.backup\.[0-9a-f]{8}\.part$/), []])
      const [refused, made, open] = yield* Effect.all([
        runProgram({ folder, args: ["restore", part, "--verify"], env }),
        runProgram({ folder, args: ["backup", "whole.backup"], env }),
        runProgram({ folder, args: ["backup", "open.backup"] })
      ], { concurrency: "unbounded" })
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/It ends in the middle|It is not a backup/)])
      expect([made.code, withoutProgress(made.stderr)]).toEqual([0, ""])
      expect(made.stdout).toMatch(/^Backed up the database as of \S+ to whole\.backup\n$/)
      expect([open.code, open.stderr]).toEqual([1, expect.stringContaining("Set BELLTOWER_BACKUP_KEY")])
      yield* program.signal("SIGTERM")
      yield* program.ended

      const other = yield* withSecretOf(folder)
      const file = join(folder, "whole.backup")
      const cut = yield* spawnProgram({ folder: other, args: ["restore", file], env })
      // Until it is complete, it is set aside: it does not end while the mark of that is read.
      const killWhileSetAside = onDatabaseOf(other, (sql) =>
        sql.withTransaction(Effect.gen(function*() {
          const marks = yield* sql`select 1 from database_set_aside where to_regclass('evidence_usage') is not null`
          if (marks.length > 0) yield* cut.signal("SIGKILL")
          return marks.length > 0
        })))
      yield* Effect.race(awaited(Effect.orElseSucceed(killWhileSetAside, () => false), (isKilled) => isKilled), cut.ended)
      expect((yield* cut.ended).signal).toBe("SIGKILL")
      const unfinished = yield* runProgram({ folder: other, env: { ...env, PORT: "0" } })
      expect([unfinished.code, unfinished.stderr]).toEqual([1, expect.stringContaining("has not finished")])
      const restored = yield* runProgram({ folder: other, args: ["restore", file], env })
      expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining("is lost")])
      expect(restored.stdout).toContain("1 alert to channels")

      const heard = hook.seen.length
      const back = yield* startProgram({ folder: other, env })
      const again = clientOf(back.baseUrl, agent.apiKey)
      expect((yield* again.get("/deliveries")).body.data).toContainEqual(
        expect.objectContaining({ id: delivery.id, status: "dead" })
      )
      const health = yield* Effect.promise(() => fetch(`${back.baseUrl}/health`).then((response) => response.json()))
      expect(health).toMatchObject({ checks: { restore: { state: "ok", notSent: { deliveries: 1 } } } })
      target.recovers()
      yield* again.post(`${path}/check`, { apply: true })
      // The recovery is news; the outage is not announced again.
      const news = yield* awaited(Effect.sync(() => hook.seen.slice(heard)), (seen) => seen.length > 0)
      expect(news.map(({ body }) => JSON.parse(body).type)).toEqual(["monitor.up"])
    }), 240_000)

  it.scopedLive("moves to another server and back by one command each", () =>
    Effect.gen(function*() {
      const program = yield* freshProgram()
      const { folder } = program
      const agent = yield* newAgent(program.baseUrl)
      const url = Redacted.value(yield* newDatabase("empty"))
      yield* program.signal("SIGTERM")
      yield* program.ended

      // Everybody on the machine can read the arguments of a command.
      const bare = new URL(url)
      const password = { PGPASSWORD: decodeURIComponent(bare.password) }
      bare.password = ""
      const moved = yield* runProgram({ folder, args: ["move-database", "--to", bare.href], env: password })
      expect([moved.code, withoutProgress(moved.stderr)]).toEqual([0, ""])
      expect(password.PGPASSWORD).not.toBe("")
      expect(moved.stdout).toContain("Next: set DATABASE_URL to the new address and BELLTOWER_SECRET to the content of")
      const former = yield* runProgram({ folder, env: { PORT: "0" } })
      expect([former.code, former.stderr]).toEqual([1, expect.stringContaining("This database was moved to another one")])

      const secret = yield* Effect.promise(() => readFile(join(folder, "data", "secret"), "utf8"))
      const outside = { DATABASE_URL: url, BELLTOWER_SECRET: secret.trim() }
      const there = yield* startProgram({ folder, env: outside })
      expect((yield* clientOf(there.baseUrl, agent.apiKey).get("/agent/whoami")).status).toBe(200)
      const live = yield* runProgram({ folder, env: outside, args: ["move-database", "--to", "embedded", "--replace"] })
      expect([live.code, live.stderr]).toEqual([1, expect.stringContaining("Processes of Belltower use this database")])
      yield* there.signal("SIGTERM")
      yield* there.ended

      const returned = yield* runProgram({ folder, env: outside, args: ["move-database", "--to", "embedded", "--replace"] })
      expect([returned.code, withoutProgress(returned.stderr)]).toEqual([0, ""])
      const home = yield* startProgram({ folder })
      expect((yield* clientOf(home.baseUrl, agent.apiKey).get("/agent/whoami")).status).toBe(200)
      expect((yield* Effect.promise(() => stat(join(folder, "data", "secret")))).isFile()).toBe(true)
    }), 240_000)
})
