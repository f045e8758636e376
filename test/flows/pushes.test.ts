/** An external watcher pushes the status of a component: what visitors see, and what survives a kill -9. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { clientOf, type Json, newAgent, openStream, request } from "./support/Client.ts"
import { startedFolder, startProgram } from "./support/Program.ts"

const changesOf = (events: ReadonlyArray<Json>) => events.map(({ data }) => [data.from, data.to])

describe("a pushed component", () => {
  it.scopedLive(
    "shows the pushed status, opens and ends an incident, and forgets nothing when the program is killed",
    () =>
      Effect.gen(function*() {
        const folder = yield* startedFolder
        const killed = yield* startProgram({ folder })
        const agent = yield* newAgent(killed.baseUrl)
        const page = yield* agent.post("/pages", { name: "Acme" })
        const made = yield* agent.post(`/pages/${page.body.id}/components`, {
          name: "Queue",
          push: true,
          pushTtlSec: 60,
          confirmations: 3
        })
        expect(made.body).toMatchObject({ status: "unknown", push: true, pushUrl: expect.stringContaining("/api/v1/push/") })
        const path = new URL(made.body.pushUrl).pathname
        const pushTo = (baseUrl: string, body: string) => request(`${baseUrl}${path}`, { method: "POST", body })
        const shown = (baseUrl: string) => Effect.map(clientOf(baseUrl).get("/public/pages/acme"), ({ body }) => body)
        const status = (one: Json) => JSON.stringify(one)

        expect((yield* pushTo(killed.baseUrl, status({ status: "ok", message: "All workers are up" }))).status).toBe(200)
        const well = yield* shown(killed.baseUrl)
        expect(well).toMatchObject({
          status: "operational",
          components: [{ statusMessage: "All workers are up", uptimePercent: 100 }]
        })
        expect((yield* request(`${killed.baseUrl}/s/acme`)).text).toContain("All workers are up")
        yield* pushTo(killed.baseUrl, status({ status: "down" }))
        const second = yield* pushTo(killed.baseUrl, status({ status: "down" }))
        expect(second.body).toMatchObject({ status: "operational", awaiting: { reports: 2, confirmations: 3 } })
        yield* killed.signal("SIGKILL")
        yield* killed.ended

        const program = yield* startProgram({ folder })
        const back = clientOf(program.baseUrl, agent.apiKey)
        expect((yield* shown(program.baseUrl)).status).toBe("operational")
        // The third in a row, counted from before the kill.
        const third = yield* pushTo(program.baseUrl, status({ status: "down", message: "No workers" }))
        expect(third.body).toMatchObject({ status: "major_outage", awaiting: null })
        expect(yield* shown(program.baseUrl)).toMatchObject({
          status: "major_outage",
          components: [{ statusMessage: "No workers" }],
          incidents: [{ title: "Queue is down" }]
        })
        const stream = yield* openStream(program.baseUrl, back.headers)
        yield* pushTo(program.baseUrl, status({ status: "up" }))
        const recovery = yield* stream.until("incident.resolved")
        expect(recovery.map(({ data }) => data.type)).toEqual(["component.status_changed", "incident.resolved"])
        expect(yield* shown(program.baseUrl)).toMatchObject({ status: "operational", incidents: [] })

        const all = yield* back.get("/events?types=component.status_changed")
        expect(changesOf(all.body.data).reverse()).toEqual([
          ["unknown", "operational"],
          ["operational", "major_outage"],
          ["major_outage", "operational"]
        ])
        yield* program.signal("SIGTERM")
        const ending = yield* program.ended
        expect(ending.code).toBe(0)
        const token = path.slice(path.lastIndexOf("/") + 1)
        expect(ending.stdout + ending.stderr).not.toContain(token)
        expect((yield* killed.ended).stdout).not.toContain(token)
      }),
    120_000
  )
})
