/** An outage from its first failed check to its end, on every surface: page, log, live stream and webhook. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { answering, receiver } from "../notify/alert/Receiver.ts"
import { clientOf, type Json, newAgent, openStream, request } from "./support/Client.ts"
import { awaited, freshProgram } from "./support/Program.ts"
import { newTarget } from "./support/Target.ts"

describe("an outage", () => {
  it.scopedLive(
    "is confirmed, reported on the page, the stream and the webhook, and ends on all of them",
    () =>
      Effect.gen(function*() {
        const target = yield* newTarget
        const hook = yield* receiver(answering(204))
        const { baseUrl } = yield* freshProgram()
        const agent = yield* newAgent(baseUrl)
        const page = clientOf(baseUrl).get("/public/pages/acme")

        const channel = yield* agent.post("/channels", {
          name: "Team",
          type: "webhook",
          url: hook.url,
          headers: { "x-team": "shop" },
          isDefault: true
        })
        expect(channel.status).toBe(201)
        const stream = yield* openStream(baseUrl, agent.headers, "?checks=1")
        const service = yield* agent.post("/services", {
          name: "Shop",
          url: target.url,
          statusPage: "Acme",
          group: "Web",
          intervalSec: 10,
          failureThreshold: 2
        })
        expect(service.status).toBe(201)
        const { monitor } = service.body
        expect(monitor.channelIds).toEqual([channel.body.id])
        expect((yield* stream.next("monitor.created")).data.data.monitor).toMatchObject({ _id: monitor.id, state: "pending" })

        // The first check runs immediately, then one every ten seconds.
        const first = yield* stream.next("check.completed")
        expect(first.id).toBeUndefined()
        expect(first.data.data).toMatchObject({
          monitorId: monitor.id,
          check: { outcome: "up", statusCode: 200, region: "main" }
        })

        target.breaks()
        const opening = yield* stream.until("monitor.down")
        const failures = opening.filter(({ data }) => data.data.check?.outcome === "down" && data.type === "check.completed")
        expect(failures.length).toBeGreaterThanOrEqual(1)
        const down = opening[opening.length - 1]!
        expect(down.data.data).toMatchObject({
          monitor: { _id: monitor.id, name: "Shop", state: "down", http: { url: target.url } },
          check: {
            outcome: "down",
            statusCode: 500,
            cause: "status",
            error: expect.stringMatching(/^Expected status 200-299, got 500/)
          },
          incident: { title: "Shop is down: 500 Internal Server Error" },
          ai: null
        })
        const created = yield* stream.next("incident.created")
        const incidentId: string = down.data.data.incident.id
        expect(created.data.data).toMatchObject({ incident: { id: incidentId, automatic: true, status: "investigating" } })

        const failed = yield* agent.get(`/monitors/${monitor.id}`)
        expect(failed.body).toMatchObject({ state: "down", openIncidentId: incidentId })
        // Raw results are written in bulk, just after their consequences; the previous check failed too.
        const isDeciding = ({ id }: Json) => id === down.data.data.check._id
        const raw = yield* awaited(agent.get(`/monitors/${monitor.id}/checks`), ({ body }) => body.data.some(isDeciding))
        const at = raw.body.data.findIndex(isDeciding)
        const streak: ReadonlyArray<Json> = raw.body.data.slice(at, at + 3)
        expect(streak.map(({ counted, outcome }) => [counted, outcome])).toEqual([[true, "down"], [true, "down"], [true, "up"]])

        const outage = yield* page
        expect(outage.body).toMatchObject({
          status: "major_outage",
          components: [{ name: "Shop", status: "major_outage" }],
          incidents: [{ id: incidentId, title: "Shop is down", status: "investigating", resolvedAt: null }]
        })
        const html = yield* request(`${baseUrl}/s/acme`)
        expect(html.text).toContain("Major outage")
        expect(html.text).toContain("Shop is down")

        const alarm = yield* hook.next
        const verify = (one: typeof alarm) =>
          new Webhook(channel.body.signingSecret).verify(one.body, {
            "webhook-id": String(one.headers["webhook-id"]),
            "webhook-timestamp": String(one.headers["webhook-timestamp"]),
            "webhook-signature": String(one.headers["webhook-signature"])
          })
        expect(alarm.headers).toMatchObject({ "webhook-id": down.id, "content-type": "application/json", "x-team": "shop" })
        expect(verify(alarm)).toMatchObject({ id: down.id, type: "monitor.down", timestamp: down.data.at, data: down.data.data })

        target.recovers()
        const closing = yield* stream.until("incident.resolved")
        const up = closing.find(({ data }) => data.type === "monitor.up")!
        expect(up.data.data).toMatchObject({
          monitor: { _id: monitor.id, state: "up" },
          check: { outcome: "up" },
          incident: { id: incidentId, resolved: true }
        })
        const lasted = Date.parse(up.data.data.check.at) - Date.parse(created.data.data.incident.startedAt)
        expect(up.data.data.downtimeSeconds).toBe(Math.round(lasted / 1000))
        expect(closing[closing.length - 1]!.data.data.incident).toMatchObject({ id: incidentId, status: "resolved" })
        const recovery = yield* hook.next
        expect(verify(recovery)).toMatchObject({
          id: up.id,
          type: "monitor.up",
          data: { downtimeSeconds: up.data.data.downtimeSeconds }
        })

        expect((yield* page).body).toMatchObject({ status: "operational", components: [{ status: "operational" }] })
        expect((yield* agent.get(`/monitors/${monitor.id}`)).body).toMatchObject({ state: "up", openIncidentId: null })
        // The automatic incident's own events go to subscribers only.
        expect(hook.seen).toHaveLength(2)

        // A client that reconnects with the last id it saw receives the rest, in order and once.
        const again = yield* openStream(baseUrl, { ...agent.headers, "last-event-id": String(down.id) })
        const heard = [...(yield* again.until("incident.resolved")), ...(yield* again.until("component.status_changed"))]
        const log = yield* agent.get(`/events?after=${down.id}`)
        expect(heard.map(({ data }) => data)).toEqual(log.body.data)
        expect(heard.map(({ data }) => data.type)).toEqual([
          "incident.created",
          "component.status_changed",
          "monitor.up",
          "incident.resolved",
          "component.status_changed"
        ])
        expect(heard.at(-1)?.data.data).toMatchObject({ component: { name: "Shop" }, from: "major_outage", to: "operational" })
      })
  )
})
