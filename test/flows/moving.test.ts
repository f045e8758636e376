/** Moving in and keeping a workspace in a file, with the real program: killed with -9 in the middle, and run again. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Json } from "../support/program/TestServer.ts"
import { localSource, robotAccountV2 } from "../support/services/LocalSources.ts"
import { until } from "../support/time/Until.ts"
import { clientOf, newAgent } from "./support/Client.ts"
import { makeKillStage } from "./support/KillStage.ts"
import { newFolder, spawnProgram } from "./support/Program.ts"

const manyMonitors = { BELLTOWER_CAPS: "unclaimed.monitors=0", BELLTOWER_PROBE_CONCURRENCY: "4" }

describe("an import of 600 monitors", () => {
  it.scopedLive("killed with -9 midway makes each of them once when it is run again", () =>
    Effect.gen(function*() {
      const source = yield* localSource(robotAccountV2(600))
      const { killAt, sql, start } = yield* makeKillStage({
        ...manyMonitors,
        BELLTOWER_UPTIMEROBOT_URL: source.url,
        BELLTOWER_UPTIMEROBOT_V2_URL: `${source.url}/v2`
      })
      const first = yield* start
      const agent = yield* newAgent(first.baseUrl)
      const input = { source: "uptimerobot", apiKey: "u1-read-only" }
      const started = agent.post("/import", input)
      yield* killAt(first, { statement: "insert", table: "monitors", when: "new.name = 'Site 240'" }, 1, started)
      const [before] = yield* sql<{ count: number }>`select count(*)::int as count from monitors`
      expect(before).toEqual({ count: 239 })

      const client = clientOf((yield* start).baseUrl, agent.apiKey)
      const jobs: ReadonlyArray<Json> = (yield* client.get("/import/jobs")).body.data
      expect(jobs[0]).toMatchObject({ status: "cancelled", progress: { total: 600 } })
      const again = yield* client.post("/import", input)
      // Asking the program would read all items each time.
      const endOfJob = sql<
        { ended: boolean }
      >`select finished_at is not null as ended from import_jobs where id = ${again.body.id}`
      yield* until(endOfJob, ([job]) => job?.ended === true, "3 minutes")
      const done = (yield* client.get(`/import/jobs/${again.body.id}`)).body
      expect(done).toMatchObject({ status: "succeeded", failed: [], progress: { done: 600, total: 600 } })
      expect([done.created.length, done.skipped.length]).toEqual([361, 239])
      const names = yield* sql<{ name: string }>`select distinct name from monitors`
      const [rows] = yield* sql<{ count: number }>`select count(*)::int as count from monitors`
      expect([names.length, rows?.count]).toEqual([600, 600])
      // The first API refuses the key, the second one answers in pages of fifty.
      expect(source.asked.filter(({ path }) => path.endsWith("/v2/getMonitors"))).toHaveLength(2 * 12)
    }), 360_000)
})

const fileOf = (count: number) =>
  Array.from(
    { length: count },
    (_, at) =>
      `  - {key: site-${at}, name: Site ${at}, url: "https://site-${at}.acme.example/", intervalSec: 86400, paused: true}`
  ).join("\n")

describe("a plan that is being applied", () => {
  it.scopedLive("when its process is killed with -9, has changed nothing and can be applied again", () =>
    Effect.gen(function*() {
      const { killAt, sql, start } = yield* makeKillStage(manyMonitors)
      const first = yield* start
      const agent = yield* newAgent(first.baseUrl)
      const plan = (yield* agent.post("/plan", { document: `monitors:\n${fileOf(200)}` })).body
      const apply = agent.post(`/plan/${plan.id}/apply`)
      yield* killAt(first, { statement: "insert", table: "monitors", when: "new.name = 'Site 120'" }, 1, apply)
      const [before] = yield* sql<{ count: number }>`select count(*)::int as count from monitors`
      expect(before).toEqual({ count: 0 })

      const client = clientOf((yield* start).baseUrl, agent.apiKey)
      const applied = yield* client.post(`/plan/${plan.id}/apply`)
      expect(applied.status).toBe(200)
      expect(applied.body).toMatchObject({ create: 200 })
      const [after] = yield* sql<{ count: number }>`select count(*)::int as count from monitors`
      expect(after).toEqual({ count: 200 })
    }), 120_000)
})

describe("the commands apply and export", () => {
  it.scopedLive("show the differences, end with 2 on --check, and print what was applied", () =>
    Effect.gen(function*() {
      const { start } = yield* makeKillStage()
      const program = yield* start
      const agent = yield* newAgent(program.baseUrl)
      const folder = yield* newFolder
      const file = join(folder, "belltower.yaml")
      yield* Effect.promise(() =>
        writeFile(
          file,
          "monitors:\n  - {key: shop, name: Shop, url: \"https://shop.example.com/\", paused: true,\n     headers: {authorization: \"Bearer ${SHOP_TOKEN}\"}}\n"
        )
      )
      const run = Effect.fn("run")(function*(args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) {
        const process = yield* spawnProgram({
          folder,
          args,
          env: { BELLTOWER_URL: program.baseUrl, BELLTOWER_API_KEY: agent.apiKey, SHOP_TOKEN: "a-secret-token", ...env }
        })
        return yield* process.ended
      })
      const checked = yield* run(["apply", file, "--check"])
      expect(checked.code).toBe(2)
      expect(checked.stdout).toContain("+ monitor shop  Shop")
      expect(checked.stdout).toContain("1 to create, 0 to change, 0 to delete, 0 unchanged")
      expect(checked.stdout).not.toContain("a-secret-token")
      expect(checked.stdout).not.toContain("\u001b")
      expect((yield* agent.get("/monitors")).body.data).toEqual([])

      const applied = yield* run(["apply", file], { FORCE_COLOR: "1" })
      expect(applied.code).toBe(0)
      expect(applied.stdout).toContain("\u001b[32m+ monitor shop")
      expect((yield* run(["apply", file, "--check"])).code).toBe(0)
      const exported = yield* run(["export"])
      expect(exported.stdout).toContain("key: shop")
      expect(exported.stdout).toContain("authorization: \"[hidden]\"")

      const missing = yield* run(["apply", file], { SHOP_TOKEN: "" })
      expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("uses SHOP_TOKEN; set them in the environment")])
      const refused = yield* run(["apply", file], { BELLTOWER_API_KEY: "bell_live_wrong" })
      expect(refused.code).toBe(1)
      yield* Effect.promise(() => writeFile(file, "monitors:\n  - {key: shop, name: Shop, url: ftp://x}\n"))
      const invalid = yield* run(["apply", file])
      expect([invalid.code, invalid.stderr]).toEqual([1, expect.stringContaining("monitors.0.url")])
    }))
})
