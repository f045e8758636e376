/** The built-in database alone, for the processes of a deployment and for people with psql. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Client } from "pg"
import { databasesOf, newFolder, spawnProgram } from "./support/Program.ts"

describe("belltower database", () => {
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
