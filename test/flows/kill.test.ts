/** Crashes during an outage: of the program, and of its database. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { receiver } from "../notify/alert/Receiver.ts"
import { clientOf, newAgent, openStream } from "./support/Client.ts"
import { databasesOf, freshProgram, startedFolder, startProgram } from "./support/Program.ts"
import { newTarget } from "./support/Target.ts"

const typesOf = (events: ReadonlyArray<{ readonly type: string }>) => events.map(({ type }) => type)

describe("a program", () => {
  it.scopedLive("killed with -9 during an outage continues where it stopped", () =>
    Effect.gen(function*() {
      const folder = yield* startedFolder
      const target = yield* newTarget
      const hook = yield* receiver((response, count) => void response.writeHead(count === 1 ? 500 : 204).end())
      const killed = yield* startProgram({ folder })
      const agent = yield* newAgent(killed.baseUrl)
      yield* agent.post("/channels", { name: "Team", type: "webhook", url: hook.url })
      const service = yield* agent.post("/services", {
        name: "Shop",
        url: target.url,
        statusPage: "Acme",
        intervalSec: 86_400,
        failureThreshold: 1
      })
      const path = `/monitors/${service.body.monitor.id}`
      target.breaks()
      yield* agent.post(`${path}/check`, { apply: true })
      const before = yield* agent.get(path)
      expect(before.body.state).toBe("down")
      const refused = yield* hook.next

      yield* killed.signal("SIGKILL")
      expect((yield* killed.ended).signal).toBe("SIGKILL")
      // Immediately, as a supervisor would: the orphaned server is still shutting down.
      const program = yield* startProgram({ folder })
      expect(yield* databasesOf(folder)).toHaveLength(process.platform === "linux" ? 1 : 0)

      const back = clientOf(program.baseUrl, agent.apiKey)
      const after = yield* back.get(path)
      for (const field of ["state", "stateSince", "openIncidentId"]) {
        expect([field, after.body[field]]).toEqual([field, before.body[field]])
      }
      expect((yield* back.get(`/checks/${before.body.lastCheck.id}`)).body).toMatchObject({ outcome: "down", counted: true })
      yield* back.post(`${path}/check`, { apply: true })
      const downs = yield* back.get("/events?types=monitor.down,incident.created")
      expect(typesOf(downs.body.data)).toEqual(["incident.created", "monitor.down"])
      const page = clientOf(program.baseUrl).get("/public/pages/acme")
      expect((yield* page).body).toMatchObject({ status: "major_outage", incidents: [{ id: before.body.openIncidentId }] })

      target.recovers()
      const stream = yield* openStream(
        program.baseUrl,
        back.headers,
        `?types=monitor.*,incident.*&after=${downs.body.data[0].id}`
      )
      yield* back.post(`${path}/check`, { apply: true })
      const recovery = yield* stream.until("incident.resolved")
      expect(recovery.map(({ data }) => data.type)).toEqual(["monitor.up", "incident.resolved"])
      expect((yield* page).body).toMatchObject({ status: "operational" })

      // The retry is due half a minute after the first attempt; the recovery does not wait for it.
      const delivered = [yield* hook.next, yield* hook.next]
      const retried = delivered.find(({ headers }) => headers["webhook-id"] === refused.headers["webhook-id"])
      expect(retried?.body).toBe(refused.body)
      expect(delivered.map(({ body }) => JSON.parse(body).type).sort()).toEqual(["monitor.down", "monitor.up"])
      expect(typesOf((yield* back.get("/events")).body.data).filter((type) => type === "monitor.down")).toHaveLength(1)

      yield* program.signal("SIGTERM")
      expect((yield* program.ended).code).toBe(0)
      expect(yield* databasesOf(folder)).toEqual([])
    }), 120_000)

  it.scopedLive.runIf(process.platform === "linux")(
    "whose database is killed exits with one line, and can start again",
    () =>
      Effect.gen(function*() {
        const program = yield* freshProgram()
        const agent = yield* newAgent(program.baseUrl)
        yield* openStream(program.baseUrl, agent.headers)
        const [database = 0] = yield* databasesOf(program.folder)
        process.kill(database, "SIGKILL")
        const { code, stderr } = yield* program.ended
        expect(code).toBe(1)
        expect(stderr).toMatch(/^belltower: PostgreSQL ended \(signal SIGKILL\): .+\n$/)
        const again = yield* startProgram({ folder: program.folder })
        expect((yield* clientOf(again.baseUrl, agent.apiKey).get("/agent/whoami")).status).toBe(200)
      })
  )
})
