/** Nobody can keep a person out by using up what the person needs to get in: mails, codes, passwords, confirmations. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { codeOf } from "../support/browser/Authenticator.ts"
import { forgetLimits, linkIn, newAddress, newOwner, newVisitor, type Visitor } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"

const from = (address: string) => ({ "x-forwarded-for": address })
const own = { origin: "https://belltower.test", "sec-fetch-site": "same-origin" }

const browserCookie = "__Host-belltower_browser"

/** Uses up the mails of an address, each request from another network. */
const flooded = Effect.fn("flooded")(function*(email: string) {
  yield* forgetLimits
  const stranger = yield* newVisitor
  const answers = yield* Effect.forEach(
    [1, 2, 3, 4, 5, 6],
    (net) => stranger.api("POST", "/auth/email", { email }, from(`198.51.${net}.1`))
  )
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 429])
  return answers.at(-1)
})

const asks = (visitor: Visitor, email: string, address = "203.0.113.9") =>
  Effect.map(visitor.submit("/sign-in", { email }, { ...own, ...from(address) }), ({ status }) => status)

/** The link in the newest mail that the server has captured for an owner. */
const newestLink = Effect.fn("newestLink")(function*(owner: { readonly visitor: Visitor }) {
  const mails = yield* owner.visitor.api("GET", "/me/mails")
  const mail = yield* owner.visitor.api("GET", `/me/mails/${mails.body.data[0].id}`)
  return linkIn(mail.body.text)
})

