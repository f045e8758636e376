/** Sign-in with Google, GitHub, and email from a real mail server: what proves an email address, and what does not. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Fiber, Layer } from "effect"
import type { Provider } from "../../../schema/people/Person.ts"
import { codeOf } from "../../support/browser/Authenticator.ts"
import {
  type Answer,
  bootstrapped,
  forgetLimits,
  linkIn,
  newAddress,
  newVisitor,
  type Visitor
} from "../../support/browser/Visitor.ts"
import { programBaseUrl, programOf } from "../../support/program/Program.ts"
import { type LocalMail, localMail } from "../../support/services/LocalMail.ts"
import { type LocalProvider, localProvider } from "../../support/services/LocalProvider.ts"

class Others extends Context.Tag("Others")<Others, { readonly provider: LocalProvider; readonly post: LocalMail }>() {}

/** The program with a mail server and both providers. */
const ground = Layer.unwrapScoped(Effect.gen(function*() {
  const provider = yield* localProvider
  const post = yield* localMail()
  const program = programOf({
    ...provider.environment,
    SMTP_URL: post.url,
    BELLTOWER_MAIL_FROM: "Belltower <bell@belltower.test>"
  })
  return Layer.merge(program, Layer.succeed(Others, { provider, post }))
}))

let subjects = 1000
const newAccount = (email = newAddress("oauth")) => ({ subject: String(++subjects), email, verified: true, name: "Ada" })

/** Starts at a page, goes to the provider, and returns with its answer. */
const vouched = Effect.fn("vouched")(function*(visitor: Visitor, kind: Provider, begin = `/auth/${kind}`) {
  const { provider } = yield* Others
  const sent = yield* visitor.submit(begin)
  expect([sent.status, sent.location?.startsWith(provider.url)]).toEqual([303, true])
  const back = (yield* provider.visit(sent.location ?? "")).replace(programBaseUrl, "")
  return yield* visitor.get(back)
})

const byMail = Effect.fn("byMail")(function*(email: string, visitor: Visitor) {
  const { post } = yield* Others
  yield* forgetLimits
  yield* visitor.submit("/sign-in", { email })
  const { mail, to } = yield* post.next
  expect(to).toEqual([email])
  return yield* visitor.submit(linkIn(mail.text ?? ""))
})

