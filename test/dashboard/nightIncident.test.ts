/** The page of an incident that somebody opens on a phone at night: what it says first, what it offers, and what follows a link. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { IncidentId, WorkspaceId } from "../../schema/Ids.ts"
import { AcknowledgeTokens } from "../../src/store/incident/AcknowledgeTokens.ts"
import { newOwner, newVisitor, type Visitor } from "../support/browser/Visitor.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { programKeys, TestProgram } from "../support/program/Program.ts"
import { until } from "../support/time/Until.ts"

/** Text as a reader sees it. */
const plain = (html: string): string => html.replace(/<[^>]*>/g, "").replace(/[\u2066-\u2069]/g, "").replace(/\s+/g, " ")

const get = (visitor: Visitor, path: string) => Effect.map(visitor.get(path), ({ text }) => ({ text, words: plain(text) }))

/** An incident that pages its owner, then a second level with Ben, who can be reached. */
const night = Effect.gen(function*() {
  const owner = yield* newOwner()
  const sql = yield* SqlClient.SqlClient
  const ben = yield* signedIn(WorkspaceId.make(owner.id), "member", "Ben")
  const { body: me } = yield* owner.visitor.api("GET", "/me")
  yield* sql`update users set email_proved_at = now() where id in (${ben.userId}, ${me.user.id})`
  yield* owner.visitor.api("POST", "/escalation-policies", {
    name: "Platform",
    levels: [
      { afterMinutes: 0, targets: [{ type: "user", id: me.user.id }] },
      { afterMinutes: 15, targets: [{ type: "user", id: ben.userId }] }
    ]
  })
  const { body } = yield* owner.visitor.api("POST", "/incidents", {
    title: "Slow checkout",
    message: "We look.",
    impact: "major"
  })
  const id = IncidentId.make(body.id)
  yield* until(
    owner.visitor.api("GET", `/incidents/${id}/pagings`),
    ({ body: { data, escalation } }) => data.length === 1 && data[0].state !== "sending" && escalation.next?.level === 2,
    "30 seconds"
  )
  return { ...owner, ben, id, path: `/app/incidents/${id}` }
})

const program = AcknowledgeTokens.Default.pipe(Layer.provide(programKeys), Layer.provideMerge(TestProgram))

