/** A maintenance window whose start and end pass while the program is dead. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { clientOf, type Json, newAgent } from "./support/Client.ts"
import { awaited, startedFolder, startProgram } from "./support/Program.ts"

describe("a maintenance window", () => {
  it.scopedLive("starts and completes after a kill -9, although its times passed meanwhile", () =>
    Effect.gen(function*() {
      const folder = yield* startedFolder
      const killed = yield* startProgram({ folder })
      const agent = yield* newAgent(killed.baseUrl)
      const page = yield* agent.post("/pages", { name: "Acme" })
      const component = yield* agent.post(`/pages/${page.body.id}/components`, { name: "API" })
      const now = yield* DateTime.now
      const scheduled = yield* agent.post("/maintenance", {
        title: "Upgrade",
        message: "We upgrade the database.",
        scheduledStart: DateTime.formatIso(DateTime.add(now, { seconds: 8 })),
        scheduledEnd: DateTime.formatIso(DateTime.add(now, { seconds: 10 })),
        componentIds: [component.body.id]
      })
      expect([scheduled.status, scheduled.body.status]).toEqual([201, "scheduled"])
      yield* killed.signal("SIGKILL")
      yield* killed.ended

      const program = yield* startProgram({ folder })
      const back = clientOf(program.baseUrl, agent.apiKey)
      const events = Effect.map(back.get("/events"), ({ body }) => body.data.map(({ type }: Json) => type).reverse())
      const types = yield* awaited(events, (all) => all.includes("maintenance.completed"))
      expect(types.filter((type: string) => type.startsWith("maintenance."))).toEqual([
        "maintenance.scheduled",
        "maintenance.started",
        "maintenance.completed"
      ])
      const record = (yield* back.get(`/incidents/${scheduled.body.id}`)).body
      expect(record).toMatchObject({ status: "completed", resolvedAt: record.scheduledEnd })
      const shown = (yield* clientOf(program.baseUrl).get("/public/pages/acme")).body
      expect(shown).toMatchObject({ status: "operational", maintenances: [], incidents: [] })
    }), 120_000)
})
