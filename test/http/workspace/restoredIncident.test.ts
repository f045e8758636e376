/** An incident that is open while its workspace is deleted, through the whole program: whom a restoration pages, and when. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newOwner } from "../../support/browser/Visitor.ts"
import { programOf } from "../../support/program/Program.ts"
import type { Json } from "../../support/program/TestServer.ts"
import { until } from "../../support/time/Until.ts"

layer(programOf({}), { excludeTestServices: true, timeout: "120 seconds" })("a workspace that is restored", (it) => {
  it.effect("pages about an open incident after the time that was left at its deletion, not all at the restoration", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { id, visitor } = yield* newOwner()
      const { body: { user } } = yield* visitor.api("GET", "/me")
      // A link that was only captured proves no address.
      yield* sql`update users set email_proved_at = now() where id = ${user.id}`
      const high = [0, 20, 40].map((afterMinutes) => ({ by: "email", afterMinutes }))
      expect((yield* visitor.api("PATCH", `/oncall/members/${user.id}/rules`, { high })).status).toBe(200)
      const targets = [{ type: "user", id: user.id }]
      const policy = yield* visitor.api("POST", "/escalation-policies", {
        name: "Platform",
        levels: [{ afterMinutes: 0, targets }, { afterMinutes: 60, targets }]
      })
      expect(policy.status).toBe(201)
      const { body: incident } = yield* visitor.api("POST", "/incidents", {
        title: "Checkout is down",
        message: "We look.",
        impact: "critical"
      })
      const pagings = Effect.map(visitor.api("GET", `/incidents/${incident.id}/pagings`), ({ body }) => body)
      const before: Json = yield* until(pagings, ({ data }) => data.length === 3 && data[0].state !== "planned", "20 seconds")

      expect((yield* visitor.api("DELETE", "/workspace")).status).toBe(200)
      // Five minutes after its first page, the workspace is deleted for three days.
      yield* sql`update workspaces set deleted_at = now() - interval '3 days' where id = ${id}`
      yield* sql`
        update incident_alerting set next_at = next_at - interval '3 days 5 minutes' where workspace_id = ${id}`
      yield* sql`update pagings set due_at = due_at - interval '3 days 5 minutes' where workspace_id = ${id}`
      yield* sql`update alarms set due_at = due_at - interval '3 days 5 minutes' where workspace_id = ${id}`
      const restoredAt = Date.now()
      expect((yield* visitor.api("POST", `/me/workspaces/${id}/restore`)).status).toBe(200)
      yield* until(
        sql`select 1 from alarms where kind = 'incident' and id = ${incident.id} and due_at > now() + interval '1 minute'`,
        (rows) => rows.length === 1,
        "20 seconds"
      )
      yield* visitor.api("POST", `/me/workspaces/${id}/switch`)
      const after: Json = yield* pagings
      expect(after.data.map(({ state }: Json) => state)).toEqual([before.data[0].state, "planned", "planned"])
      const minutes = [...after.data.slice(1).map(({ dueAt }: Json) => dueAt), after.escalation.next.at]
        .map((at) => (Date.parse(at) - restoredAt) / 60_000)
      // The time that was left, at most; the program took a moment for it.
      for (const [index, left] of [15, 35, 55].entries()) {
        expect(minutes[index]).toBeGreaterThan(left - 3)
        expect(minutes[index]).toBeLessThan(left + 3)
      }
    }))
})
