/** Things of a person: workspaces, invitations, contact details, sessions and captured mail. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomToken } from "../../../src/store/Mint.ts"
import { tokenHash } from "../../../src/store/Vault.ts"
import { posted, submitted, switched } from "../../dashboard/Forms.ts"
import {
  type Answer,
  forgetLimits,
  linkIn,
  newAddress,
  newOwner,
  newVisitor,
  type Visitor
} from "../../support/browser/Visitor.ts"
import { programOf } from "../../support/program/Program.ts"

/** Invites an address and finds the invitation in the owner's captured mail. */
const invited = Effect.fn("invited")(function*(owner: Visitor, email: string, role = "member") {
  const answer = yield* owner.api("POST", "/members", { email, role })
  expect(answer.status).toBe(201)
  const mails = yield* owner.api("GET", "/me/mails")
  const mail = yield* owner.api("GET", `/me/mails/${mails.body.data[0].id}`)
  expect(mail.body.to).toBe(email)
  return /\/invite\/[0-9A-Za-z]{40}/.exec(mail.body.text)?.[0] ?? "no invitation"
})

/** Signs in by a link that the server's operator printed, which proves the address and keeps what the account has. */
const openedOperatorLink = Effect.fn("openedOperatorLink")(function*(visitor: Visitor, email: string) {
  const sql = yield* SqlClient.SqlClient
  const token = yield* randomToken(40)
  yield* sql`
    insert into sign_in_links (token_hash, email, mailed, operator, newcomer, created_at, expires_at)
    values (${tokenHash(token)}, ${email}, false, true, false, now(), now() + interval '15 minutes')`
  expect((yield* visitor.submit(`/auth/link/${token}`)).status).toBe(303)
})

const subjectsOf = (visitor: Visitor) =>
  Effect.map(
    visitor.api("GET", "/me/mails"),
    ({ body }) => body.data.map(({ subject, to }: { subject: string; to: string }) => `${subject} > ${to}`)
  )

