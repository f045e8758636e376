/** Without a mail server, nothing claims that mail was sent: each place says that it was captured. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { submitted } from "../../dashboard/Forms.ts"
import { newAddress, newOwner, newVisitor, type Visitor } from "../../support/browser/Visitor.ts"
import { programOf } from "../../support/program/Program.ts"
import { until } from "../../support/time/Until.ts"

const note = "Captured, not sent: no mail server is set"

const mailChannel = (visitor: Visitor) =>
  Effect.map(
    visitor.api("POST", "/channels", { name: "Mail", type: "email", emails: ["ada@example.com"] }),
    ({ body }) => body
  )

layer(programOf(), { excludeTestServices: true, timeout: "90 seconds" })("without a mail server", (it) => {
  it.effect("a test of an email channel is captured, in its answer, in its view and in the list of deliveries", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const channel = yield* mailChannel(visitor)
      const { body } = yield* visitor.api("POST", `/channels/${channel.id}/test`)
      expect(body).toMatchObject({ delivered: false, captured: true, statusCode: null, error: note })
      const view = yield* submitted(visitor, `/app/channels/${channel.id}`, "test")
      expect([view.text.includes("Captured, not sent."), view.text.includes("The test arrived")]).toEqual([true, false])

      const listed = (query: string) => Effect.map(visitor.api("GET", `/deliveries${query}`), ({ body: { data } }) => data)
      const [delivery] = yield* listed("?status=captured")
      expect(delivery).toMatchObject({ status: "captured", stage: "captured", error: note, attempts: 1 })
      expect(delivery.finishedAt).not.toBe(null)
      expect(yield* listed("?status=delivered")).toEqual([])
      const log = yield* visitor.get("/app/deliveries")
      expect([log.text.includes("Captured, not sent"), log.text.includes("nothing was sent")]).toEqual([true, false])
    }))

  it.effect("an alert is captured, and so are the channels and the people of a drill, which fails", () =>
    Effect.gen(function*() {
      const { email, visitor } = yield* newOwner()
      const sql = yield* SqlClient.SqlClient
      yield* sql`update users set email_proved_at = now() where email = ${email}`
      const channel = yield* mailChannel(visitor)
      const { body: me } = yield* visitor.api("GET", "/me")
      const policy = yield* visitor.api("POST", "/escalation-policies", {
        name: "Everybody",
        levels: [{ targets: [{ type: "user", id: me.user.id }], afterMinutes: 0 }]
      })
      expect(policy.status).toBe(201)
      const { body: begun } = yield* visitor.api("POST", "/drills", {})
      const { body: drill } = yield* until(
        visitor.api("GET", `/drills/${begun.id}`),
        ({ body }) => body.status !== "running"
      )
      expect(drill.deliveries).toContainEqual(
        expect.objectContaining({ channelId: channel.id, event: "monitor.down", status: "captured", error: note })
      )
      expect(drill).toMatchObject({ status: "failed", error: expect.stringMatching(/^No mail server is set: 1 of 1 channel /) })
      const view = yield* visitor.get(`/app/drills/${begun.id}`)
      expect([view.text.includes("Everything arrived"), view.text.includes("Captured, not sent")]).toEqual([false, true])
      expect([drill.paged, drill.captured]).toEqual([[email], [email]])
      expect(view.text).toContain(`${email} (captured, not sent: no mail server is set)`)
    }))

  it.effect("the dashboard tells owners on every view, and the operator's page tells how to change it", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      for (const path of ["/app", "/app/channels", "/app/members"]) {
        const { text } = yield* visitor.get(path)
        expect([path, text.includes("by email are captured, not sent"), text.includes("href=\"/app/providers\"")])
          .toEqual([path, true, true])
      }
      const { text } = yield* visitor.get("/app/providers")
      expect([
        text.includes("node dist/belltower.js sign-in-link you@example.com --operator"),
        text.includes("id=\"mail-server\"")
      ])
        .toEqual([true, false])
    }))

  it.effect("invitations, sign-in links and confirmations say that they were captured", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { body: member } = yield* visitor.api("POST", "/members", { email: newAddress(), role: "member" })
      expect(member).toMatchObject({ status: "invited", mail: "captured" })
      const invited = yield* submitted(visitor, "/app/members", "invite-form", { email: newAddress() })
      expect([invited.text.includes("Invitation sent"), invited.text.includes("Invitation captured, not sent")])
        .toEqual([false, true])

      const stranger = yield* newVisitor
      const asked = yield* stranger.api("POST", "/auth/email", { email: newAddress() })
      expect(asked.body).toEqual({ sent: false })
      const page = yield* stranger.submit("/sign-in", { email: newAddress() })
      expect([page.text.includes("Check your email"), page.text.includes("captured, not sent")]).toEqual([false, true])

      const { body: status } = yield* visitor.api("POST", "/pages", { name: `Acme ${newAddress()}` })
      const { body: subscribed } = yield* stranger.api("POST", `/public/pages/${status.slug}/subscribers`, {
        type: "email",
        email: newAddress()
      })
      expect(subscribed).toMatchObject({ status: "pending", mail: "captured" })
      expect((yield* visitor.get(`/app/pages/${status.id}/subscribers`)).text).toContain("captured, not sent")
    }))
})
