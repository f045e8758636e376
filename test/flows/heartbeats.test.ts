/** A nightly job: created in one call, pinged from a crontab, missed, failed, with a kill -9 in between. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import pg from "pg"
import { clientOf, newAgent, openStream, request } from "./support/Client.ts"
import { awaited, startedFolder, startProgram } from "./support/Program.ts"

/** Simulates that `seconds` have passed since the last ping, with the service listening since. */
const pass = (folder: string, seconds: number) =>
  Effect.promise(async () => {
    const host = join(folder, "data", "postgres")
    const password = (await readFile(join(host, "cluster/belltower.password"), "utf8")).trim()
    const client = new pg.Client({ host, port: 5432, user: "postgres", password, database: "postgres" })
    await client.connect()
    await client.query("update listeners set began_at = '2020-01-01', since = '2020-01-01'")
    await client.query(
      `update heartbeats set last_ping_at = last_ping_at - $1 * interval '1 second',
        expected_from = expected_from - $1 * interval '1 second'`,
      [seconds]
    )
    await client.query("update alarms set due_at = now() where kind = 'monitor'")
    await client.query("select pg_notify('belltower_alarms', '')")
    await client.end()
  })

const pathOf = (url: string) => new URL(url).pathname

it.scopedLive("a silent or failing job is reported, whatever dies in between", () =>
  Effect.gen(function*() {
    const folder = yield* startedFolder
    const first = yield* startProgram({ folder })
    const agent = yield* newAgent(first.baseUrl)
    const { body, status } = yield* agent.post("/services", {
      name: "Backup",
      periodSec: 86_400,
      graceSec: 3600,
      statusPage: "Acme"
    })
    expect(status).toBe(201)
    const { failUrl, id, pingUrl } = body.monitor
    expect(body.monitor).toMatchObject({ kind: "heartbeat", state: "pending", periodSec: 86_400, graceSec: 3600, url: null })
    expect([pingUrl, failUrl]).toEqual([expect.stringMatching(/^http.*\/hb\/\w{24}$/), `${pingUrl}/fail`])

    const program = (baseUrl: string) => ({
      ...clientOf(baseUrl, agent.apiKey),
      ping: (suffix = "") => request(`${baseUrl}${pathOf(pingUrl)}${suffix}`)
    })
    const stateOf = ({ get }: Pick<ReturnType<typeof program>, "get">) =>
      Effect.map(get(`/monitors/${id}`), (answer) => answer.body.state)
    const before = program(first.baseUrl)
    expect((yield* before.post(`/monitors/${id}/check`)).status).toBe(422)
    expect((yield* before.ping()).status).toBe(200)
    yield* awaited(stateOf(before), (state) => state === "up")
    yield* first.signal("SIGKILL")
    yield* first.ended

    const second = yield* startProgram({ folder })
    const after = program(second.baseUrl)
    const stream = yield* openStream(second.baseUrl, after.headers, "?types=monitor.*")
    expect(yield* stateOf(after)).toBe("up")
    yield* pass(folder, 2 * 86_400)
    const down = yield* stream.next("monitor.down")
    expect(down.data.data).toMatchObject({
      monitor: { _id: id, kind: "heartbeat", heartbeat: { periodSec: 86_400, graceSec: 3600 } },
      check: { cause: "missed_ping", error: "No ping for 1 day 1 hour (expected every 1 day, grace 1 hour)" }
    })
    expect(JSON.stringify(down.data)).not.toContain(pathOf(pingUrl).slice(4))
    const page = clientOf(second.baseUrl).get("/public/pages/acme")
    yield* awaited(page, (answer) => answer.body.status === "major_outage")

    const operation = `/heartbeat/${pathOf(pingUrl).slice(4)}`
    const sent = yield* clientOf(second.baseUrl).post(operation, { durationMs: 5120 })
    expect([sent.status, sent.body.ok]).toEqual([200, true])
    expect((yield* stream.next("monitor.up")).data.data).toMatchObject({
      check: { latencyMs: 5120 },
      incident: { resolved: true }
    })
    yield* awaited(page, (answer) => answer.body.status === "operational")

    expect((yield* clientOf(second.baseUrl).post(operation, { status: "fine" })).status).toBe(422)
    expect((yield* request(`${second.baseUrl}${pathOf(failUrl)}`, { method: "POST", body: "disk full" })).status).toBe(200)
    expect((yield* stream.next("monitor.down")).data.data).toMatchObject({ check: { cause: "reported", error: "disk full" } })

    const checks = yield* after.get(`/monitors/${id}/checks`)
    expect(checks.body.data.map((check: { readonly outcome: string }) => check.outcome).sort()).toEqual([
      "down",
      "down",
      "up",
      "up"
    ])
    const paused = yield* after.patch(`/monitors/${id}`, { paused: true })
    expect(paused.body).toMatchObject({ state: "paused", pingUrl: expect.stringContaining(pathOf(pingUrl)) })
    expect((yield* after.delete(`/monitors/${id}`)).status).toBe(200)
    expect((yield* after.ping()).status).toBe(404)
    yield* second.signal("SIGINT")
    expect((yield* second.ended).code).toBe(0)
    expect(`${(yield* first.ended).stdout}${second.stdout()}`).not.toContain(pathOf(pingUrl).slice(4))
  }))

it.scopedLive(
  "a job of Mondays is due by its schedule, previewed before, and down once its time and grace are over",
  () =>
    Effect.gen(function*() {
      const folder = yield* startedFolder
      const { baseUrl } = yield* startProgram({ folder })
      const agent = yield* newAgent(baseUrl)
      const weekly = { schedule: "30 2 * * 1", timezone: "Europe/Berlin" }
      const preview = yield* agent.get(`/heartbeats/times?${new URLSearchParams(weekly).toString()}`)
      expect([preview.status, preview.body.words]).toEqual([200, "at 02:30, on Monday (Europe/Berlin)"])
      const { body, status } = yield* agent.post("/services", { name: "Report", ...weekly })
      expect([status, body.crontab.includes("30 2 * * 1 r=")]).toEqual([201, true])
      const { id, nextExpectedAt, pingUrl } = body.monitor
      expect(nextExpectedAt).toBe(preview.body.times[0].at)
      expect((yield* request(`${baseUrl}${pathOf(pingUrl)}`)).status).toBe(200)
      const monitor = Effect.map(agent.get(`/monitors/${id}`), (answer) => answer.body)
      yield* awaited(monitor, ({ state }) => state === "up")
      yield* pass(folder, 8 * 86_400)
      const down = yield* awaited(monitor, ({ state }) => state === "down")
      expect(down.lastCheck.error).toMatch(/^No ping for .* \(expected at .*, 02:30 GMT\+[12], grace 1 hour\)$/)
      expect(down.nextExpectedAt).toBe(preview.body.times[0].at)
    }),
  120_000
)