layer(programOf(), { excludeTestServices: true })("a signed-in person", (it) => {
  it.effect("creates workspaces, switches between them, and acts in the current or the requested one", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const made = yield* visitor.api("POST", "/me/workspaces", { name: "  Second  " })
      expect([made.status, made.body.name, made.body.role, made.body.current]).toEqual([201, "Second", "owner", true])
      expect((yield* visitor.api("GET", "/agent/whoami")).body.workspace).toMatchObject({
        id: made.body.id,
        claimed: true,
        expiresAt: null
      })
      expect((yield* visitor.api("GET", "/agent/whoami", undefined, { "x-workspace": id })).body.workspace.id).toBe(id)
      expect((yield* visitor.api("POST", `/me/workspaces/${id}/switch`)).body).toMatchObject({ id, current: true })
      expect(
        (yield* visitor.api("GET", "/me/workspaces")).body.data.map((
          one: { id: string; current: boolean }
        ) => [one.id, one.current])
      )
        .toEqual([[id, true], [made.body.id, false]])
      const stranger = yield* newOwner()
      expect((yield* visitor.api("POST", `/me/workspaces/${stranger.id}/switch`)).status).toBe(404)
      expect((yield* visitor.api("GET", "/agent/whoami", undefined, { "x-workspace": stranger.id })).status).toBe(403)
      for (const name of ["", "   ", "x".repeat(81)]) {
        expect((yield* visitor.api("POST", "/me/workspaces", { name })).status).toBe(422)
      }
      expect((yield* posted(visitor, "/app/workspaces", "new-workspace", { name: "Third" })).location).toBe("/app")
      expect((yield* switched(visitor, "/app/workspaces", id)).location).toBe("/app")
      expect((yield* visitor.get("/app")).text).toContain("<span title=\"Acme\">Acme</span>")
    }))

  it.effect("joins by an invitation: a new person immediately, a known one after signing in, nobody else", () =>
    Effect.gen(function*() {
      const { id, visitor: owner } = yield* newOwner()
      const email = newAddress("bob")
      const invitation = yield* invited(owner, email, "viewer")
      const bob = yield* newVisitor
      expect((yield* bob.get(invitation)).text).toContain("Accepting creates an account")
      expect((yield* bob.submit(invitation)).location).toBe(`/sign-in?next=${encodeURIComponent(invitation)}`)
      expect((yield* bob.submit(`${invitation}/join`)).location).toBe("/app")
      expect((yield* bob.api("GET", "/me")).body).toMatchObject({ user: { email }, workspace: { id, role: "viewer" } })
      expect((yield* bob.get(invitation)).status).toBe(404)
      expect((yield* bob.api("POST", "/members", { email: newAddress(), role: "viewer" })).status).toBe(403)

      const known = yield* newOwner()
      const second = yield* invited(owner, known.email)
      const thief = yield* newVisitor
      expect((yield* thief.get(second)).text).toContain("Create a sign-in link")
      expect((yield* thief.submit(`${second}/join`)).status).toBe(409)
      expect((yield* bob.submit(second)).status).toBe(403)
      // Anyone could have made the account, so it accepts nothing before its address is proved.
      expect((yield* known.visitor.get(second)).text).toContain("first prove that this address is yours")
      const refused = yield* known.visitor.submit(second)
      expect([refused.status, refused.text.includes("node dist/belltower.js sign-in-link")]).toEqual([403, true])
      yield* openedOperatorLink(known.visitor, known.email)
      expect((yield* known.visitor.get(second)).text).toContain("Accept")
      expect((yield* known.visitor.submit(second)).location).toBe("/app")
      expect((yield* known.visitor.api("GET", "/me")).body.workspace).toMatchObject({ id, role: "member" })
      const log = yield* owner.api("GET", "/audit?operation=accept_invitation")
      expect(log.body.data).toHaveLength(2)
    }))

  it.effect("without a mail server gains nothing from another person's address", () =>
    Effect.gen(function*() {
      const { visitor: owner } = yield* newOwner()
      const email = newAddress("victim")
      // The thief is first to use the address, then the victim is invited as an admin.
      const thief = yield* newOwner(email)
      const invitation = yield* invited(owner, email, "admin")
      yield* forgetLimits
      yield* (yield* newVisitor).submit("/sign-in", { email })
      expect(yield* subjectsOf(thief.visitor)).toEqual([`Sign in to Belltower > ${email}`])
      expect((yield* thief.visitor.submit(invitation)).status).toBe(403)
      expect((yield* thief.visitor.submit(`${invitation}/join`)).status).toBe(409)
      expect((yield* thief.visitor.api("GET", "/me/workspaces")).body.data).toHaveLength(1)
    }))

  it.effect("cannot use an invitation that is expired, withdrawn or renewed", () =>
    Effect.gen(function*() {
      const { visitor: owner } = yield* newOwner()
      const sql = yield* SqlClient.SqlClient
      const email = newAddress()
      const first = yield* invited(owner, email)
      const renewed = yield* invited(owner, email)
      const visitor = yield* newVisitor
      expect((yield* visitor.submit(`${first}/join`)).status).toBe(404)
      yield* sql`update invitations set expires_at = now() - interval '1 second' where email = ${email}`
      expect((yield* visitor.submit(`${renewed}/join`)).status).toBe(404)
      expect(visitor.session()).toBeUndefined()
    }))

  it.effect("sets contact details, and clears outdated ones", () =>
    Effect.gen(function*() {
      const { email, visitor } = yield* newOwner()
      expect((yield* visitor.api("GET", "/me/contact")).body).toEqual({
        name: null,
        email,
        phone: null,
        slack: null,
        telegram: null
      })
      const changed = yield* visitor.api("PATCH", "/me/contact", { name: " Ada ", phone: "+4930123456", slack: "U012AB" })
      expect(changed.body).toEqual({ name: "Ada", email, phone: "+4930123456", slack: "U012AB", telegram: null })
      expect((yield* visitor.api("PATCH", "/me/contact", { phone: null })).body).toMatchObject({
        name: "Ada",
        phone: null,
        slack: "U012AB"
      })
      const wrong = [{ phone: "030 123" }, { phone: "+0123456789" }, { telegram: "a b" }, { email: "x@example.com" }, {
        totp: "x"
      }, { name: "x".repeat(101) }]
      for (const body of wrong) {
        expect([body, (yield* visitor.api("PATCH", "/me/contact", body)).status]).toEqual([body, 422])
      }
      const typed = { "name:word?": "Ada L", "slack:word?": " ", "telegram:word?": "ada_l " }
      expect((yield* submitted(visitor, "/app/contact", "contact", typed)).text).toContain("<span>Saved</span>")
      expect((yield* visitor.api("GET", "/me/contact")).body).toMatchObject({ name: "Ada L", slack: null, telegram: "ada_l" })
      expect((yield* posted(visitor, "/app/contact", "contact", { "phone:word?": "nonsense" })).status).toBe(422)
    }))

  it.effect("chooses on a page which workspaces' digests to get, and not those of others", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const [mine] = (yield* visitor.api("GET", "/me/workspaces")).body.data
      expect((yield* visitor.get("/app/digest")).text).toContain("Unsubscribe from the digest of")
      const saved = yield* submitted(visitor, "/app/digest", `digest-${mine.id}`)
      expect([saved.text.includes("<span>Saved</span>"), saved.text.includes("Subscribe to the digest of")]).toEqual([true, true])
      expect((yield* visitor.api("GET", "/digest/settings")).body).toMatchObject({ subscribed: false, recipients: [] })
      const { id, visitor: other } = yield* newOwner()
      expect((yield* posted(other, "/app/digest", `digest-${id}`, { id: mine.id })).status).toBe(404)
    }))

  it.effect("lists their sessions, and ends any or all of them", () =>
    Effect.gen(function*() {
      const owner = yield* newOwner()
      const again = Effect.gen(function*() {
        yield* forgetLimits
        const visitor = yield* newVisitor
        yield* visitor.submit("/sign-in", { email: owner.email })
        const mails = yield* owner.visitor.api("GET", "/me/mails")
        const mail = yield* owner.visitor.api("GET", `/me/mails/${mails.body.data[0].id}`)
        yield* visitor.submit(linkIn(mail.body.text))
        return visitor
      })
      const [a, b, c] = [yield* again, yield* again, yield* again]
      const { body } = yield* owner.visitor.api("GET", "/me/security")
      expect(body.sessions).toHaveLength(4)
      expect(body.sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1)
      const mine = (yield* a.api("GET", "/me/security")).body.sessions.find(({ current }: { current: boolean }) => current)
      expect(mine).toMatchObject({ via: "email", ip: "127.0.0.1" })
      const stranger = yield* newOwner()
      expect((yield* stranger.visitor.api("DELETE", `/me/sessions/${mine.id}`)).status).toBe(404)
      expect((yield* owner.visitor.api("DELETE", `/me/sessions/${mine.id}`)).body).toEqual({ id: mine.id, deleted: true })
      expect((yield* a.api("GET", "/me")).status).toBe(401)
      expect((yield* owner.visitor.api("DELETE", `/me/sessions/${mine.id}`)).status).toBe(404)
      expect((yield* owner.visitor.api("POST", "/me/sessions/revoke-others")).body).toEqual({ revoked: 2 })
      for (const visitor of [b, c]) expect((yield* visitor.api("GET", "/me")).status).toBe(401)
      expect((yield* owner.visitor.api("GET", "/me")).status).toBe(200)
    }))

  it.effect("reads the mail captured for them and for their workspaces, and no other", () =>
    Effect.gen(function*() {
      const { visitor: owner } = yield* newOwner()
      const email = newAddress("carol")
      const invitation = yield* invited(owner, email)
      const carol = yield* newVisitor
      yield* carol.submit(`${invitation}/join`)
      yield* forgetLimits
      yield* (yield* newVisitor).submit("/sign-in", { email })
      const signIn = `Sign in to Belltower > ${email}`
      // Carol belongs to the owner's workspace only: without a mail server the owner forwards her mail.
      expect(yield* subjectsOf(owner)).toContain(signIn)
      // She has proved nothing: the mail to her address may be another person's.
      expect(yield* subjectsOf(carol)).toEqual([])
      const stranger = yield* newOwner()
      expect((yield* subjectsOf(stranger.visitor)).filter((one: string) => one.includes("carol"))).toEqual([])
      const { body } = yield* owner.api("GET", "/me/mails")
      for (const { id } of body.data) expect((yield* stranger.visitor.api("GET", `/me/mails/${id}`)).status).toBe(404)
      // Once she also belongs to another workspace, her owner does not see her link.
      yield* carol.api("POST", "/me/workspaces", { name: "Hers" })
      expect(yield* subjectsOf(owner)).not.toContain(signIn)
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from memberships where role = 'owner' and user_id = (select id from users where email = ${email})`
      expect(yield* subjectsOf(owner)).toContain(signIn)
      // Nor once she has proved her address, which lets her enter other workspaces. Then she reads it herself.
      yield* openedOperatorLink(carol, email)
      expect(yield* subjectsOf(owner)).not.toContain(signIn)
      expect(yield* subjectsOf(carol)).toEqual(
        expect.arrayContaining([signIn, `You are invited to Acme on Belltower > ${email}`])
      )
      expect((yield* owner.get("/app/mail")).text).toContain("You are invited to Acme")
      const [first] = body.data
      expect((yield* owner.get(`/app/mail/${first.id}`)).status).toBe(404)
    }))

  it.effect("finds a monitor behind its link, but none of another workspace", () =>
    Effect.gen(function*() {
      const { key, visitor } = yield* newOwner()
      const made = yield* visitor.api("POST", "/monitors", { name: "Front <b>door</b>", url: "https://shop.example.com/" }, {
        authorization: `Bearer ${key}`
      })
      const path = new URL(made.body.dashboardUrl).pathname
      const page = yield* visitor.get(path)
      expect([page.status, page.text.includes("Front &lt;b>door"), page.text.includes("<b>door")]).toEqual([200, true, false])
      expect((yield* (yield* newOwner()).visitor.get(path)).status).toBe(404)
      expect((yield* (yield* newVisitor).get(path)).location).toBe(`/sign-in?next=${encodeURIComponent(path)}`)
    }))

  it.effect("gets a page for every path, including unknown paths and failures", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const nobody = yield* newVisitor
      const isPage = ({ headers, text }: Answer) =>
        (headers.get("content-type") ?? "").startsWith("text/html") && text.includes("Belltower</title>")
      for (
        const path of [
          "/app/nothing",
          "/app/a/b?c=d",
          "/app/workspaces/nothing",
          "/claim",
          "/claim/x",
          "/claim/x/y",
          "/auth/nothing"
        ]
      ) {
        for (const who of [visitor, nobody]) {
          const answer = yield* who.get(path)
          expect([path, answer.status, isPage(answer)]).toEqual([path, 404, true])
        }
      }
      const posted = yield* visitor.submit("/app/nothing")
      expect([posted.status, isPage(posted)]).toEqual([404, true])
      const foreign = yield* visitor.submit("/app/do/update_my_contact", {}, {
        origin: "https://elsewhere.example",
        "sec-fetch-site": "cross-site"
      })
      expect([foreign.status, isPage(foreign)]).toEqual([403, true])
      expect((yield* nobody.get("/app/mail?a=b")).location).toBe("/sign-in?next=%2Fapp%2Fmail%3Fa%3Db")
      expect((yield* visitor.get("/sign-out")).location).toBe("/app")
      expect((yield* visitor.get("/invite/x/join")).location).toBe("/invite/x")
      const sql = yield* SqlClient.SqlClient
      yield* sql`alter table mails rename to lost_mails`
      const broken = yield* visitor.get("/app/mail")
      yield* sql`alter table lost_mails rename to mails`
      expect([broken.status, isPage(broken), broken.text.includes("lost_mails")]).toEqual([500, true, false])
    }))
})
