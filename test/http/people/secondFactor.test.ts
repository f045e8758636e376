/** Two-factor authentication: how to turn it on and off, what it protects, and what every change of it ends. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { posted } from "../../dashboard/Forms.ts"
import { codeOf } from "../../support/browser/Authenticator.ts"
import { forgetLimits, linkIn, newAddress, newOwner, newVisitor, type Visitor } from "../../support/browser/Visitor.ts"
import { programOf } from "../../support/program/Program.ts"
import { until } from "../../support/time/Until.ts"

const wrong = "000000"

/** Codes used by a test may be used again, so that tests need not wait for the next step. */
const forgetSteps = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update users set totp_last_step = null`)

/** A person with two-factor authentication on. */
const guarded = Effect.gen(function*() {
  const owner = yield* newOwner()
  const { body: { secret } } = yield* owner.visitor.api("POST", "/me/2fa/setup")
  const enabled = yield* owner.visitor.api("POST", "/me/2fa/enable", { code: yield* codeOf(secret) })
  yield* forgetSteps
  return { ...owner, secret: String(secret), recoveryCodes: enabled.body.recoveryCodes as ReadonlyArray<string> }
})

/** The first step of another sign-in, with the link that the owner finds in the captured mail. */
const firstStep = Effect.fn("firstStep")(function*(owner: { readonly visitor: Visitor; readonly email: string }, next = "") {
  yield* forgetLimits
  const visitor = yield* newVisitor
  yield* visitor.submit("/sign-in", { email: owner.email, next })
  const mails = yield* owner.visitor.api("GET", "/me/mails")
  const mail = yield* owner.visitor.api("GET", `/me/mails/${mails.body.data[0].id}`)
  const entered = yield* visitor.submit(linkIn(mail.body.text))
  return { visitor, entered }
})

layer(programOf(), { excludeTestServices: true })("the second factor", (it) => {
  it.effect("is set up with a secret and its QR code, and is on only after a first code", () =>
    Effect.gen(function*() {
      const { email, visitor } = yield* newOwner()
      expect((yield* visitor.api("POST", "/me/2fa/enable", { code: wrong })).status).toBe(409)
      expect((yield* visitor.api("POST", "/me/2fa/disable", { code: wrong })).status).toBe(409)
      expect((yield* visitor.api("POST", "/me/2fa/recovery-codes", { code: wrong })).status).toBe(409)
      const { body } = yield* visitor.api("POST", "/me/2fa/setup")
      expect(body).toMatchObject({ secret: expect.stringMatching(/^[A-Z2-7]{32}$/), qrSvg: expect.stringContaining("<svg") })
      expect(decodeURIComponent(body.uri)).toContain(`Belltower:${email}`)
      expect((yield* visitor.api("GET", "/me/security")).body.twoFactor).toEqual({
        enabled: false,
        enabledAt: null,
        recoveryCodesLeft: 0
      })
      expect((yield* visitor.api("POST", "/me/2fa/enable", { code: wrong })).status).toBe(422)
      const enabled = yield* visitor.api("POST", "/me/2fa/enable", { code: yield* codeOf(body.secret) })
      expect(enabled.body.recoveryCodes).toHaveLength(10)
      expect(new Set(enabled.body.recoveryCodes).size).toBe(10)
      expect((yield* visitor.api("GET", "/me/security")).body.twoFactor).toMatchObject({ enabled: true, recoveryCodesLeft: 10 })
      expect((yield* visitor.api("POST", "/me/2fa/setup")).status).toBe(409)
      const sql = yield* SqlClient.SqlClient
      const rows = JSON.stringify([yield* sql`select * from users`, yield* sql`select * from recovery_codes`])
      expect(rows).not.toContain(body.secret)
      for (const code of enabled.body.recoveryCodes) expect(rows).not.toContain(code)
    }))

  it.effect("blocks everything until its code is given, and then replaces the session's token", () =>
    Effect.gen(function*() {
      const owner = yield* guarded
      const { entered, visitor } = yield* firstStep(owner, "/app/mail")
      expect(entered.location).toBe("/auth/second-factor?next=%2Fapp%2Fmail")
      const waiting = visitor.session() ?? ""
      for (const path of ["/me", "/agent/whoami", "/me/security", "/monitors"]) {
        expect((yield* visitor.api("GET", path)).status).toBe(401)
      }
      expect((yield* visitor.get("/app")).location).toBe("/sign-in")
      expect((yield* visitor.api("POST", "/me/2fa/disable", { code: yield* codeOf(owner.secret) })).status).toBe(401)
      expect((yield* visitor.get("/auth/second-factor")).status).toBe(200)
      expect((yield* visitor.submit("/auth/second-factor", { code: wrong })).status).toBe(422)
      expect((yield* visitor.submit("/auth/second-factor", {})).status).toBe(422)
      const passed = yield* visitor.submit("/auth/second-factor", { code: yield* codeOf(owner.secret), next: "/app/mail" })
      expect([passed.status, passed.location]).toEqual([303, "/app/mail"])
      expect(visitor.session()).not.toBe(waiting)
      expect((yield* visitor.api("GET", "/me")).status).toBe(200)
      const thief = yield* newVisitor
      thief.cookies.set("__Host-belltower_session", waiting)
      expect((yield* thief.api("GET", "/me")).status).toBe(401)
      expect((yield* thief.submit("/auth/second-factor", { code: yield* codeOf(owner.secret, 1) })).location).toBe("/sign-in")
    }))

  it.effect("accepts a code for one sign-in only, even of two at the same time", () =>
    Effect.gen(function*() {
      const owner = yield* guarded
      const first = yield* firstStep(owner)
      const second = yield* firstStep(owner)
      const code = yield* codeOf(owner.secret)
      const answers = yield* Effect.forEach([first, second], ({ visitor }) => visitor.submit("/auth/second-factor", { code }), {
        concurrency: "unbounded"
      })
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 422])
    }))

  it.effect("accepts each recovery code once, however it is typed", () =>
    Effect.gen(function*() {
      const owner = yield* guarded
      const [code = ""] = owner.recoveryCodes
      const { visitor } = yield* firstStep(owner)
      expect((yield* visitor.submit("/auth/second-factor", { code: ` ${code.toUpperCase().replaceAll("-", " ")} ` })).status)
        .toBe(303)
      expect((yield* visitor.api("GET", "/me/security")).body.twoFactor.recoveryCodesLeft).toBe(9)
      const again = yield* firstStep(owner)
      expect((yield* again.visitor.submit("/auth/second-factor", { code })).status).toBe(422)
    }))

  it.effect("allows at most ten guesses in 15 minutes, over all sign-ins together", () =>
    Effect.gen(function*() {
      const owner = yield* guarded
      const waiting = [yield* firstStep(owner), yield* firstStep(owner)]
      const guesses = Array.from({ length: 22 }, (_, i) => waiting[i % 2]!.visitor)
      const answers = yield* Effect.forEach(guesses, (visitor) => visitor.submit("/auth/second-factor", { code: wrong }))
      expect(answers.filter(({ status }) => status === 422).length).toBeLessThanOrEqual(20)
      expect(answers.some(({ status }) => status === 429)).toBe(true)
    }))

  it.effect("must be restarted after ten minutes", () =>
    Effect.gen(function*() {
      const owner = yield* guarded
      const { visitor } = yield* firstStep(owner)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update sessions set expires_at = expires_at - interval '10 minutes' where awaits_second_factor`
      expect((yield* visitor.submit("/auth/second-factor", { code: yield* codeOf(owner.secret) })).location).toBe("/sign-in")
      expect((yield* visitor.get("/auth/second-factor")).location).toBe("/sign-in")
      // It still leads where its link did.
      const late = yield* visitor.submit("/auth/second-factor", { code: wrong, next: "/app/mail" })
      const again = yield* visitor.get("/auth/second-factor?next=/app/mail")
      expect([late.location, again.location]).toEqual(["/sign-in?next=%2Fapp%2Fmail", "/sign-in?next=%2Fapp%2Fmail"])
    }))

  it.effect("ends all other sessions whenever it changes, and asks for a code to change", () =>
    Effect.gen(function*() {
      const owner = yield* guarded
      const other = Effect.gen(function*() {
        const { visitor } = yield* firstStep(owner)
        yield* forgetSteps
        yield* visitor.submit("/auth/second-factor", { code: yield* codeOf(owner.secret) })
        yield* forgetSteps
        expect((yield* visitor.api("GET", "/me")).status).toBe(200)
        return visitor
      })
      const { visitor } = owner
      for (const [path, status] of [["/me/2fa/recovery-codes", 200], ["/me/2fa/disable", 200]] as const) {
        const signedIn = yield* other
        const half = yield* firstStep(owner)
        expect([path, (yield* visitor.api("POST", path, { code: wrong })).status]).toEqual([path, 422])
        expect((yield* signedIn.api("GET", "/me")).status).toBe(200)
        expect([path, (yield* visitor.api("POST", path, { code: yield* codeOf(owner.secret) })).status]).toEqual([path, status])
        expect((yield* signedIn.api("GET", "/me")).status).toBe(401)
        expect((yield* half.visitor.get("/auth/second-factor")).location).toBe("/sign-in")
        expect((yield* visitor.api("GET", "/me")).status).toBe(200)
        yield* forgetSteps
      }
      // Off: the link is sufficient again, and the old recovery codes are invalid.
      const { entered } = yield* firstStep(owner)
      expect(entered.location).toBe("/app")
      expect((yield* visitor.api("GET", "/me/security")).body.twoFactor).toMatchObject({ enabled: false, recoveryCodesLeft: 0 })
    }))

  it.effect("can be turned off with a recovery code, and new ones replace the old", () =>
    Effect.gen(function*() {
      const owner = yield* guarded
      const replaced = yield* owner.visitor.api("POST", "/me/2fa/recovery-codes", { code: owner.recoveryCodes[0] })
      expect(replaced.body.recoveryCodes).toHaveLength(10)
      expect((yield* owner.visitor.api("POST", "/me/2fa/disable", { code: owner.recoveryCodes[1] })).status).toBe(422)
      expect((yield* owner.visitor.api("POST", "/me/2fa/disable", { code: replaced.body.recoveryCodes[0] })).body).toEqual({
        enabled: false
      })
    }))

  it.effect("can be set up, used and turned off in views that need no script", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner(newAddress())
      expect((yield* visitor.get("/app/security/2fa")).text).not.toContain("id=\"secret\"")
      expect((yield* posted(visitor, "/app/security", "set-up")).location).toBe("/app/security/2fa")
      const page = yield* visitor.get("/app/security/2fa")
      const secret = /id="secret">([A-Z2-7 ]+)</.exec(page.text)?.[1]?.replaceAll(" ", "") ?? ""
      expect([secret.length, page.text.includes("<svg")]).toEqual([32, true])
      const refused = yield* posted(visitor, "/app/security/2fa", "enable", { "code:word": wrong })
      expect([refused.status, refused.text.includes("The code is wrong")]).toEqual([422, true])
      expect(/id="secret">([A-Z2-7 ]+)</.exec(refused.text)?.[1]?.replaceAll(" ", "")).toBe(secret)
      const on = yield* posted(visitor, "/app/security/2fa", "enable", { "code:word": yield* codeOf(secret) })
      expect(on.text.match(/<li>[0-9a-z]{4}(-[0-9a-z]{4}){3}</g)).toHaveLength(10)
      expect((yield* visitor.get("/app/security")).text).toContain("10 recovery codes left")
      yield* forgetSteps
      expect((yield* posted(visitor, "/app/security", "disable", { "code:word": wrong })).status).toBe(422)
      expect((yield* posted(visitor, "/app/security", "disable", { "code:word": yield* codeOf(secret) })).location)
        .toBe("/app/security")
    }))

  it.effect("is not changed by a session that ended while its request was in progress", () =>
    Effect.gen(function*() {
      const { email, visitor } = yield* newOwner()
      const { body } = yield* visitor.api("POST", "/me/2fa/setup")
      const code = yield* codeOf(body.secret)
      const sql = yield* SqlClient.SqlClient
      const waiting = until(sql`select from pg_locks where not granted`, (found) => found.length > 0)
      const enabling = yield* sql.withTransaction(Effect.gen(function*() {
        const [user] = yield* sql<{ readonly id: string }>`select id from users where email = ${email} for update`
        const asked = yield* Effect.fork(visitor.api("POST", "/me/2fa/enable", { code }))
        yield* waiting
        yield* sql`delete from sessions where user_id = ${user?.id ?? ""}`
        return asked
      }))
      expect((yield* Fiber.join(enabling)).status).toBe(401)
      expect(yield* sql`select from users where email = ${email} and totp_enabled_at is not null`).toEqual([])
    }))
})
