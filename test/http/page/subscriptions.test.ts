/** Subscribing to a status page without a script: the form of each type, the mail, confirming, choosing and leaving. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { cellOf } from "../../../src/store/SealedColumns.ts"
import { Vault } from "../../../src/store/Vault.ts"
import { answering, receiver } from "../../notify/alert/Receiver.ts"
import { forgetLimits, newOwner, newVisitor } from "../../support/browser/Visitor.ts"
import { programBaseUrl, programKeys, programOf } from "../../support/program/Program.ts"
import { until } from "../../support/time/Until.ts"

const linkIn = (text: string, kind: RegExp): string => kind.exec(text)?.[0].replace(programBaseUrl, "") ?? "no link"

/** A claimed workspace with a page of two components. */
const scene = Effect.fn("scene")(function*(more: object = {}) {
  const owner = yield* newOwner()
  const key = { authorization: `Bearer ${owner.key}` }
  const call = (method: string, path: string, body?: unknown) => owner.visitor.api(method, path, body, key)
  const page = (yield* call("POST", "/pages", { name: "Acme", ...more })).body
  const api = (yield* call("POST", `/pages/${page.id}/components`, { name: "API", manual: true })).body
  const shop = (yield* call("POST", `/pages/${page.id}/components`, { name: "Shop", manual: true })).body
  yield* forgetLimits
  return { owner, call, page, api, shop, path: `/s/${page.slug}`, visitor: yield* newVisitor }
})

const subscribersOf = (
  { call, page }: { readonly call: Effect.Effect.Success<ReturnType<typeof scene>>["call"]; readonly page: { id: string } }
) => Effect.map(call("GET", `/pages/${page.id}/subscribers`), ({ body }) => body.data)

/** The newest mail to an address, as the service would send it. */
const mailTo = Effect.fn("mailTo")(function*(email: string) {
  const sql = yield* SqlClient.SqlClient
  const { unseal } = yield* Vault
  const [mail] = yield* sql<{ readonly id: string; readonly sealed: string }>`
    select id, sealed from mails where recipient = ${email} order by created_at desc limit 1`
  return yield* unseal(cellOf("mails.sealed", mail?.id ?? ""), mail?.sealed ?? "")
}, Effect.provide(programKeys))

const confirmation = (email: string) =>
  Effect.map(mailTo(email), (mail) => linkIn(mail, /https:\/\/belltower\.test\/subscriptions\/\S+\/confirm\/[0-9A-Za-z]+/))

