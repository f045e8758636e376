/** An outage that a person takes care of: acknowledged, explained, resolved by hand, and reviewed. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { receiver } from "../notify/alert/Receiver.ts"
import { clientOf, type Json, newAgent, openStream } from "./support/Client.ts"
import { freshProgram } from "./support/Program.ts"
import { newTarget } from "./support/Target.ts"

describe("an outage", () => {
  it.scopedLive(
    "is acknowledged by its monitor, explained in public and to the team, and resolved by a person, once",
    () =>
      Effect.gen(function*() {
        const program = yield* freshProgram()
        const target = yield* newTarget
        const hook = yield* receiver((response) => void response.writeHead(204).end())
        const agent = yield* newAgent(program.baseUrl)
        yield* agent.post("/channels", { name: "Team", type: "webhook", url: hook.url })
        const service = yield* agent.post("/services", {
          name: "Shop",
          url: target.url,
          statusPage: "Acme",
          intervalSec: 86_400,
          failureThreshold: 1
        })
        const monitorId: string = service.body.monitor.id
        const check = agent.post(`/monitors/${monitorId}/check`, { apply: true })
        const page = clientOf(program.baseUrl).get("/public/pages/acme")
        const received = Effect.map(hook.next, ({ body }): Json => JSON.parse(body))
        target.breaks()
        yield* check
        expect((yield* received).type).toBe("monitor.down")

        const acked = yield* agent.post(`/incidents/${monitorId}/ack`, { note: "I am on it" })
        expect(acked.body).toMatchObject({ monitorId, automatic: true, acknowledgement: { via: "api", note: "I am on it" } })
        const alerted = yield* received
        expect([alerted.type, alerted.data.ack.note]).toEqual(["incident.acknowledged", "I am on it"])
        const path = `/incidents/${acked.body.id}`

        yield* agent.post(`${path}/updates`, { message: "The checkout host is out of memory.", public: false })
        yield* agent.post(`${path}/updates`, { message: "We are adding capacity.", status: "identified" })
        const shown = yield* page
        expect(shown.body.incidents).toMatchObject([{ status: "identified", title: "Shop is down" }])
        expect(shown.body.incidents[0].updates.map(({ body }: Json) => body)).toEqual([
          "We are investigating a problem with Shop.",
          "We are adding capacity."
        ])
        expect(shown.text).not.toMatch(/on it|out of memory|Acknowledged/)
        // Monitoring opened the incident; what a person says about it, and its end, concern the team.
        const written = yield* received
        expect([written.type, written.data.manual, written.data.update.body]).toEqual([
          "incident.updated",
          true,
          "We are adding capacity."
        ])

        const monitor = agent.get(`/monitors/${monitorId}`)
        const listed = Effect.map(agent.get("/monitors"), ({ body }): Json => body.data[0])
        expect((yield* monitor).body.openIncidentId).toBe(acked.body.id)
        expect((yield* listed).openIncidentId).toBe(acked.body.id)
        yield* agent.post(`${path}/resolve`, {})
        const ended = yield* received
        expect([ended.type, ended.data.manual, ended.data.incident.id]).toEqual([
          "incident.resolved",
          true,
          acked.body.id
        ])
        // Until it recovers, it is down without an open incident.
        const resolved = { state: "down", openIncidentId: null }
        expect((yield* monitor).body).toMatchObject(resolved)
        expect(yield* listed).toMatchObject(resolved)
        expect((yield* agent.get(`/monitors/${monitorId}/wait?state=down`)).body).toMatchObject(resolved)
        expect((yield* agent.get(`/monitors/${monitorId}/explain`)).body.openIncidentId).toBeNull()
        expect((yield* agent.post(`/incidents/${monitorId}/ack`, {})).status).toBe(404)
        // It is still down: the monitor decides what its component shows.
        expect((yield* page).body).toMatchObject({ status: "major_outage", incidents: [] })
        const stream = yield* openStream(program.baseUrl, agent.headers)
        target.recovers()
        yield* check
        yield* stream.until("component.status_changed")
        expect((yield* page).body).toMatchObject({ status: "operational" })
        const events = yield* agent.get("/events?types=incident.created,incident.resolved,monitor.up")
        expect(events.body.data.map(({ type }: Json) => type).reverse()).toEqual([
          "incident.created",
          "incident.resolved",
          "monitor.up"
        ])

        yield* agent.put(`${path}/postmortem`, { markdown: "# Memory", publicSummary: "A server ran out of memory." })
        const published = yield* agent.post(`${path}/postmortem/publish`, {})
        expect(published.status).toBe(200)
        const record = (yield* agent.get(path)).body
        expect(record.updates.map((one: Json) => [one.status, one.public])).toEqual([
          ["investigating", true],
          ["investigating", false],
          ["investigating", false],
          ["identified", true],
          ["resolved", true],
          ["resolved", true]
        ])
      }),
    120_000
  )
})
