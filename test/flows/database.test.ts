/** The built-in database alone, for the processes of a deployment and for people with psql. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Client } from "pg"
import { testSecret } from "../support/program/TestInstallation.ts"
import { newAgent, openStream, request } from "./support/Client.ts"
import { awaited, databasesOf, newFolder, spawnProgram, startProgram } from "./support/Program.ts"

/** Messages of a program's JSON lines at these levels, up to the reason, but for those of a slow machine. */
const saidAt = (stdout: string, levels: ReadonlyArray<string>): ReadonlyArray<string> =>
  stdout.split("\n").filter((line) => line !== "").flatMap((line) => {
    const { logLevel, message }: { logLevel: string; message: string } = JSON.parse(line)
    const isSlowness = /^(?:The event loop was held|Database overloaded|Database no longer)/.test(message)
    return levels.includes(logLevel) && !isSlowness
      ? [message.replace(/(failed; retrying|is failing|is degraded|works again)(?::| after) .*/s, "$1")]
      : []
  })

describe("belltower database", () => {
  it.scopedLive(
    "that is away for a while is reported once by each part of a process, as is its return",
    () =>
      Effect.gen(function*() {
        const folder = yield* newFolder
        const database = yield* spawnProgram({ folder, args: ["database"], env: { KAFKA_BROKERS: "127.0.0.1:9" } })
        expect(yield* database.says("\n")).toBe(true)
        const program = yield* startProgram({
          folder: yield* newFolder,
          env: { DATABASE_URL: database.stdout().trim(), BELLTOWER_SECRET: testSecret, BELLTOWER_LOG_FORMAT: "json" }
        })
        const { headers } = yield* newAgent(program.baseUrl)
        yield* openStream(program.baseUrl, headers, "?checks=1")
        yield* database.signal("SIGTERM")
        yield* database.ended
        const health = Effect.map(request(`${program.baseUrl}/health`), ({ body }) => body.checks.database)
        // Longer than the longest pause between two attempts, which is 10 s.
        yield* awaited(health, (part) => part.state === "failing" && part.ageSec > 12)
        const again = yield* spawnProgram({ folder, args: ["database"] })
        expect(yield* again.says("\n")).toBe(true)
        expect(yield* program.says("Health: database is ok again")).toBe(true)
        const troubles = saidAt(program.stdout(), ["WARN", "ERROR"])
        expect(troubles).toEqual([...new Set(troubles)])
        expect(troubles).toContain("Following the database's clock failed; retrying")
        const returns = saidAt(program.stdout(), ["INFO"]).filter((text) => text.endsWith("works again"))
        expect(returns).toEqual([...new Set(returns)])
      }),
    120_000
  )

  it.scopedLive("prints its address as its only line, serves until it is stopped, and keeps its data", () =>
    Effect.gen(function*() {
      const folder = yield* newFolder
      const ask = (sql: string) =>
        Effect.scoped(Effect.gen(function*() {
          const running = yield* spawnProgram({ folder, args: ["database"] })
          expect(yield* running.says("\n")).toBe(true)
          const url = running.stdout().trim()
          expect(url).toMatch(/^postgresql:\/\/postgres:[\w-]{43}@localhost\/postgres\?host=\S+$/)
          const rows = yield* Effect.promise(async () => {
            const client = new Client({ connectionString: url })
            await client.connect()
            const answer = await client.query(sql)
            await client.end()
            return answer.rows
          })
          yield* running.signal("SIGTERM")
          expect(yield* running.ended).toMatchObject({ code: 0, stdout: `${url}\n` })
          expect(yield* databasesOf(folder)).toEqual([])
          return rows
        }))
      yield* ask("create table kept (n int); insert into kept values (42)")
      expect(yield* ask("select n from kept")).toEqual([{ n: 42 }])
    }))
})
