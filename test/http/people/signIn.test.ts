/** Sign-in with a link: who gets one, what it opens, how often, and from where. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { bootstrapped, forgetLimits, linkIn, newAddress, newOwner, newVisitor } from "../../support/browser/Visitor.ts"
import { programOf } from "../../support/program/Program.ts"

const inSql = <A>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>) =>
  Effect.orDie(Effect.flatMap(SqlClient.SqlClient, use))

layer(programOf(), { excludeTestServices: true })("a person", (it) => {
  it.effect("claims an agent's workspace from its claim link alone, once, and then owns it", () =>
    Effect.gen(function*() {
      const { claim, id, key } = yield* bootstrapped
      const visitor = yield* newVisitor
      const email = newAddress()
      const page = yield* visitor.get(claim)
      expect([page.status, page.text.includes("Acme"), page.text.includes("scout")]).toEqual([200, true, true])
      const shown = yield* visitor.submit(`${claim}/email`, { email: email.toUpperCase() })
      expect(shown.text).toContain("This server sends no email")
      const entered = yield* visitor.submit(linkIn(shown.text))
      expect([entered.status, entered.location]).toEqual([303, claim])
      expect((yield* visitor.get(claim)).text).toContain(`Claim as ${email}`)
      expect((yield* visitor.submit(claim)).location).toBe("/app")

      const me = yield* visitor.api("GET", "/me")
      expect(me.body).toMatchObject({ user: { email }, workspace: { id, name: "Acme", role: "owner", current: true } })
      const whoami = yield* visitor.api("GET", "/agent/whoami")
      expect(whoami.body).toMatchObject({ key: null, user: { email }, workspace: { claimed: true, expiresAt: null } })
      // The agent's key keeps working, but no longer owns anything.
      const agent = yield* newVisitor
      expect((yield* agent.api("GET", "/agent/whoami", undefined, { authorization: `Bearer ${key}` })).body.workspace.claimed)
        .toBe(true)
      expect((yield* agent.api("DELETE", "/workspace", undefined, { authorization: `Bearer ${key}` })).status).toBe(403)

      const second = yield* newOwner()
      expect((yield* second.visitor.get(claim)).text).toContain("has an owner")
      expect((yield* second.visitor.submit(claim)).status).toBe(409)
      expect((yield* (yield* newVisitor).submit(`${claim}/email`, { email: newAddress() })).text).toContain("has an owner")
      const log = yield* visitor.api("GET", "/audit")
      expect(log.body.data.map(({ operation }: { operation: string }) => operation)).toContain("claim_workspace")
    }))

  it.effect("who disconnects while claiming is recorded in the audit log", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { email, visitor } = yield* newOwner()
      const { claim, id } = yield* bootstrapped
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`select from sessions where user_id = (select id from users where email = ${email}) for update`
        const leaving = yield* Effect.fork(visitor.submit(claim))
        const claiming = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        yield* Effect.repeat(claiming, { until: (rows) => rows.length === 1 })
        yield* Fiber.interrupt(leaving)
        yield* visitor.get("/sign-in")
      }))
      const log = visitor.api("GET", "/audit?operation=claim_workspace", undefined, { "x-workspace": id })
      // Before the claim completes, they cannot see the workspace.
      yield* Effect.repeat(log, { until: ({ body, status }) => status === 200 && body.data.length === 1 }).pipe(
        Effect.timeout("20 seconds")
      )
    }))

  it.effect("of two who claim at the same moment becomes the only owner", () =>
    Effect.gen(function*() {
      const { claim } = yield* bootstrapped
      const owners = yield* Effect.forEach([1, 2], () => newOwner())
      const answers = yield* Effect.forEach(owners, ({ visitor }) => visitor.submit(claim), { concurrency: "unbounded" })
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 409])
    }))

  it.effect("finds no claim behind a wrong link, nor one whose workspace has expired", () =>
    Effect.gen(function*() {
      const { claim, id } = yield* bootstrapped
      const visitor = yield* newVisitor
      yield* inSql((sql) => sql`update workspaces set expires_at = now() - interval '1 second' where id = ${id}`)
      for (const path of [claim, "/claim/nonsense", `/claim/${"0".repeat(40)}`]) {
        expect((yield* visitor.get(path)).status).toBe(404)
      }
      expect((yield* visitor.submit(`${claim}/email`, { email: newAddress() })).status).toBe(404)
    }))

  it.effect("gets a new account from a claim link, never an existing one, nor a sign that one exists", () =>
    Effect.gen(function*() {
      const known = yield* newOwner()
      const { claim, id } = yield* bootstrapped
      const ask = Effect.fn("ask")(function*(email: string) {
        const visitor = yield* newVisitor
        const shown = yield* visitor.submit(`${claim}/email`, { email })
        const entered = yield* visitor.submit(linkIn(shown.text))
        const claiming = yield* visitor.get(claim)
        const hide = (text: string) => text.replaceAll(email, "").replaceAll(linkIn(text), "")
        return { visitor, seen: [shown.status, hide(shown.text), entered.status, entered.location, hide(claiming.text)] }
      })
      const taken = yield* ask(known.email)
      const free = yield* ask(newAddress())
      expect(taken.seen).toEqual(free.seen)
      expect((yield* taken.visitor.api("GET", "/me")).body).toMatchObject({ user: { email: known.email }, workspace: null })
      // It works like any other account, and holds nothing of the address.
      expect((yield* taken.visitor.submit(claim)).location).toBe("/app")
      expect((yield* taken.visitor.api("GET", "/me")).body.workspace).toMatchObject({ id, role: "owner" })
      expect((yield* taken.visitor.api("GET", "/members")).body.data).toMatchObject([{ email: known.email, role: "owner" }])
      expect((yield* known.visitor.api("GET", "/me/workspaces")).body.data).toHaveLength(1)
      expect((yield* taken.visitor.api("GET", "/me/mails")).body.data).toEqual([])
      // So its owner can bring in the account that does.
      expect((yield* taken.visitor.api("POST", "/members", { email: known.email, role: "owner" })).status).toBe(201)
    }))

  it.effect("uses a link once, within 15 minutes, and not by merely opening it", () =>
    Effect.gen(function*() {
      const { claim } = yield* bootstrapped
      const visitor = yield* newVisitor
      const shown = yield* visitor.submit(`${claim}/email`, { email: newAddress() })
      const link = linkIn(shown.text)
      for (let i = 0; i < 3; i++) expect((yield* visitor.get(link)).status).toBe(200)
      expect(visitor.session()).toBeUndefined()
      const others = yield* Effect.forEach([1, 2, 3], () => newVisitor)
      const answers = yield* Effect.forEach(others, (other) => other.submit(link), { concurrency: "unbounded" })
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404])
      expect((yield* visitor.get(link)).status).toBe(404)

      const late = linkIn((yield* visitor.submit(`${claim}/email`, { email: newAddress() })).text)
      yield* inSql((sql) => sql`update sign_in_links set expires_at = expires_at - interval '15 minutes' where used_at is null`)
      expect((yield* visitor.get(late)).status).toBe(404)
      expect((yield* visitor.submit(late)).status).toBe(404)
      expect((yield* visitor.get("/auth/link/nonsense")).status).toBe(404)
    }))

  it.effect("gets the same answer whether or not an address is known, five times in 15 minutes", () =>
    Effect.gen(function*() {
      const { email } = yield* newOwner()
      yield* forgetLimits
      const visitor = yield* newVisitor
      const strip = ({ body, headers, status }: { body: unknown; headers: Headers; status: number }) => {
        const names: Array<string> = []
        headers.forEach((_, name) => names.push(name))
        return [status, body, names.sort()]
      }
      const [known, unknown] = [
        yield* visitor.api("POST", "/auth/email", { email }),
        yield* visitor.api("POST", "/auth/email", { email: newAddress() })
      ]
      expect(strip(known)).toEqual(strip(unknown))
      expect([known.status, known.body]).toEqual([202, { sent: false }])
      expect((yield* visitor.api("POST", "/auth/email", { email: "no address" })).status).toBe(422)
      const more = yield* Effect.forEach(Array.from({ length: 9 }), () =>
        visitor.api("POST", "/auth/email", { email: email.toUpperCase() }))
      // Even if the quarter of an hour turns meanwhile.
      const limited = more.filter(({ status }) =>
        status === 429
      )
      expect([limited.length >= 4, more.every(({ status }) => status === 202 || status === 429)]).toEqual([true, true])
      expect(Number(limited[0]?.headers.get("retry-after"))).toBeGreaterThan(0)
      expect(Number(limited[0]?.headers.get("retry-after"))).toBeLessThanOrEqual(900)
    }))

  it.effect("can request at most 20 links in 15 minutes from one IP address, for any email address", () =>
    Effect.gen(function*() {
      yield* forgetLimits
      const visitor = yield* newVisitor
      const answers = yield* Effect.forEach(
        Array.from({ length: 41 }),
        () => visitor.api("POST", "/auth/email", { email: newAddress() })
      )
      expect(
        answers.filter(({ status }) => status === 202).length
      ).toBeLessThanOrEqual(40)
      expect(answers.slice(0, 20).every(({ status }) => status === 202)).toBe(true)
      expect(answers.some(({ status }) => status === 429)).toBe(true)
    }))

  it.effect("is redirected only to a page of this service after signing in", () =>
    Effect.gen(function*() {
      const owner = yield* newOwner()
      const targets = [
        ["/app/security", "/app/security"],
        ["https://evil.test/", "/app"],
        ["//evil.test", "/app"],
        ["/\\evil.test", "/app"],
        ["/\t/evil.test", "/app"]
      ] as const
      for (const [next, location] of targets) {
        yield* forgetLimits
        const visitor = yield* newVisitor
        yield* visitor.submit("/sign-in", { email: owner.email, next })
        const mails = yield* owner.visitor.api("GET", "/me/mails")
        const mail = yield* owner.visitor.api("GET", `/me/mails/${mails.body.data[0].id}`)
        const entered = yield* visitor.submit(linkIn(mail.body.text))
        expect([next, entered.location]).toEqual([next, location])
      }
    }))

  it.effect("is asked by the page of a claim who they are, once they have signed out there", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { claim } = yield* bootstrapped
      expect((yield* visitor.get(claim)).text).toContain(`name="next" value="${claim}"`)
      expect((yield* visitor.submit("/sign-out", { next: claim })).location).toBe(claim)
      expect((yield* visitor.get(claim)).text).toContain("You will return to this page.")
      expect((yield* visitor.submit("/sign-out", { next: "//evil.test" })).location).toBe("/sign-in")
    }))

  it.effect("keeps the address that is refused, and the page to return to", () =>
    Effect.gen(function*() {
      const visitor = yield* newVisitor
      const again = yield* visitor.submit("/sign-in", { email: "ada at example", next: "/app/incidents" })
      expect(again.status).toBe(422)
      expect(again.text).toContain("value=\"ada at example\"")
      expect(again.text).toContain("name=\"next\" value=\"/app/incidents\"")
      const asked = yield* visitor.submit("/sign-in", { email: newAddress(), next: "/app/incidents" })
      expect(asked.text).toContain("<a href=\"/sign-in?next=%2Fapp%2Fincidents\">Use a different address</a>")
      const claimed = yield* visitor.submit(`${(yield* bootstrapped).claim}/email`, { email: "ada at example" })
      expect([claimed.status, claimed.text.includes("value=\"ada at example\"")]).toEqual([422, true])
    }))

  it.effect("gets a new token with every sign-in, and the previous one ends", () =>
    Effect.gen(function*() {
      const { claim, visitor } = yield* newOwner()
      const planted = yield* newVisitor
      planted.cookies.set("__Host-belltower_session", "a".repeat(40))
      const next = yield* bootstrapped
      yield* planted.submit(linkIn((yield* planted.submit(`${next.claim}/email`, { email: newAddress() })).text))
      expect(planted.session()).not.toBe("a".repeat(40))
      const before = visitor.session() ?? ""
      const copy = yield* newVisitor
      copy.cookies.set("__Host-belltower_session", before)
      expect((yield* copy.api("GET", "/me")).status).toBe(200)
      const other = yield* bootstrapped
      const shown = yield* (yield* newVisitor).submit(`${other.claim}/email`, { email: newAddress() })
      yield* visitor.submit(linkIn(shown.text))
      expect((yield* copy.api("GET", "/me")).status).toBe(401)
      expect((yield* visitor.api("GET", "/me")).status).toBe(200)
      expect(claim).not.toBe(other.claim)
    }))

  it.effect("signs out permanently, and no other site can sign them out", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const copy = yield* newVisitor
      for (const [name, value] of visitor.cookies) copy.cookies.set(name, value)
      expect((yield* visitor.api("POST", "/auth/sign-out", undefined, { origin: "https://evil.test" })).status).toBe(403)
      expect((yield* visitor.api("POST", "/auth/sign-out")).body).toEqual({ signedOut: true })
      expect(visitor.session()).toBeUndefined()
      expect((yield* copy.api("GET", "/me")).status).toBe(401)
      expect((yield* copy.get("/app/mail")).location).toBe("/sign-in?next=%2Fapp%2Fmail")
    }))

  describe("whose browser sends requests from another site", () => {
    const cross: ReadonlyArray<Record<string, string>> = [
      { origin: "https://evil.test", "sec-fetch-site": "cross-site" },
      { origin: "https://evil.belltower.test", "sec-fetch-site": "same-site" },
      { origin: "null", "sec-fetch-site": "cross-site" },
      { origin: "https://evil.test" },
      { origin: "null" },
      {}
    ]

    it.effect("changes nothing, on any page or endpoint", () =>
      Effect.gen(function*() {
        const { claim: spare } = yield* bootstrapped
        const { email, visitor } = yield* newOwner()
        yield* forgetLimits
        const other = yield* newVisitor
        const shown = yield* other.submit(`${spare}/email`, { email: newAddress() })
        const forms = [
          "/sign-in",
          linkIn(shown.text),
          "/auth/second-factor",
          "/sign-out",
          "/auth/google",
          spare,
          `${spare}/email`,
          "/invite/x",
          "/invite/x/join",
          "/invite/x/email",
          "/app/theme",
          "/app/do/create_my_workspace",
          "/app/do/switch_workspace",
          "/app/do/update_my_contact",
          "/app/do/update_my_digest",
          "/app/do/end_my_session",
          "/app/do/end_my_other_sessions",
          "/app/do/set_up_second_factor",
          "/app/do/enable_second_factor",
          "/app/do/disable_second_factor",
          "/app/do/replace_recovery_codes",
          "/app/do/disconnect_identity",
          "/app/security/identities/google/connect"
        ]
        for (const headers of cross) {
          for (const path of forms) {
            expect([path, headers, (yield* visitor.submit(path, { email, name: "x", code: "123456" }, headers)).status]).toEqual([
              path,
              headers,
              403
            ])
          }
          for (
            const [method, path] of [["POST", "/me/workspaces"], ["PATCH", "/me/contact"], ["DELETE", "/me/identities/google"], [
              "POST",
              "/me/2fa/setup"
            ]] as const
          ) {
            expect([path, (yield* visitor.api(method, path, { name: "x" }, headers)).status]).toEqual([path, 403])
          }
        }
        expect((yield* visitor.api("GET", "/me/workspaces")).body.data).toHaveLength(1)
        expect((yield* other.submit(linkIn(shown.text))).status).toBe(303)
      }))
  })

  it.effect("cannot be represented by an API key, and personal operations are absent from the document and MCP", () =>
    Effect.gen(function*() {
      const { key } = yield* bootstrapped
      const agent = yield* newVisitor
      const bearer = { authorization: `Bearer ${key}` }
      const paths = [
        ["GET", "/me"],
        ["GET", "/me/workspaces"],
        ["POST", "/me/workspaces"],
        ["GET", "/me/contact"],
        ["GET", "/me/security"],
        ["POST", "/me/2fa/setup"],
        ["GET", "/me/mails"],
        ["POST", "/me/sessions/revoke-others"]
      ] as const
      for (const [method, path] of paths) {
        const { body, status } = yield* agent.api(method, path, method === "GET" ? undefined : {}, bearer)
        expect([path, status, body.error.hint]).toEqual([path, 403, expect.stringContaining("Sign in")])
        expect([path, (yield* agent.api(method, path, method === "GET" ? undefined : {})).status]).toEqual([path, 401])
      }
      const document = (yield* agent.get("/api/v1/openapi.json")).text
      expect(document).not.toMatch(/\/me\b|\/auth\/|second_factor|2fa/)
    }))

  it.effect("sees views of the account with the product's own script only, which no other site may frame", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      for (const path of ["/app/workspaces", "/app/security", "/app/security/2fa", "/app/contact", "/app/digest", "/app/mail"]) {
        const { headers, text } = yield* visitor.get(path)
        const policy = headers.get("content-security-policy") ?? ""
        expect([path, /unsafe|\*/.test(policy), /default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/.test(policy)])
          .toEqual([path, false, true])
        expect([path, /<script(?! type="module" src="\/app\/assets\/app-)|style="| on\w+="/i.test(text)]).toEqual([path, false])
        expect([headers.get("cache-control"), headers.get("referrer-policy")]).toEqual(["no-store", "same-origin"])
      }
    }))

  it.effect("sees pages of sign-in without scripts, which no other site may frame and which leak no URL", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const paths = [
        "/sign-in",
        "/claim/x",
        "/invite/x",
        "/auth/link/x"
      ]
      for (const path of paths) {
        const { headers, text } = yield* visitor.get(path)
        const policy = headers.get("content-security-policy") ?? ""
        expect([
          path,
          /script|unsafe|\*/.test(policy),
          policy.includes("frame-ancestors 'none'"),
          policy.includes("default-src 'none'")
        ])
          .toEqual([path, false, path === "/sign-in" ? false : true, path === "/sign-in" ? false : true])
        if (path === "/sign-in") continue
        expect([path, /<script|style="| on\w+="/i.test(text), headers.get("cache-control"), headers.get("referrer-policy")])
          .toEqual([path, false, "no-store", "same-origin"])
      }
      const anonymous = yield* (yield* newVisitor).get("/sign-in?next=/app/mail")
      expect([
        anonymous.status,
        anonymous.text.includes("value=\"/app/mail\""),
        anonymous.headers.get("content-security-policy")?.includes("default-src 'none'")
      ])
        .toEqual([200, true, true])
    }))

  it.effect("leaves no token in plain text in the database", () =>
    Effect.gen(function*() {
      const { claim, visitor } = yield* newOwner()
      const shown = yield* visitor.submit(`${(yield* bootstrapped).claim}/email`, { email: newAddress() })
      const rows = JSON.stringify([
        yield* inSql((sql) => sql`select * from sessions`),
        yield* inSql((sql) => sql`select * from sign_in_links`),
        yield* inSql((sql) => sql`select * from mails`),
        yield* inSql((sql) => sql`select * from workspaces`)
      ])
      for (const secret of [visitor.session() ?? "x", linkIn(shown.text).slice(11), claim.slice(7)]) {
        expect(rows).not.toContain(secret)
      }
    }))
})