layer(program, { excludeTestServices: true, timeout: "120 seconds" })("an incident at night", (it) => {
  it.scoped("says who was paged by what, who is next and when, and offers what to do", () =>
    Effect.gen(function*() {
      const { email, path, visitor } = yield* night
      const { text, words } = yield* get(visitor, path)
      expect(words).toContain("Nobody has acknowledged this")
      expect(words).toMatch(/Next: level 2: Ben in 1[45] minutes/)
      expect(words).toContain(`Page to ${email} by email`)
      const [, bar = ""] = /<section class="acts"([\s\S]*?)<\/section>/.exec(text) ?? []
      expect([...bar.matchAll(/<form[^>]*data-call="([a-z_]+)"/g)].map(([, call]) => call)).toEqual([
        "acknowledge_incident",
        "resolve_incident",
        "escalate_incident",
        "hand_over_incident"
      ])
      expect(words).not.toContain("Write postmortem")
    }))

  it.scoped("hands over and escalates by its forms, with what was done in the timeline", () =>
    Effect.gen(function*() {
      const { ben, email, id, path, visitor } = yield* night
      const form = (name: string) => ({ _form: name, _back: path, _then: path, id })
      yield* visitor.submit("/app/do/acknowledge_incident", form("acknowledge"))
      const taken = yield* get(visitor, path)
      expect(taken.words).toContain(`Acknowledged by ${email}`)
      expect(taken.words).not.toContain("Next:")
      const empty = yield* visitor.submit("/app/do/hand_over_incident", { ...form("hand-over"), userId: "" })
      expect(empty.status).toBe(422)
      const given = yield* visitor.submit("/app/do/hand_over_incident", {
        ...form("hand-over"),
        userId: ben.userId,
        note: "Database"
      })
      expect([given.status, given.location]).toEqual([303, path])
      const after = yield* get(visitor, path)
      expect(after.words).toContain("Nobody has acknowledged this")
      expect(after.words).toContain(`Handed over to Ben by ${email}: Database`)
      yield* visitor.submit("/app/do/escalate_incident", form("escalate"))
      expect((yield* get(visitor, path)).words).toContain(`Escalated to level 2 of 2 by ${email}.`)
      const shown = yield* until(get(visitor, path), ({ words }) => words.includes("hand-over"), "30 seconds")
      expect(shown.words).toContain("Page to Ben by email")
    }))

  it.scoped("offers the postmortem after the end, and no actions any more", () =>
    Effect.gen(function*() {
      const { id, path, visitor } = yield* night
      yield* visitor.api("POST", `/incidents/${id}/resolve`, {})
      const { text, words } = yield* get(visitor, path)
      expect(words).toContain("Write postmortem")
      expect(words).toContain("Resolved after")
      expect(text).not.toContain("class=\"acts\"")
    }))

  it.scoped("shows a viewer everything but the actions, also without a policy", () =>
    Effect.gen(function*() {
      const { id: workspace, visitor } = yield* newOwner()
      const { body } = yield* visitor.api("POST", "/incidents", { title: "Lost mails", message: "Mails are late." })
      const viewer = yield* signedIn(WorkspaceId.make(workspace), "viewer")
      const seen = yield* visitor.get(`/app/incidents/${body.id}`, viewer.headers)
      expect(seen.status).toBe(200)
      expect(plain(seen.text)).toContain("No escalation policy applies, so nobody is paged.")
      expect(seen.text).not.toMatch(/action="\/app\/do\/(?:resolve|acknowledge|escalate|hand_over|create_mute)/)
    }))

  it.scoped("is led to by the page behind an acknowledge link, which says what happens next", () =>
    Effect.gen(function*() {
      const { ben, id, path } = yield* night
      const tokens = yield* AcknowledgeTokens
      const link = `/ack/${tokens.make({ incidentId: id, recipient: ben.userId }, yield* DateTime.now)}`
      const anybody = yield* newVisitor
      const before = yield* get(anybody, link)
      expect(before.words).toMatch(/If nobody acknowledges, the next page goes to level 2: Ben in 1[45] minutes/)
      expect(before.text).toContain(`href="${path}"`)
      expect((yield* anybody.submit(link)).location).toBe(link)
      const after = yield* get(anybody, link)
      expect(after.words).toContain("nobody else is paged")
      expect(after.text).toContain(`href="${path}"`)
      // Who is not signed in signs in first, and comes back.
      expect((yield* anybody.get(path)).location).toBe(`/sign-in?next=${encodeURIComponent(path)}`)
    }))

  it.scoped("names the recipient of a channel's mail who acknowledged, not the channel", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { body: channel } = yield* visitor.api("POST", "/channels", {
        name: "Email",
        type: "email",
        emails: ["ops@acme.example", "second@acme.example"],
        events: ["incident.*"]
      })
      const { body: incident } = yield* visitor.api("POST", "/incidents", { title: "Slow checkout", message: "We look." })
      const list = yield* until(
        visitor.get("/app/mail"),
        ({ text }) => text.includes("ops@acme.example") && text.includes("second@acme.example"),
        "30 seconds"
      )
      const paths = [...new Set(list.text.match(/\/app\/mail\/mail_\w+/g))]
      const mails = yield* Effect.forEach(paths, (path) => Effect.map(visitor.get(path), ({ text }) => text))
      const mailTo = (address: string) => mails.find((text) => text.includes(address) && text.includes("/ack/")) ?? ""
      const linkIn = (text: string) => /\/ack\/[\w.?=-]+/.exec(text)?.[0] ?? ""
      const [first, second] = [linkIn(mailTo("ops@acme.example")), linkIn(mailTo("second@acme.example"))]
      expect(first).not.toBe(second)
      expect(mailTo("ops@acme.example")).toContain(`/app/incidents/${incident.id}`)
      expect(mailTo("ops@acme.example")).toMatch(/Time: \w+ \d+, \d{4}, \d\d:\d\d UTC/)
      const anybody = yield* newVisitor
      yield* anybody.submit(second)
      const { body } = yield* visitor.api("GET", `/incidents/${incident.id}`)
      expect(body.acknowledgement).toMatchObject({ by: "second@acme.example", via: "link" })
      // The name of another channel's recipient does not count.
      const { body: other } = yield* visitor.api("POST", "/incidents", { title: "Other", message: "We look." })
      const tokens = yield* AcknowledgeTokens
      const forged = tokens.make({ incidentId: IncidentId.make(other.id), recipient: channel.id }, yield* DateTime.now)
      yield* anybody.submit(`/ack/${forged}?to=someone.else`)
      expect((yield* visitor.api("GET", `/incidents/${other.id}`)).body.acknowledgement).toMatchObject({ by: "Email" })
    }))
})