layer(ground, { excludeTestServices: true })("a person", (it) => {
  for (const kind of ["google", "github"] as const) {
    describe(`with ${kind}`, () => {
      it.effect("signs in, as a new user at first and as the same user later", () =>
        Effect.gen(function*() {
          const { provider } = yield* Others
          const account = newAccount()
          provider.become(account)
          const visitor = yield* newVisitor
          expect((yield* visitor.get("/sign-in")).text).toContain(
            kind === "google" ? "Continue with Google" : "Continue with GitHub"
          )
          expect((yield* vouched(visitor, kind, `/auth/${kind}?next=/app/security`)).location).toBe("/app/security")
          const me = yield* visitor.api("GET", "/me")
          expect(me.body.user).toMatchObject({ email: account.email, name: "Ada" })
          const security = yield* visitor.api("GET", "/me/security")
          expect(security.body).toMatchObject({
            identities: [{ provider: kind, email: account.email }],
            sessions: [{ via: kind, current: true }]
          })
          // The provider reports another address later: still the same person here.
          provider.become({ ...account, email: newAddress() })
          const again = yield* newVisitor
          yield* vouched(again, kind)
          expect((yield* again.api("GET", "/me")).body.user.id).toBe(me.body.user.id)
        }))

      it.effect("is rejected with an unverified address", () =>
        Effect.gen(function*() {
          const { provider } = yield* Others
          const victim = newAddress()
          yield* byMail(victim, yield* newVisitor)
          provider.become({ ...newAccount(victim), verified: false })
          const thief = yield* newVisitor
          const answer = yield* vouched(thief, kind)
          expect([answer.status, thief.session(), answer.text.includes("not verified")]).toEqual([403, undefined, true])
        }))

      it.effect("is the owner of the verified address, unless another account of that kind is connected", () =>
        Effect.gen(function*() {
          const { provider } = yield* Others
          const email = newAddress()
          const first = yield* newVisitor
          yield* byMail(email, first)
          provider.become(newAccount(email))
          const second = yield* newVisitor
          yield* vouched(second, kind)
          expect((yield* second.api("GET", "/me")).body.user).toEqual((yield* first.api("GET", "/me")).body.user)
          provider.become(newAccount(email))
          const third = yield* newVisitor
          expect([(yield* vouched(third, kind)).status, third.session()]).toEqual([409, undefined])
        }))

      it.effect("connects and disconnects their own account, and nobody else can connect it", () =>
        Effect.gen(function*() {
          const { provider } = yield* Others
          const visitor = yield* newVisitor
          yield* byMail(newAddress(), visitor)
          provider.become(newAccount())
          const connect = `/app/security/identities/${kind}/connect`
          expect((yield* vouched(visitor, kind, connect)).location).toBe("/app/security")
          expect((yield* visitor.api("GET", "/me/security")).body.identities).toMatchObject([{ provider: kind }])
          expect((yield* visitor.api("DELETE", `/me/identities/${kind}`)).body).toEqual({ provider: kind, deleted: true })
          expect((yield* visitor.api("DELETE", `/me/identities/${kind}`)).status).toBe(404)

          // Another person's session in the returning browser: nothing is connected to it.
          const other = yield* newVisitor
          yield* byMail(newAddress(), other)
          const sent = yield* visitor.submit(connect)
          const back = (yield* provider.visit(sent.location ?? "")).replace(programBaseUrl, "")
          for (const [name, value] of visitor.cookies) if (name.includes("errand")) other.cookies.set(name, value)
          expect((yield* other.get(back)).status).toBe(403)
          expect((yield* other.api("GET", "/me/security")).body.identities).toEqual([])
        }))

      it.effect("can return only in the same browser, only once, and only with the original state", () =>
        Effect.gen(function*() {
          const { provider } = yield* Others
          provider.become(newAccount())
          const visitor = yield* newVisitor
          const sent = yield* visitor.submit(`/auth/${kind}`)
          const back = (yield* provider.visit(sent.location ?? "")).replace(programBaseUrl, "")
          const other = yield* newVisitor
          expect([(yield* other.get(back)).status, other.session()]).toEqual([403, undefined])
          const changed = back.replace(/state=[^&]*/, "state=another")
          expect([(yield* visitor.get(changed)).status, visitor.session()]).toEqual([403, undefined])
          const errand = [...visitor.cookies].find(([name]) => name.includes("errand")) ?? ["", ""]
          visitor.cookies.set(errand[0], `${errand[1].slice(0, -6)}AAAAAA`)
          expect((yield* visitor.get(back)).status).toBe(403)
          visitor.cookies.set(...errand as [string, string])
          expect((yield* visitor.get(back)).status).toBe(303)
          expect((yield* visitor.get(back)).status).toBe(403)
          // One provider's state is no answer for the other.
          const crossed = yield* newVisitor
          const began = yield* crossed.submit(`/auth/${kind}`)
          const elsewhere = kind === "google" ? "github" : "google"
          const landed = (yield* provider.visit(began.location ?? "")).replace(programBaseUrl, "").replace(
            `/auth/${kind}/`,
            `/auth/${elsewhere}/`
          )
          expect([(yield* crossed.get(landed)).status, crossed.session()]).toEqual([403, undefined])
        }))

      it.effect("may decline, and returns to where they were", () =>
        Effect.gen(function*() {
          const { provider } = yield* Others
          const visitor = yield* newVisitor
          provider.deny(true)
          const answer = yield* vouched(visitor, kind)
          provider.deny(false)
          expect([answer.status, answer.text.includes("declined"), visitor.session()]).toEqual([403, true, undefined])
        }))
    })
  }

  it.effect("is asked for the second factor even when it was turned on at the same moment", () =>
    Effect.gen(function*() {
      const { provider } = yield* Others
      const sql = yield* SqlClient.SqlClient
      const account = newAccount()
      provider.become(account)
      yield* vouched(yield* newVisitor, "google")
      const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      const visitor = yield* newVisitor
      const entering = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`select from users where email = ${account.email} for update`
        yield* sql`update users set totp_enabled_at = now() where email = ${account.email}`
        const entering = yield* Effect.fork(vouched(visitor, "google"))
        yield* Effect.repeat(waiting, { until: (rows) => rows.length === 1 })
        return entering
      }))
      expect((yield* Fiber.join(entering)).location).toBe("/auth/second-factor")
    }))

  it.effect("is rejected with a token that is not from Google, for another client, for another sign-in, or too old", () =>
    Effect.gen(function*() {
      const { provider } = yield* Others
      for (const flaw of ["signature", "audience", "nonce", "expired"] as const) {
        provider.become(newAccount())
        provider.spoil(flaw)
        const visitor = yield* newVisitor
        const { status } = yield* vouched(visitor, "google")
        provider.spoil("none")
        expect([flaw, status, visitor.session()]).toEqual([flaw, 403, undefined])
      }
    }))

  it.effect("with a mail server never sees a link anywhere but in their email", () =>
    Effect.gen(function*() {
      const { post } = yield* Others
      const { claim } = yield* bootstrapped
      const visitor = yield* newVisitor
      const email = newAddress()
      const asked = yield* visitor.submit(`${claim}/email`, { email })
      expect([linkIn(asked.text), asked.text.includes("Check your email")]).toEqual(["no link", true])
      const { mail } = yield* post.next
      expect((yield* visitor.submit(linkIn(mail.text ?? ""))).location).toBe(claim)
      expect((yield* visitor.submit(claim)).location).toBe("/app")
      expect((yield* visitor.api("GET", "/me/mails")).body.data).toEqual([])
      yield* visitor.api("POST", "/members", { email: newAddress(), role: "viewer" })
      expect((yield* post.next).mail.subject).toContain("invited to Acme")
    }))

  it.effect("who proves an address ends what another person began with it", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const email = newAddress()
      const squatter = yield* newVisitor
      yield* byMail(email, squatter)
      // Simulates an account created while there was no mail server.
      yield* sql`update users set email_proved_at = null where email = ${email}`
      const { provider } = yield* Others
      provider.become(newAccount(email))
      const owner = yield* newVisitor
      yield* vouched(owner, "google")
      expect((yield* squatter.api("GET", "/me")).status).toBe(401)
      yield* sql`update users set email_proved_at = null where email = ${email}`
      const byPost = yield* newVisitor
      yield* byMail(email, byPost)
      expect((yield* owner.api("GET", "/me")).status).toBe(401)
      expect((yield* byPost.api("GET", "/me/security")).body.identities).toEqual([])
      // A second proof ends nothing.
      yield* byMail(email, yield* newVisitor)
      expect((yield* byPost.api("GET", "/me")).status).toBe(200)
    }))

  describe("whose address was used before without proof", () => {
    /**
     * Someone who has used `email`: owner of a workspace of their own and, by an invitation, admin of another, where they have
     * made a key and invited an accomplice.
     */
    const squatted = Effect.fn("squatted")(function*(email: string) {
      const { post } = yield* Others
      const sql = yield* SqlClient.SqlClient
      const host = yield* newVisitor
      yield* byMail(newAddress("host"), host)
      const made = yield* host.api("POST", "/me/workspaces", { name: "Host" })
      const squatter = yield* newVisitor
      yield* byMail(email, squatter)
      const own = yield* bootstrapped
      yield* squatter.submit(own.claim)
      const invitedTo = Effect.fn(function*(by: Visitor, address: string) {
        expect((yield* by.api("POST", "/members", { email: address, role: "admin" })).status).toBe(201)
        return /\/invite\/[0-9A-Za-z]{40}/.exec((yield* post.next).mail.text ?? "")?.[0] ?? "no invitation"
      })
      yield* squatter.submit(yield* invitedTo(host, email))
      const key = yield* squatter.api("POST", "/api-keys", { name: "survivor" })
      const accomplice = yield* invitedTo(squatter, newAddress("accomplice"))
      // Simulates an account that was used while there was no mail server.
      yield* sql`update users set email_proved_at = null where email = ${email}`
      const works = Effect.map(
        host.api("GET", "/agent/whoami", undefined, { authorization: `Bearer ${key.body.secret}` }),
        ({ status }) => status
      )
      const members = Effect.map(host.api("GET", "/members"), ({ body }) => body.data.map((one: Member) => one.email))
      return { squatter, host, hostId: String(made.body.id), own, works, members, accomplice }
    })
    type Member = { readonly email: string }

    it.effect("ends that access with the first proof, and a workspace left without an owner can be claimed again", () =>
      Effect.gen(function*() {
        const email = newAddress("victim")
        const { accomplice, host, members, own, squatter, works } = yield* squatted(email)
        expect([yield* works, (yield* members).includes(email)]).toEqual([200, true])
        const idOf = (one: Visitor) => Effect.map(one.api("GET", "/me"), ({ body }) => String(body.user.id))
        const [hostUser, guest] = [yield* idOf(host), yield* idOf(squatter)]
        const turns = yield* host.api("POST", "/oncall/schedules", {
          name: "Turns",
          timezone: "UTC",
          handoffDay: 0,
          handoffTime: "09:00",
          participants: [hostUser]
        })
        const now = yield* DateTime.now
        yield* host.api("POST", `/oncall/schedules/${turns.body.id}/overrides`, {
          userId: guest,
          start: DateTime.formatIso(DateTime.subtract(now, { minutes: 1 })),
          end: DateTime.formatIso(DateTime.add(now, { hours: 1 }))
        })
        const onCall = Effect.map(host.api("GET", "/oncall/current"), ({ body }) => String(body.data[0].user.id))
        expect(yield* onCall).toBe(guest)
        const owner = yield* newVisitor
        yield* byMail(email, owner)
        expect(yield* onCall).toBe(hostUser)
        expect((yield* owner.api("GET", "/me/workspaces")).body.data).toEqual([])
        expect([yield* works, (yield* members).includes(email)]).toEqual([401, false])
        expect((yield* squatter.api("GET", "/me")).status).toBe(401)
        expect((yield* squatter.submit(`${accomplice}/join`)).status).toBe(404)
        const log = yield* host.api("GET", "/audit?operation=end_unproved_access")
        expect(log.body.data).toMatchObject([{ actor: { name: email } }])
        const agent = { authorization: `Bearer ${own.key}` }
        const { body } = yield* squatter.api("GET", "/workspace", undefined, agent)
        expect(body).toMatchObject({ claimed: false, expiresAt: null, claimUrl: expect.stringContaining("/claim/") })
        expect((yield* owner.submit(own.claim)).status).toBe(404)
        expect((yield* owner.submit(body.claimUrl.replace(programBaseUrl, ""))).location).toBe("/app")
        expect((yield* owner.api("GET", "/me")).body.workspace).toMatchObject({ id: own.id, role: "owner" })
      }))

    it.effect("decides on the link's page, and may keep what they set up themselves", () =>
      Effect.gen(function*() {
        const { post, provider } = yield* Others
        const email = newAddress("self")
        const { hostId, own, squatter: before, works } = yield* squatted(email)
        const visitor = yield* newVisitor
        yield* forgetLimits
        yield* visitor.submit("/sign-in", { email })
        const link = linkIn((yield* post.next).mail.text ?? "")
        const page = (yield* visitor.get(link)).text
        for (const text of ["Acme (owner)", "Host (admin)", "end this access", "keep this access"]) expect(page).toContain(text)
        // Google and GitHub vouch for the address, not for what was done with it: the person decides there too.
        provider.become(newAccount(email))
        const sent = yield* vouched(yield* newVisitor, "google")
        expect(sent.location).toMatch(/^\/auth\/link\//)
        yield* visitor.submit(link, { account: "keep" })
        expect((yield* visitor.api("GET", "/me/workspaces")).body.data.map(({ id }: { id: string }) => id)).toEqual([
          own.id,
          hostId
        ])
        expect([yield* works, (yield* before.api("GET", "/me")).status]).toEqual([200, 200])
        // The other link ended with the proof.
        expect((yield* visitor.submit(sent.location ?? "", { account: "remove" })).status).toBe(404)
      }))
  })

  it.effect("who accepts an invitation that was really sent has proved the address: nothing they set up ends later", () =>
    Effect.gen(function*() {
      const { post } = yield* Others
      const host = yield* newVisitor
      yield* byMail(newAddress("host"), host)
      yield* host.api("POST", "/me/workspaces", { name: "Host" })
      const email = newAddress("invited")
      yield* host.api("POST", "/members", { email, role: "admin" })
      const invitation = /\/invite\/[0-9A-Za-z]{40}/.exec((yield* post.next).mail.text ?? "")?.[0] ?? ""
      const invited = yield* newVisitor
      expect((yield* invited.submit(`${invitation}/join`)).location).toBe("/app")
      const { body } = yield* invited.api("POST", "/me/2fa/setup")
      yield* invited.api("POST", "/me/2fa/enable", { code: yield* codeOf(body.secret) })
      expect((yield* byMail(email, yield* newVisitor)).location).toContain("/auth/second-factor")
      expect((yield* invited.api("GET", "/me/workspaces")).body.data).toHaveLength(1)
      expect((yield* invited.api("GET", "/me/security")).body.twoFactor.enabled).toBe(true)
    }))

  it.effect("who proves an address is not locked out by a second factor that another person set up before", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { provider } = yield* Others
      const email = newAddress()
      const squat = Effect.gen(function*() {
        const squatter = yield* newVisitor
        yield* byMail(email, squatter)
        const { body } = yield* squatter.api("POST", "/me/2fa/setup")
        const enabled = yield* squatter.api("POST", "/me/2fa/enable", { code: yield* codeOf(body.secret) })
        expect(enabled.body.recoveryCodes).toHaveLength(10)
        yield* sql`update users set email_proved_at = null where email = ${email}`
      })
      const isIn = Effect.fn(function*(owner: Visitor, { location }: Answer) {
        expect(location).toBe("/app")
        const { body } = yield* owner.api("GET", "/me/security")
        expect(body.twoFactor).toEqual({ enabled: false, enabledAt: null, recoveryCodesLeft: 0 })
      })
      yield* squat
      const owner = yield* newVisitor
      yield* isIn(owner, yield* byMail(email, owner))
      // Their own, set up after the proof, stays when the address is proved again.
      const { body } = yield* owner.api("POST", "/me/2fa/setup")
      yield* owner.api("POST", "/me/2fa/enable", { code: yield* codeOf(body.secret) })
      expect((yield* byMail(email, yield* newVisitor)).location).toContain("/auth/second-factor")
      yield* sql`update users set totp_enabled_at = null, totp_sealed = null where email = ${email}`
      yield* squat
      provider.become(newAccount(email))
      const again = yield* newVisitor
      yield* isIn(again, yield* vouched(again, "google"))
    }))
})
