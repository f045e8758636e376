/** Schedules of heartbeats through REST and MCP: created, previewed, sent back, refused, and the line to paste. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { TestProgram } from "../../support/program/Program.ts"
import { bearer, callJson, newKey } from "../../support/program/TestServer.ts"

const nightly = { name: "Nightly backup", schedule: "30 2 * * *", timezone: "Europe/Berlin" }

const clientOf = (secret: string) => (method: string, path: string, body?: object) =>
  callJson(`/api/v1${path}`, {
    method,
    headers: { ...bearer(secret), "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("the schedule of a heartbeat", (it) => {
  it.scoped("makes it a heartbeat, and its record can be sent back", () =>
    Effect.gen(function*() {
      const { secret } = yield* newKey()
      const call = clientOf(secret)
      const { body, status } = yield* call("POST", "/monitors", nightly)
      expect([status, body.error]).toEqual([201, undefined])
      expect(body).toMatchObject({
        kind: "heartbeat",
        periodSec: null,
        graceSec: 3600,
        schedule: "30 2 * * *",
        timezone: "Europe/Berlin"
      })
      expect(body.nextExpectedAt).toMatch(/T0[01]:30:00\.000Z$/)
      const { id, ...record } = body
      const { schedule, timezone, periodSec, graceSec, name, tags } = record
      const again = yield* call("PATCH", `/monitors/${id}`, { schedule, timezone, periodSec, graceSec, name, tags })
      expect([again.status, again.body.schedule, again.body.periodSec]).toEqual([200, "30 2 * * *", null])
      const { body: exported } = yield* call("GET", "/export")
      expect(exported.monitors[0]).toMatchObject({ schedule: "30 2 * * *", timezone: "Europe/Berlin" })
      expect(exported.monitors[0].periodSec).toBeUndefined()
    }))

  it.scoped("is refused with a reason and a way out", () =>
    Effect.gen(function*() {
      const { secret } = yield* newKey()
      const call = clientOf(secret)
      for (
        const [input, path, text] of [
          [{ schedule: "30 2 * * *", periodSec: 60 }, "schedule", "either periodSec or schedule"],
          [{ schedule: "0 0 31 2 *" }, "schedule", "never come"],
          [{ schedule: "at noon" }, "schedule", "calendar expression of systemd"],
          [{ schedule: "30 2 * * *", timezone: "+02:00" }, "timezone", "IANA"],
          [{ schedule: "30 2 * * *", url: "https://a.test/" }, null, "heartbeat"]
        ] as const
      ) {
        const { body, status } = yield* call("POST", "/monitors", { name: "Job", ...input })
        expect([input, status, body.error.code]).toEqual([input, 422, "validation_failed"])
        expect(JSON.stringify(body.error)).toContain(text)
        if (path !== null) expect(JSON.stringify(body.error)).toContain(path)
      }
    }))

  it.scoped("is previewed with the next times in its zone and in UTC", () =>
    Effect.gen(function*() {
      const { secret } = yield* newKey()
      const call = clientOf(secret)
      const { body, status } = yield* call("GET", "/heartbeats/times?schedule=30+2+*+*+*&timezone=Asia/Kathmandu&limit=3")
      expect([status, body.words, body.graceSec, body.times.length]).toEqual([
        200,
        "every day at 02:30 (Asia/Kathmandu)",
        3600,
        3
      ])
      for (const { at, local, note } of body.times) {
        expect([at.slice(11), local.slice(10), note]).toEqual(["20:45:00.000Z", "T02:30:00+05:45", null])
      }
      const refused = yield* call("GET", "/heartbeats/times?schedule=30+25+*+*+*")
      expect([refused.status, refused.body.error.code]).toEqual([422, "validation_failed"])
      const empty = yield* call("GET", "/heartbeats/times?schedule=")
      expect(empty.body.error.details).toEqual([{ path: "schedule", message: "Must not be empty" }])
    }))

  it.scoped("comes with the line to paste from create_service, which a shell reads", () =>
    Effect.gen(function*() {
      const { secret } = yield* newKey()
      const call = clientOf(secret)
      const { body } = yield* call("POST", "/services", { ...nightly, timezone: undefined })
      expect(body.crontab).toContain("\n30 2 * * * r=$(")
      expect(body.crontab).toContain(`"${body.monitor.pingUrl}/$c?rid=$r"`)
      const command = body.crontab.split("\n").at(-1).split(" ").slice(5).join(" ")
      expect(spawnSync("sh", ["-n", "-c", command]).status).toBe(0)
      const calendar = yield* call("POST", "/services", { name: "Weekly", schedule: "Mon..Fri 18:00" })
      expect([calendar.status, calendar.body.crontab]).toEqual([201, undefined])
      const site = yield* call("POST", "/services", { name: "Shop", url: "https://shop.example.com/", paused: true })
      expect(site.body.crontab).toBeUndefined()
    }))
})
