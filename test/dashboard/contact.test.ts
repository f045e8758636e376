/** The view in which people say how they are paged: of any role, for themselves alone, with what was typed kept where it is refused. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { WayId, WorkspaceId } from "../../schema/Ids.ts"
import type { Role } from "../../schema/workspace/Workspace.ts"
import { mint } from "../../src/store/Mint.ts"
import { newOwner, newVisitor } from "../support/browser/Visitor.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { programOf } from "../support/program/Program.ts"
import { submitted } from "./Forms.ts"

/** A browser of somebody with a role in the workspace. */
const browserOf = (workspace: string, role: Role) =>
  Effect.gen(function*() {
    const { headers: { cookie }, userId } = yield* signedIn(WorkspaceId.make(workspace), role)
    const visitor = yield* newVisitor
    const [name = "", token = ""] = cookie.split("=")
    visitor.cookies.set(name, token)
    return { visitor, userId, of: `/oncall/members/${userId}` }
  })

const device = { kind: "push", endpoint: "https://push.example.com/1", p256dh: "short", auth: "short" }

layer(programOf({}), { excludeTestServices: true, timeout: "90 seconds" })("how a person is paged", (it) => {
  for (const role of ["viewer", "member", "admin"] as const) {
    it.effect(`is changed by the person as ${role}, in the dashboard and by the interface`, () =>
      Effect.gen(function*() {
        const { id } = yield* newOwner()
        const { of, visitor } = yield* browserOf(id, role)
        const saved = yield* submitted(visitor, "/app/contact", "rules", {
          "low.0.during": "working",
          "workingHours.days:numbers+": ["0", "2", "4"],
          "workingHours.from": "08:30",
          "workingHours.to": "17:00",
          "workingHours.timezone:key": "Europe/Athens"
        })
        expect(saved.text).toContain("Saved")
        const { body: rules } = yield* visitor.api("GET", `${of}/rules`)
        expect(rules).toMatchObject({
          isDefault: false,
          workingHours: { days: [0, 2, 4], from: "08:30", to: "17:00", timezone: "Europe/Athens" }
        })
        expect(rules.low[0].during).toBe("working")
        // The form has them, and an untouched one keeps them.
        yield* submitted(visitor, "/app/contact", "rules")
        expect((yield* visitor.api("GET", `${of}/rules`)).body).toEqual(rules)
        expect((yield* visitor.api("PATCH", `${of}/rules`, { reset: true })).body.isDefault).toBe(true)
        // Its address is judged, not the role.
        expect((yield* visitor.api("POST", `${of}/ways`, device)).status).toBe(422)
      }))
  }

  it.effect("is no viewer's and no member's to see or change of somebody else", () =>
    Effect.gen(function*() {
      const { id, visitor: owner } = yield* newOwner()
      const other = yield* browserOf(id, "admin")
      for (const role of ["viewer", "member"] as const) {
        const { visitor } = yield* browserOf(id, role)
        const answers = yield* Effect.all([
          visitor.api("GET", `${other.of}/ways`),
          visitor.api("GET", `${other.of}/rules`),
          visitor.api("PATCH", `${other.of}/rules`, { reset: true }),
          visitor.api("POST", `${other.of}/ways`, device)
        ])
        expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
      }
      expect((yield* owner.api("GET", `${other.of}/ways`)).status).toBe(200)
    }))

  it.effect("says at the field what a step lacks, and keeps what was typed", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const refused = yield* submitted(visitor, "/app/contact", "rules", {
        "high.1.during": "off",
        "high.1.afterMinutes:number": "7"
      })
      expect(refused.status).toBe(422)
      const [step = ""] = /<select[^>]*id="rules-high-1-during"[\s\S]*?<\/div>/.exec(refused.text) ?? []
      expect(step).toMatch(/class="issue"[^>]*>[^<]*orking/)
      expect(step).toContain("<option value=\"off\" selected")
      expect(refused.text).toMatch(
        /name="high\.1\.afterMinutes:number"[^>]*value="7"|value="7"[^>]*name="high\.1\.afterMinutes:number"/
      )
      // Half of the hours is not enough either, and takes nothing away.
      const half = yield* submitted(visitor, "/app/contact", "rules", { "workingHours.from": "08:00" })
      expect(half.status).toBe(422)
      expect(half.text).toMatch(/id="rules-workingHours-to-issue"/)
      expect(half.text).toMatch(/id="rules-workingHours-from"[^>]*value="08:00"|value="08:00"[^>]*id="rules-workingHours-from"/)
    }))

  it.effect("keeps the device of a step, also one that is deleted, and takes none of another kind", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const { body: me } = yield* visitor.api("GET", "/me")
      const of = `/oncall/members/${me.user.id}`
      const wayId = yield* mint("way", WayId)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into contact_ways (id, workspace_id, user_id, kind, label, shown, sealed, target_hash, verified_at, created_at,
                                  updated_at)
        values (${wayId}, ${id}, ${me.user.id}, 'push', 'Phone', 'push.test', 'sealed', 'hash', now(), now(), now())`
      const high = [{ by: "push", wayId, afterMinutes: 0 }, { by: "email", afterMinutes: 5 }]
      const wrong = yield* visitor.api("PATCH", `${of}/rules`, { high: [{ by: "sms", wayId, afterMinutes: 0 }] })
      expect([wrong.status, wrong.body.error.details?.[0]?.path]).toEqual([422, "high.0.wayId"])
      yield* visitor.api("PATCH", `${of}/rules`, { high })
      const saved = { "high.1.afterMinutes:number": "6" }
      yield* submitted(visitor, "/app/contact", "rules", saved)
      expect((yield* visitor.api("GET", `${of}/rules`)).body.high).toEqual([high[0], { ...high[1], afterMinutes: 6 }])
      yield* visitor.api("DELETE", `${of}/ways/${wayId}`)
      yield* submitted(visitor, "/app/contact", "rules", { "high.1.afterMinutes:number": "7" })
      expect((yield* visitor.api("GET", `${of}/rules`)).body.high).toEqual([high[0], { ...high[1], afterMinutes: 7 }])
    }))

  it.effect("loses its working hours again when they are emptied", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { body: me } = yield* visitor.api("GET", "/me")
      const of = `/oncall/members/${me.user.id}`
      yield* visitor.api("PATCH", `${of}/rules`, { workingHours: { timezone: "UTC", days: [0], from: "08:00", to: "17:00" } })
      yield* submitted(visitor, "/app/contact", "rules", {
        "workingHours.days:numbers+": [],
        "workingHours.from": "",
        "workingHours.to": ""
      })
      expect((yield* visitor.api("GET", `${of}/rules`)).body.workingHours).toBe(null)
    }))
})