/** Subscribes a hundred others, as many as the free plan allows. */
const fill = Effect.fn("fill")(function*(pageId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update workspaces set plan = 'free' where id = (select workspace_id from pages where id = ${pageId})`
  yield* sql`
    insert into subscribers
    select (jsonb_populate_record(s, jsonb_build_object('id', substr(s.id, 1, 20) || n, 'status', 'active', 'confirm_hash', null,
      'email', n || '@example.com', 'target_hash', sha256(convert_to(s.id || n, 'UTF8')),
      'manage_hash', sha256(convert_to(s.id || n, 'UTF8'))))).*
    from subscribers s, generate_series(1, 100) n
    where s.id = (select min(id) from subscribers where page_id = ${pageId})`
})

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }), { excludeTestServices: true, timeout: "120 seconds" })(
  "subscribing on a page",
  (it) => {
    it.effect("is listed for the team a page at a time", () =>
      Effect.gen(function*() {
        const { call, page, path, visitor } = yield* scene()
        for (const name of ["ada", "bob", "eve"]) {
          yield* forgetLimits
          yield* visitor.submit(`${path}?subscribe`, { type: "email", email: `${name}@example.com` })
        }
        const list = (query: string) =>
          Effect.map(call("GET", `/pages/${page.id}/subscribers?limit=2&${query}`), ({ body }) => ({
            emails: body.data.map(({ email }: { readonly email: string }) => email),
            next: body.next
          }))
        const first = yield* list("status=pending")
        expect(first.emails).toEqual(["eve@example.com", "bob@example.com"])
        expect(yield* list(`before=${first.next}`)).toEqual({ emails: ["ada@example.com"], next: null })
        expect(yield* list("status=active")).toEqual({ emails: [], next: null })
      }))

    it.effect("to one incident says so, by the title that visitors see", () =>
      Effect.gen(function*() {
        const { api, call, page, path, visitor } = yield* scene({ settings: { language: "fr" } })
        const incident = (yield* call("POST", "/incidents", {
          title: "Slow API",
          message: "We look.",
          components: [{ componentId: api.id, status: "degraded" }]
        })).body
        yield* until(visitor.get(path), ({ text }) => text.includes("Slow API"))
        const made = yield* visitor.api("POST", `/public/pages/${page.slug}/subscribers`, {
          type: "email",
          email: "one@example.com",
          incident: incident.id,
          language: "fr"
        })
        const sql = yield* SqlClient.SqlClient
        yield* sql`update subscribers set manage_hash = sha256('one'::bytea), status = 'active' where id = ${made.body.id}`
        const { text } = yield* visitor.get(`/subscriptions/${made.body.id}/one`)
        expect(text).toContain("Uniquement à propos de «\u00a0Slow API\u00a0», jusqu’à sa résolution.")
      }))

    it.effect("by email takes a form, a mail and a button, and the subscription is managed and ended by its link", () =>
      Effect.gen(function*() {
        const { api, call, page, path, shop, visitor } = yield* scene()
        const shown = yield* visitor.get(path)
        expect(shown.text).toContain("action=\"?subscribe\"")
        expect(shown.headers.get("content-security-policy")).toContain(`form-action 'self' ${programBaseUrl}`)

        const sent = yield* visitor.submit(`${path}?subscribe`, { type: "email", email: "Ada@example.com", component: api.id })
        expect([sent.status, sent.text.includes("Check your email"), sent.text.includes("no confirmation was sent")]).toEqual([
          200,
          false,
          true
        ])
        const pending = { status: "pending", email: "ada@example.com", components: [api.id] }
        expect(yield* subscribersOf({ call, page })).toMatchObject([pending])

        const confirming = yield* confirmation("ada@example.com")
        const question = (yield* visitor.get(confirming)).text
        expect(question).toContain("Confirm your subscription to Acme")
        expect([question.includes("the news that you chose"), question.includes("each incident")]).toEqual([true, false])
        // Opening the link changes nothing: a mail scanner does that.
        expect((yield* subscribersOf({ call, page }))[0].status).toBe("pending")
        expect((yield* visitor.submit(confirming)).text).toContain("You are subscribed.")
        expect((yield* subscribersOf({ call, page }))[0].status).toBe("active")
        expect((yield* visitor.submit(confirming)).status).toBe(200)

        const sql = yield* SqlClient.SqlClient
        const [{ id }] = yield* subscribersOf({ call, page })
        yield* sql`update subscribers set manage_hash = sha256('the token'::bytea) where id = ${id}`
        const managed = `/subscriptions/${id}/the%20token`
        const form = yield* visitor.get(managed)
        expect(form.text).toMatch(new RegExp(`value="${api.id}" checked`))
        expect(form.text.match(/name="kind" value="\w+" checked/g)).toHaveLength(3)
        expect((yield* visitor.submit(managed, { component: shop.id, kind: "maintenance" })).location).toContain("?saved=1")
        expect((yield* subscribersOf({ call, page }))[0]).toMatchObject({ components: [shop.id], kinds: ["maintenance"] })
        expect((yield* visitor.get(managed)).text).toContain("value=\"maintenance\" checked")
        // A program changes one without the other.
        const patch = (body: object) => visitor.api("PATCH", `/public/subscribers/${id}`, { token: "the token", ...body })
        expect((yield* patch({ kinds: [] })).body).toMatchObject({ components: [shop.id], kinds: [] })
        const nothing = yield* patch({})
        expect([nothing.status, nothing.body.error.details[0].path]).toEqual([422, "components"])
        // The record can be sent back as it is shown, also after a component was deleted; without it, an empty list would mean all.
        yield* call("DELETE", `/components/${shop.id}`)
        expect((yield* patch({ components: [shop.id] })).body.components).toEqual([shop.id])
        expect((yield* patch({ components: [shop.id, api.key] })).body.components).toEqual([api.id, shop.id])
        expect((yield* patch({ components: [api.id] })).body.components).toEqual([api.id])
        expect((yield* patch({ components: [shop.id] })).status).toBe(422)
        expect((yield* patch({ components: [], kinds: ["incidents"] })).body).toMatchObject({
          components: [],
          kinds: ["incidents"]
        })
        expect((yield* visitor.get(`${managed}/unsubscribe`)).text).toContain("Unsubscribe from Acme?")
        // As mail programs do it, from nowhere (RFC 8058).
        expect((yield* visitor.submit(`${managed}/unsubscribe`, {}, {})).status).toBe(200)
        expect((yield* subscribersOf({ call, page }))[0].status).toBe("unsubscribed")
        // Another tab still shows the form, and an old mail has the link.
        const late = yield* visitor.submit(managed, { kind: "maintenance" })
        expect([late.status, late.text.includes("You are unsubscribed")]).toEqual([409, true])
        expect((yield* visitor.get(`${managed}/unsubscribe`)).text).toContain("You are unsubscribed")
        // Once they have subscribed again, an old mail ends that.
        yield* forgetLimits
        yield* visitor.submit(`${path}?subscribe`, { type: "email", email: "ada@example.com" })
        yield* visitor.submit(yield* confirmation("ada@example.com"))
        const old = yield* Effect.all([visitor.get(managed), visitor.get(`${managed}/unsubscribe`)])
        expect(old.map(({ text }) => text.includes("Unsubscribe from Acme?"))).toEqual([true, true])
        const statuses = Effect.map(subscribersOf({ call, page }), (all) => all.map(({ status }: { status: string }) => status))
        expect(yield* statuses).toEqual(["active", "unsubscribed"])
        yield* visitor.submit(`${managed}/unsubscribe`, {}, {})
        expect(yield* statuses).toEqual(["unsubscribed", "unsubscribed"])
      }))

    it.effect("says in the page's language that it is full, without what only its owner can change", () =>
      Effect.gen(function*() {
        const { page, path, visitor } = yield* scene({ settings: { language: "de" } })
        yield* visitor.submit(`${path}?subscribe`, { type: "email", email: "eve@example.com" })
        yield* fill(page.id)
        const full = yield* visitor.submit(yield* confirmation("eve@example.com"))
        expect([full.status, full.text.includes("Diese Seite kann dieses Abonnement zurzeit nicht annehmen.")]).toEqual([
          402,
          true
        ])
        expect(full.text).not.toMatch(/plan|upgrade/i)
      }))

    it.scoped("again on a full page replaces the subscription, and a form tells nobody who is subscribed", () =>
      Effect.gen(function*() {
        const { call, page, visitor } = yield* scene()
        const chat = yield* receiver(answering(200))
        const subscribe = (input: object) =>
          Effect.zipRight(forgetLimits, visitor.api("POST", `/public/pages/${page.slug}/subscribers`, input))
        yield* subscribe({ type: "email", email: "ada@example.com" })
        yield* visitor.submit(yield* confirmation("ada@example.com"))
        yield* subscribe({ type: "email", email: "ada@example.com" })
        yield* subscribe({ type: "slack", url: chat.url })
        yield* fill(page.id)
        const before = (yield* call("GET", `/pages/${page.id}/subscribers?status=active&limit=1000`)).body.data.length
        expect((yield* subscribe({ type: "slack", url: chat.url })).status).toBe(201)
        expect((yield* subscribe({ type: "slack", url: `${chat.url}/other` })).status).toBe(402)
        expect((yield* subscribe({ type: "email", email: "ada@example.com" })).status).toBe(402)
        expect((yield* subscribe({ type: "email", email: "bob@example.com" })).status).toBe(402)
        expect((yield* visitor.submit(yield* confirmation("ada@example.com"))).status).toBe(200)
        const after = (yield* call("GET", `/pages/${page.id}/subscribers?status=active&limit=1000`)).body.data.length
        expect([before >= 100, after]).toEqual([true, before])
      }))

    it.scoped("by webhook proves the endpoint and shows the secret once; Slack and Discord need their URL only", () =>
      Effect.gen(function*() {
        const { call, page, path, visitor } = yield* scene()
        const hook = yield* receiver((response, _, { body }) => void response.writeHead(200).end(JSON.parse(body).challenge))
        const subscribed = yield* visitor.submit(`${path}/subscribe`, {
          type: "webhook",
          url: hook.url,
          email: "left@example.com"
        })
        expect(subscribed.text).toMatch(/whsec_[A-Za-z0-9+/=]+/)
        expect(linkIn(subscribed.text, /https:\/\/belltower\.test\/subscriptions\/\w+\/\w+/)).not.toBe("no link")
        const chat = yield* receiver(answering(200))
        for (const type of ["slack", "discord"]) {
          expect((yield* visitor.submit(`${path}/subscribe`, { type, url: chat.url })).text).toContain("You are subscribed.")
        }
        expect(yield* subscribersOf({ call, page })).toMatchObject(
          ["discord", "slack", "webhook"].map((type) => ({ type, status: "active" }))
        )
      }))

    it.effect("shows the form again with what was wrong, keeps the component of the link, and refuses forms of other sites", () =>
      Effect.gen(function*() {
        const { call, page, path, shop, visitor } = yield* scene()
        const linked = yield* visitor.get(`${path}/subscribe?component=${shop.key}`)
        expect(linked.text).toMatch(new RegExp(`value="${shop.id}" checked`))
        expect(linked.text.match(/name="component"[^>]* checked/g)).toHaveLength(1)
        for (const fields of [{ type: "email", email: "nobody" }, { type: "email" }, { type: "webhook", url: "ftp://x" }]) {
          const again = yield* visitor.submit(`${path}/subscribe`, fields)
          expect([again.status, again.text.includes("role=\"alert\""), again.text.includes("<form")]).toEqual([422, true, true])
        }
        // With what was typed.
        const typed = yield* visitor.submit(`${path}/subscribe`, {
          type: "email",
          email: "ada at example",
          kind: "maintenance",
          component: shop.id
        })
        expect(typed.text).toContain("value=\"ada at example\"")
        expect(typed.text.match(/name="kind" value="\w+" checked/g)).toEqual(["name=\"kind\" value=\"maintenance\" checked"])
        expect(typed.text).toMatch(new RegExp(`value="${shop.id}" checked`))
        const foreign = yield* visitor.submit(`${path}/subscribe`, { type: "email", email: "ada@example.com" }, {
          origin: "https://elsewhere.test",
          "sec-fetch-site": "cross-site"
        })
        expect(foreign.status).toBe(403)
        expect(yield* subscribersOf({ call, page })).toEqual([])
        expect((yield* visitor.get("/s/nowhere/subscribe")).status).toBe(404)
        expect((yield* visitor.get("/subscriptions/sub_1/wrong")).status).toBe(404)
      }))

    it.effect("says what was wrong in the visitor's language, and details only to those who subscribe by a URL", () =>
      Effect.gen(function*() {
        const { path, visitor } = yield* scene({ settings: { language: "de", subscriptions: { slack: false } } })
        const wrong = (fields: Record<string, string>) =>
          Effect.map(
            visitor.submit(`${path}?subscribe`, fields),
            ({ status, text }) => [status, /role="alert"[^>]*>([^<]*)/.exec(text)?.[1] ?? ""]
          )
        expect(yield* wrong({ type: "email" })).toEqual([
          422,
          "Prüfen Sie die Adresse: Sie fehlt oder kann nicht verwendet werden."
        ])
        const marked = (yield* visitor.submit(`${path}?subscribe`, { type: "email" })).text
        expect(/<input[^>]*name="email"[^>]*>/.exec(marked)?.[0]).toContain(
          "aria-invalid=\"true\" aria-describedby=\"wrong\" autofocus"
        )
        expect((yield* wrong({ type: "webhook", url: "ftp://x" }))[1]).toMatch(/^Prüfen Sie die Adresse: .* werden\. \S/)
        // The owner has switched these off, and an unclaimed workspace sends no mail: visitors cannot change that.
        expect(yield* wrong({ type: "slack", url: "https://hooks.slack.test/x" })).toEqual([
          403,
          "Diese Seite kann dieses Abonnement zurzeit nicht annehmen."
        ])
      }))

    it.scoped("keeps a component that was hidden meanwhile, and takes its record as it is shown after one was deleted", () =>
      Effect.gen(function*() {
        const { api, call, page, shop, visitor } = yield* scene()
        const input = { type: "slack", url: (yield* receiver(answering(200))).url, components: [api.id, shop.id] }
        const { body: { id, manageToken } } = yield* visitor.api("POST", `/public/pages/${page.slug}/subscribers`, input)
        yield* call("PATCH", `/components/${api.id}`, { hidden: true })
        yield* call("DELETE", `/components/${shop.id}`)
        const wish = { token: manageToken, components: [shop.id, api.id] }
        expect((yield* visitor.api("PATCH", `/public/subscribers/${id}`, wish)).body.components).toEqual([api.id, shop.id])
        expect((yield* visitor.get(`/subscriptions/${id}/${manageToken}`)).text).toContain(`value="${api.id}" checked`)
        yield* call("POST", `/pages/${page.id}/components`, { name: "New", manual: true })
        yield* visitor.submit(`/subscriptions/${id}/${manageToken}`, { component: api.id })
        expect(yield* subscribersOf({ call, page })).toMatchObject([{ components: [api.id] }])
      }))

    it.effect("chooses all components by all boxes, and none that was deleted while the form was open", () =>
      Effect.gen(function*() {
        const { api, call, page, path, shop, visitor } = yield* scene()
        const ids: ReadonlyArray<[string, string]> = [["type", "email"], ["component", api.id], ["component", shop.id]]
        yield* visitor.submit(`${path}/subscribe`, [...ids, ["email", "all@example.com"]])
        yield* call("DELETE", `/components/${shop.id}`)
        yield* call("POST", `/pages/${page.id}/components`, { name: "New", manual: true })
        yield* until(Effect.map(visitor.get(`${path}/subscribe`), ({ text }) => text), (text) => !text.includes(shop.id))
        yield* visitor.submit(`${path}/subscribe`, [...ids, ["email", "ada@example.com"]])
        expect(yield* subscribersOf({ call, page })).toMatchObject([{ components: [api.id] }, { components: [] }])
        const late = yield* visitor.submit(`${path}/subscribe`, { type: "email", email: "bob@example.com", component: shop.id })
        expect([late.status, late.text.includes("cannot take this"), late.text.includes("aria-invalid")]).toEqual([
          422,
          true,
          false
        ])
      }))

    it.effect("offers only what the page allows", () =>
      Effect.gen(function*() {
        const { path, visitor } = yield* scene({ settings: { subscriptions: { email: false, slack: false, rss: false } } })
        const { text } = yield* visitor.get(`${path}/subscribe`)
        expect([
          text.includes("value=\"webhook\""),
          text.includes("value=\"email\""),
          text.includes("Slack"),
          text.includes("RSS")
        ])
          .toEqual([true, false, false, false])
        expect((yield* visitor.submit(`${path}/subscribe`, { type: "email", email: "ada@example.com" })).status).toBe(403)
        const none = yield* scene({ settings: { subscriptions: { email: false, slack: false, rss: false, webhook: false } } })
        expect((yield* none.visitor.get(none.path)).text).not.toContain("subscribe\"")
      }))

    it.effect("of a private page is for members alone, by the address of their account", () =>
      Effect.gen(function*() {
        const { call, owner, page, path, visitor } = yield* scene({ visibility: "private" })
        expect((yield* visitor.get(`${path}/subscribe`)).status).toBe(404)
        expect((yield* visitor.submit(`${path}/subscribe`, { type: "email", email: owner.email })).status).toBe(404)
        const shown = yield* owner.visitor.get(`${path}/subscribe`)
        expect([shown.status, shown.text.includes("value=\"webhook\"")]).toEqual([200, false])
        const other = yield* owner.visitor.submit(`${path}/subscribe`, { type: "email", email: "stranger@example.com" })
        expect([other.status, other.text.includes("Only members")]).toEqual([403, true])
        expect((yield* owner.visitor.submit(`${path}/subscribe`, { type: "email", email: owner.email })).status).toBe(200)
        expect(yield* subscribersOf({ call, page })).toMatchObject([{ status: "pending", email: owner.email }])
      }))
  }
)