/** Puts a count into this window and the next, as a thousand senders would. */
const counted = (key: string, unit: "hour" | "day", count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
    insert into rate_limits (key, window_start, count)
    select ${key}, date_trunc(${unit}, now() at time zone 'UTC') at time zone 'UTC' + step, ${count}::int
    from unnest(array[interval '0', ${`1 ${unit}`}::interval]) as step
    on conflict (key, window_start) do update set count = excluded.count`)

const layerOptions = { excludeTestServices: true, timeout: "180 seconds" } as const

layer(programOf({ BELLTOWER_TRUST_PROXY: "loopback" }), layerOptions)("a stranger does not keep a person out", (it) => {
  it.effect("by asking for sign-in mails: the newest link outlives the limit, and the refusal says so", () =>
    Effect.gen(function*() {
      const owner = yield* newOwner()
      const refused = yield* flooded(owner.email)
      expect(refused?.body.error.hint).toContain("The newest sign-in link that was sent to this address works until then")
      const visitor = yield* newVisitor
      const page = yield* visitor.submit("/sign-in", { email: owner.email }, { ...own, ...from("203.0.113.9") })
      expect([page.status, page.text.includes("The newest sign-in link that was sent to this address works")]).toEqual([
        429,
        true
      ])
      const sql = yield* SqlClient.SqlClient
      const [newest] = yield* sql<{ readonly expiresAt: Date }>`
        select expires_at as "expiresAt" from sign_in_links where email = ${owner.email} order by created_at desc limit 1`
      const window = 15 * 60_000
      const next = (Math.floor(DateTime.toEpochMillis(yield* DateTime.now) / window) + 1) * window
      expect(newest?.expiresAt.getTime()).toBeGreaterThanOrEqual(next)
      expect((yield* visitor.submit(yield* newestLink(owner))).location).toBe("/app")
    }))

  it.effect("who has signed in by a browser before: it has mails of its own, and only for its person", () =>
    Effect.gen(function*() {
      const owner = yield* newOwner()
      expect(owner.visitor.cookies.get(browserCookie)).toMatch(/^[0-9A-Za-z]{40}$/)
      yield* flooded(owner.email)
      // It is still known after it has signed out.
      yield* owner.visitor.submit("/sign-out")
      expect(owner.visitor.session()).toBe(undefined)
      expect(yield* asks(yield* newVisitor, owner.email)).toBe(429)
      const statuses = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => asks(owner.visitor, owner.email))
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
      // A stranger with a browser that another person has used gets nothing by it.
      const other = yield* newOwner()
      yield* flooded(owner.email)
      expect(yield* asks(other.visitor, owner.email)).toBe(429)
      // Its person is not kept out by others behind the same address, either.
      yield* forgetLimits
      const neighbour = yield* newVisitor
      const many = yield* Effect.forEach(Array.from({ length: 21 }), () => asks(neighbour, newAddress("many"), "203.0.113.77"))
      expect(many.filter((status) => status === 200)).toHaveLength(20)
      expect(yield* asks(owner.visitor, owner.email, "203.0.113.77")).toBe(200)
    }))

  it.effect("who holds a claim link: without a mail server, its link needs no mail", () =>
    Effect.gen(function*() {
      const email = newAddress()
      yield* flooded(email)
      const agent = yield* newVisitor
      const { body } = yield* agent.api("POST", "/agent/bootstrap", { agentName: "scout" }, from("203.0.113.50"))
      const claim = new URL(body.claimUrl).pathname
      const shown = yield* (yield* newVisitor).submit(`${claim}/email`, { email }, { ...own, ...from("203.0.113.9") })
      expect([shown.status, linkIn(shown.text).startsWith("/auth/link/")]).toEqual([200, true])
    }))

  it.effect("by wrong codes of the second factor: they count for their sender", () =>
    Effect.gen(function*() {
      const owner = yield* newOwner()
      const { body: { secret } } = yield* owner.visitor.api("POST", "/me/2fa/setup")
      yield* owner.visitor.api("POST", "/me/2fa/enable", { code: yield* codeOf(secret) })
      const sql = yield* SqlClient.SqlClient
      const forgetStep = sql`update users set totp_last_step = null where email = ${owner.email}`
      const waiting = Effect.fn("waiting")(function*() {
        yield* forgetLimits
        const visitor = yield* newVisitor
        yield* visitor.submit("/sign-in", { email: owner.email })
        const entered = yield* visitor.submit(yield* newestLink(owner))
        expect([entered.location, visitor.cookies.get(browserCookie)]).toEqual(["/auth/second-factor", undefined])
        return visitor
      })
      const tries = (visitor: Visitor, code: string, address: string) =>
        Effect.map(visitor.submit("/auth/second-factor", { code }, { ...own, ...from(address) }), ({ status }) => status)
      const [thief, person, third] = [yield* waiting(), yield* waiting(), yield* waiting()]
      yield* forgetLimits
      const wrong = yield* Effect.forEach(Array.from({ length: 11 }), () => tries(thief, "000000", "198.51.100.1"))
      expect(wrong).toEqual([...Array.from({ length: 10 }, () => 422), 429])
      yield* forgetStep
      expect(yield* tries(person, yield* codeOf(secret), "203.0.113.9")).toBe(303)
      expect(person.cookies.get(browserCookie)).toMatch(/^[0-9A-Za-z]{40}$/)
      // Many senders together do not keep the person out, and get little each.
      const { body: me } = yield* person.api("GET", "/me")
      yield* counted(`second-factor-all:${me.user.id}`, "hour", 40)
      const few = yield* Effect.forEach([1, 2, 3], () => tries(third, "000000", "198.51.101.1"))
      expect(few).toEqual([422, 422, 429])
      yield* forgetStep
      expect(yield* tries(third, yield* codeOf(secret), "203.0.113.10")).toBe(303)
    }))

  it.effect("by wrong passwords of a private page: whoever knows it gets in, and whoever guesses gets little", () =>
    Effect.gen(function*() {
      const owner = yield* newOwner()
      const key = { authorization: `Bearer ${owner.key}` }
      const { body: page } = yield* owner.visitor.api(
        "POST",
        "/pages",
        { name: "Acme", visibility: "private", password: "correct horse" },
        key
      )
      yield* counted(`page-password-all:${page.id}`, "hour", 300)
      const tries = (password: string, address: string) =>
        Effect.flatMap(newVisitor, (visitor) =>
          Effect.map(
            visitor.submit(`/s/${page.slug}/password`, { password }, { ...own, ...from(address) }),
            ({ status }) => status
          ))
      const guesses = yield* Effect.forEach([1, 2, 3, 4], () => tries("battery staple", "198.51.100.1"))
      expect(guesses).toEqual([401, 401, 401, 429])
      expect(yield* tries("correct horse", "203.0.113.9")).toBe(303)
    }))

  it.effect("by asking for confirmations of a page in their name", () =>
    Effect.gen(function*() {
      const owner = yield* newOwner()
      const { body: page } = yield* owner.visitor.api("POST", "/pages", { name: "Acme" })
      const subscribes = (email: string, address: string) =>
        Effect.map(
          owner.visitor.api("POST", `/public/pages/${page.slug}/subscribers`, { type: "email", email }, from(address)),
          ({ status }) => status
        )
      const email = newAddress("reader")
      const flood = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (net) => subscribes(email, `198.51.${net}.1`))
      expect(flood).toEqual([201, 201, 201, 201, 201, 429])
      expect(yield* subscribes(email, "203.0.113.9")).toBe(201)
      expect(yield* subscribes(email, "203.0.77.9")).toBe(429)
      // Nor by taking the mails of the page.
      yield* counted(`subscribe-page-all:${page.id}`, "hour", 500)
      expect(yield* subscribes(newAddress("reader"), "192.0.2.1")).toBe(201)
    }))
})
