/** The overview: counts that lead to their lists, the age and owner of incidents, deploys, pages, and the settings of the frame. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newOwner } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"

layer(programOf(), { excludeTestServices: true, timeout: "120 seconds" })("the overview", (it) => {
  it.scoped("counts monitors by state, and leads to each", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      yield* visitor.api("POST", "/monitors", { name: "Job", kind: "heartbeat", periodSec: 3600 })
      yield* visitor.api("POST", "/monitors", { name: "Shop", url: "https://shop.test/", paused: true })
      const { text } = yield* visitor.get("/app")
      for (const [state, count] of [["pending", 1], ["paused", 1], ["down", 0], ["up", 0]]) {
        expect(text).toMatch(new RegExp(`href="/app/monitors\\?state=${state}"[^>]*>${count}</a>`))
      }
      expect([text.includes("state=degraded"), text.includes("Uptime, 24 h"), text.includes("Latency, 24 h")]).toEqual([
        true,
        true,
        true
      ])
    }))

  it.scoped("names the age and the owner of open incidents, what was deployed, and the state of pages", () =>
    Effect.gen(function*() {
      const { email, visitor } = yield* newOwner()
      yield* visitor.api("POST", "/monitors", { name: "Job", kind: "heartbeat", periodSec: 3600 })
      const { body: incident } = yield* visitor.api("POST", "/incidents", { title: "Slow search", message: "We look." })
      yield* visitor.api("POST", "/deploys", { version: "2026.11.3", environment: "production", service: "shop" })
      yield* visitor.api("POST", "/pages", { name: "Acme status" })
      const open = yield* visitor.get("/app")
      expect(open.text).toContain("nobody has acknowledged it")
      expect(open.text).toMatch(/Open for <time[^>]*data-since/)
      for (const text of ["shop 2026.11.3", "production", "Acme status", "No components", "On call now"]) {
        expect([text, open.text.includes(text)]).toEqual([text, true])
      }
      yield* visitor.api("POST", `/incidents/${incident.id}/ack`, {})
      expect((yield* visitor.get("/app")).text).toContain(`acknowledged by ${email}`)
    }))

  it.scoped("says that nobody is alerted until there is a channel or somebody who is paged", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      yield* visitor.api("POST", "/monitors", { name: "Job", kind: "heartbeat", periodSec: 3600 })
      const isSilent = Effect.map(visitor.get("/app"), ({ text }) => text.includes("nobody is alerted"))
      expect(yield* isSilent).toBe(true)
      const { body: me } = yield* visitor.api("GET", "/me")
      const levels = [{ afterMinutes: 0, targets: [{ type: "user", id: me.user.id }] }]
      const { body: policy } = yield* visitor.api("POST", "/escalation-policies", { name: "Everybody", levels })
      expect(yield* isSilent).toBe(false)
      yield* visitor.api("DELETE", `/escalation-policies/${policy.id}`)
      yield* visitor.api("POST", "/channels", { name: "Team", type: "email", emails: ["ada@example.com"] })
      expect(yield* isSilent).toBe(false)
    }))

  it.scoped("does not tell what people have created", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      for (let index = 0; index < 3; index++) {
        yield* visitor.api("POST", "/monitors", { name: `Job ${index}`, kind: "heartbeat", periodSec: 3600 })
      }
      const { text } = yield* visitor.get("/app")
      expect([text.includes("No outage, no incident and no maintenance."), text.includes(": created")]).toEqual([true, false])
    }))

  it.scoped("is one step from the settings, which keep the navigation and list each other", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { text } = yield* visitor.get("/app/keys")
      expect(text).toMatch(/<nav class="tabs close" aria-label="Settings">/)
      expect(text).toMatch(/href="\/app\/keys" aria-current="page">API keys/)
      expect(text).toMatch(/href="\/app\/members" aria-current="true">[\s\S]{0,400}?Settings/)
      expect((yield* visitor.get("/app")).text).not.toContain("tabs close")
    }))
})
