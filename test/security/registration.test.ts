/** Strangers make no workspaces and accounts where they would reach a private network or the operator says so. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it, layer } from "@effect/vitest"
import { Context, Effect, Either, Layer, Option, Redacted, Schema } from "effect"
import type { LookupAddress } from "node:dns"
import { request } from "node:http"
import { WorkspaceId } from "../../schema/Ids.ts"
import { EmailAddress } from "../../schema/people/Person.ts"
import { inviteOptions, runInvite } from "../../src/commands/InviteCommand.ts"
import { admissionOf } from "../../src/domain/access/Registration.ts"
import { parseAllowedTargets } from "../../src/domain/check/address/Egress.ts"
import { EgressGuard, guardFor } from "../../src/egress/EgressGuard.ts"
import { ServerAddress } from "../../src/http/server/ServeApp.ts"
import { mint } from "../../src/store/Mint.ts"
import { type LinkOrigin, SignInLinks } from "../../src/store/people/SignInLinks.ts"
import { Vault } from "../../src/store/Vault.ts"
import { OperatorInvitations } from "../../src/store/workspace/OperatorInvitations.ts"
import { receiver } from "../notify/alert/Receiver.ts"
import { bootstrapped, forgetLimits, linkIn, newAddress, newVisitor, type Visitor } from "../support/browser/Visitor.ts"
import { programBaseUrl, programOf } from "../support/program/Program.ts"
import { testSecret } from "../support/program/TestInstallation.ts"
import { bearer, callJson, type Json, newKey } from "../support/program/TestServer.ts"
import { type LocalProvider, localProvider } from "../support/services/LocalProvider.ts"
import { localSource } from "../support/services/LocalSources.ts"

const json = { "content-type": "application/json" }
const elsewhere = { "x-forwarded-for": "203.0.113.7" }

/** A bootstrap over REST. */
const overRest = (headers: Record<string, string> = {}, fields: object = {}) =>
  Effect.zipRight(
    forgetLimits,
    callJson("/api/v1/agent/bootstrap", {
      method: "POST",
      headers: { ...json, ...headers },
      body: JSON.stringify({ agentName: "scout", ...fields })
    })
  )

/** The same as a tool of MCP: 201, or the code of its failure. */
const overMcp = Effect.fn("overMcp")(function*(headers: Record<string, string> = {}, fields: object = {}) {
  yield* forgetLimits
  const { body } = yield* callJson("/mcp/public", {
    method: "POST",
    headers: { ...json, accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "bootstrap_workspace", arguments: { agentName: "scout", ...fields } }
    })
  })
  const answer: Json = JSON.parse(body.result.content[0].text)
  return body.result.isError === true ? answer.error.code : typeof answer.apiKey === "string" ? 201 : answer
})

const withInvitations = <A, E, R>(use: (invitations: OperatorInvitations) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(OperatorInvitations, use).pipe(Effect.provide(OperatorInvitations.Default), Effect.scoped)

/** The code that the operator's command prints. */
const invited = Effect.fn("invited")(function*(...words: ReadonlyArray<string>) {
  const wanted = Either.getOrThrow(inviteOptions(words))
  const [link = ""] = yield* withInvitations((invitations) => runInvite(invitations, wanted, programBaseUrl))
  expect(link).toMatch(/^https:\/\/belltower\.test\/register\/[0-9A-Za-z]{40}$/)
  return link.slice(link.lastIndexOf("/") + 1)
})

const addressOf = Schema.decodeSync(EmailAddress)

/** A sign-in link for an address. */
const linkFor = (email: string, origin: LinkOrigin, next: string | null = null, forOperator = false) =>
  Effect.flatMap(SignInLinks, (links) => links.create({ email: addressOf(email), next, origin, forOperator })).pipe(
    Effect.provide(SignInLinks.Default.pipe(Layer.provide(Vault.layer(Redacted.make(testSecret))))),
    Effect.scoped,
    Effect.map(({ token }) => `/auth/link/${token}`)
  )

const signedInBy = Effect.fn("signedInBy")(function*(origin: LinkOrigin, next: string | null = null, forOperator = false) {
  const visitor = yield* newVisitor
  const entered = yield* visitor.submit(yield* linkFor(newAddress(), origin, next, forOperator))
  return { visitor, entered }
})

const own = { origin: programBaseUrl, "sec-fetch-site": "same-origin" }

const makes = (visitor: Visitor, headers: Record<string, string> = {}, fields: object = {}) =>
  Effect.map(
    visitor.api("POST", "/me/workspaces", { name: "Mine", ...fields }, { ...own, ...headers }),
    ({ status }) => status
  )

const options = { excludeTestServices: true, timeout: "180 seconds" } as const

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }), options)("where private ranges are open to all", (it) => {
  it.effect("a stranger makes no workspace, and learns which setting decides and what to do", () =>
    Effect.gen(function*() {
      const refused = yield* overRest(elsewhere)
      expect([refused.status, refused.body.error.code]).toEqual([403, "forbidden"])
      for (const word of ["BELLTOWER_REGISTRATION", "BELLTOWER_ALLOW_TARGETS", "dist/belltower.js invite", "invitation"]) {
        expect(`${refused.body.error.message} ${refused.body.error.hint}`).toContain(word)
      }
      expect(yield* overMcp(elsewhere)).toBe("forbidden")
      // Whatever header a proxy on this machine adds.
      for (const name of ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"]) {
        expect([name, (yield* overRest({ [name]: "127.0.0.1" })).status]).toEqual([name, 403])
        expect([name, yield* overMcp({ [name]: "127.0.0.1" })]).toEqual([name, "forbidden"])
      }
    }))

  it.effect("a program on this machine makes one", () =>
    Effect.gen(function*() {
      expect((yield* overRest()).status).toBe(201)
      expect(yield* overMcp()).toBe(201)
    }))

  it.effect("a page of another site in a browser on this machine makes none", () =>
    Effect.gen(function*() {
      const code = yield* invited("--uses", "9")
      for (
        const page of [
          { origin: "https://evil.example" },
          { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
          { origin: "null" },
          { "sec-fetch-site": "cross-site" },
          { "sec-fetch-site": "same-site" }
        ]
      ) {
        expect([page, (yield* overRest(page)).status]).toEqual([page, 403])
        expect([page, yield* overMcp(page)]).toEqual([page, "forbidden"])
        // Nor with an invitation.
        expect([page, (yield* overRest(page, { invitation: code })).status]).toEqual([page, 403])
      }
      expect((yield* overRest(own)).status).toBe(201)
    }))

  it.effect("a page under a name that leads to this machine makes none", () =>
    Effect.gen(function*() {
      yield* forgetLimits
      const { host: address, port } = yield* ServerAddress
      const statusAt = (host: string, headers: Record<string, string>) =>
        Effect.async<number>((resume) => {
          const sent = request({
            host: address,
            port,
            path: "/api/v1/agent/bootstrap",
            method: "POST",
            headers: { ...json, host, ...headers }
          }, (response) => {
            response.resume()
            resume(Effect.succeed(response.statusCode ?? 0))
          })
          sent.end(JSON.stringify({ agentName: "scout" }))
        })
      const rebound = `evil.example:${port}`
      expect(yield* statusAt(rebound, { origin: `http://${rebound}`, "sec-fetch-site": "same-origin" })).toBe(403)
      expect(yield* statusAt(rebound, { origin: `http://${rebound}` })).toBe(403)
      expect(yield* statusAt(rebound, {})).toBe(403)
      expect(yield* statusAt(`localhost:${port}`, {})).toBe(201)
    }))

  it.effect("an invitation admits from everywhere, as often as the operator said", () =>
    Effect.gen(function*() {
      const code = yield* invited("--uses", "3")
      expect((yield* overRest(elsewhere, { invitation: code })).status).toBe(201)
      expect(yield* overMcp(elsewhere, { invitation: code })).toBe(201)
      // Of two at the same time, one gets the last use.
      yield* forgetLimits
      const both = yield* Effect.all(
        [1, 2].map(() =>
          callJson("/api/v1/agent/bootstrap", {
            method: "POST",
            headers: { ...json, ...elsewhere },
            body: JSON.stringify({ agentName: "scout", invitation: code })
          })
        ),
        { concurrency: "unbounded" }
      )
      expect(both.map(({ status }) => status).sort()).toEqual([201, 403])
      const ended = yield* overRest(elsewhere, { invitation: code })
      expect([ended.status, ended.body.error.message]).toEqual([403, "This invitation is unknown, used up or has expired"])
      // A given invitation counts, also where none is needed.
      expect((yield* overRest({}, { invitation: "no such invitation" })).status).toBe(403)
      const sql = yield* SqlClient.SqlClient
      const late = yield* invited()
      yield* sql`update operator_invitations set expires_at = now() - interval '1 second' where uses_left = 1`
      expect((yield* overRest(elsewhere, { invitation: late })).status).toBe(403)
      const withdrawn = yield* invited()
      const end = withInvitations((invitations) => runInvite(invitations, { end: withdrawn }, programBaseUrl))
      expect(yield* end).toEqual(["The invitation has ended"])
      expect((yield* Effect.flip(end)).message).toMatch(/^There is no such invitation/)
      expect((yield* overRest(elsewhere, { invitation: withdrawn })).status).toBe(403)
      expect(JSON.stringify(yield* sql`select * from operator_invitations`)).not.toContain(code)
    }))

  it.effect("a person with a new account makes no workspace from elsewhere; one who makes monitors already does", () =>
    Effect.gen(function*() {
      const { visitor } = yield* signedInBy("mailed")
      expect((yield* visitor.api("GET", "/me")).status).toBe(200)
      expect(yield* makes(visitor, elsewhere)).toBe(403)
      const form = { _form: "f", _back: "/app/workspaces", _then: "/app", name: "Mine" }
      const shown = yield* visitor.submit("/app/do/create_my_workspace", form, { ...own, ...elsewhere })
      expect([shown.status, shown.text.includes("needs an invitation")]).toEqual([403, true])
      expect((yield* visitor.api("GET", "/me/workspaces")).body.data).toEqual([])
      expect(yield* makes(visitor, elsewhere, { invitation: yield* invited() })).toBe(201)
      expect(yield* makes(visitor, elsewhere)).toBe(201)
      const near = yield* signedInBy("mailed")
      expect(yield* makes(near.visitor)).toBe(201)
    }))

  it.effect("a viewer gains no reach by a workspace of their own", () =>
    Effect.gen(function*() {
      const { visitor } = yield* signedInBy("mailed")
      const { body: me } = yield* visitor.api("GET", "/me")
      const { workspaceId } = yield* newKey()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${me.user.id}, 'viewer', now())`
      expect(yield* makes(visitor, elsewhere)).toBe(403)
    }))

  it.scoped("a stranger who subscribes to a page has no private address called, by REST or by its form", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const hook = yield* receiver((response, _, { body }) => void response.end(JSON.parse(body).challenge))
      const { headers } = yield* newKey()
      const { body: page } = yield* callJson("/api/v1/pages", {
        method: "POST",
        headers: { ...json, ...headers },
        body: JSON.stringify({ name: "Acme", settings: { subscriptions: { webhook: true, slack: true } } })
      })
      const subscribes = (given: object, from: Record<string, string> = {}) =>
        Effect.zipRight(
          forgetLimits,
          callJson(`/api/v1/public/pages/${page.slug}/subscribers`, {
            method: "POST",
            headers: { ...json, ...from },
            body: JSON.stringify(given)
          })
        )
      const inside = { type: "webhook", url: hook.url }
      for (const from of [elsewhere, { origin: "https://evil.example" }]) {
        const refused = yield* subscribes(inside, from)
        expect([refused.status, JSON.stringify(refused.body).includes("BELLTOWER_REGISTRATION")]).toEqual([422, true])
      }
      const visitor = yield* newVisitor
      const form = yield* visitor.submit(`/s/${page.slug}/subscribe`, inside, { ...own, ...elsewhere })
      expect([form.status, form.text.includes("public addresses only")]).toEqual([422, true])
      expect(hook.seen).toEqual([])
      expect((yield* subscribes(inside)).status).toBe(201)
      // A later address of its name is judged the same: the subscription remembers who chose it.
      const chat = { type: "slack", url: "https://hooks.slack.com/services/T0/B0/x" }
      expect((yield* subscribes(chat, elsewhere)).status).toBe(201)
      const rows = yield* sql`select type, reaches_private as reaches from subscribers where page_id = ${page.id} order by id`
      expect(rows).toEqual([{ type: "webhook", reaches: true }, { type: "slack", reaches: false }])
    }))

  it.effect("the operator's session makes one", () =>
    Effect.gen(function*() {
      const { visitor } = yield* signedInBy("operator", null, true)
      expect(yield* makes(visitor, elsewhere)).toBe(201)
    }))
})

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8", BELLTOWER_TRUST_PROXY: "loopback" }), options)(
  "behind a proxy on the same machine",
  (it) => {
    it.effect("no connection from loopback is taken for a program on the machine", () =>
      Effect.gen(function*() {
        expect((yield* overRest()).status).toBe(403)
        expect(yield* overMcp()).toBe("forbidden")
        expect((yield* overRest({ "x-forwarded-for": "127.0.0.1" })).status).toBe(403)
      }))
  }
)

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8", BELLTOWER_REGISTRATION: "open" }), options)(
  "where the operator says open",
  (it) => {
    it.effect("everybody makes a workspace, also from pages of any origin", () =>
      Effect.gen(function*() {
        const answer = yield* overRest({ ...elsewhere, origin: "https://agents.example", "sec-fetch-site": "cross-site" })
        expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([201, "*"])
        expect(yield* overMcp(elsewhere)).toBe(201)
        expect(yield* makes((yield* signedInBy("mailed")).visitor, elsewhere)).toBe(201)
      }))
  }
)

class Provider extends Context.Tag("Provider")<Provider, LocalProvider>() {}

const inviting = Layer.unwrapScoped(Effect.map(localProvider, (provider) =>
  Layer.merge(
    programOf({ ...provider.environment, BELLTOWER_REGISTRATION: "invite" }),
    Layer.succeed(Provider, provider)
  )))

layer(inviting, options)("where the operator invites", (it) => {
  it.effect("nobody makes a workspace without an invitation, on this machine neither", () =>
    Effect.gen(function*() {
      const refused = yield* overRest()
      expect([refused.status, refused.body.error.hint.includes("BELLTOWER_REGISTRATION=invite")]).toEqual([403, true])
      expect(yield* overMcp()).toBe("forbidden")
      expect((yield* overRest(elsewhere, { invitation: yield* invited() })).status).toBe(201)
      const { visitor } = yield* signedInBy("operator")
      expect(yield* makes(visitor)).toBe(403)
      expect(yield* makes(visitor, {}, { invitation: yield* invited() })).toBe(201)
      expect(yield* makes(visitor)).toBe(403)
    }))

  it.effect("no sign-in makes an account for a stranger, by mail or by a provider", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      for (const origin of ["mailed", "captured"] as const) {
        const email = newAddress("stranger")
        const visitor = yield* newVisitor
        const entered = yield* visitor.submit(yield* linkFor(email, origin))
        expect([origin, entered.status, entered.text.includes("BELLTOWER_REGISTRATION=invite")]).toEqual([origin, 403, true])
        expect(yield* sql`select from users where email = ${email}`).toEqual([])
        expect(visitor.session()).toBe(undefined)
      }
      const provider = yield* Provider
      const email = newAddress("oauth")
      provider.become({ subject: "77", email, verified: true, name: "Mallory" })
      const visitor = yield* newVisitor
      const sent = yield* visitor.submit("/auth/google")
      const back = (yield* provider.visit(sent.location ?? "")).replace(programBaseUrl, "")
      expect((yield* visitor.get(back)).status).toBe(403)
      expect(yield* sql`select from users where email = ${email}`).toEqual([])
    }))

  it.effect("asking for a link is the same for addresses with and without an account", () =>
    Effect.gen(function*() {
      yield* forgetLimits
      const { visitor } = yield* signedInBy("operator")
      const { body: me } = yield* visitor.api("GET", "/me")
      const asked = yield* Effect.forEach([me.user.email, newAddress("nobody")], (email) =>
        Effect.map(visitor.api("POST", "/auth/email", { email }), ({ body, status }) => ({ body, status })))
      expect(asked[1]).toEqual(asked[0])
    }))

  it.effect("those who were let in make an account by a claim link, an invitation or the operator's link", () =>
    Effect.gen(function*() {
      const made = yield* overRest(elsewhere, { invitation: yield* invited() })
      const claim = new URL(made.body.claimUrl).pathname
      const person = yield* signedInBy("mailed", claim)
      expect(person.entered.location).toBe(claim)
      expect((yield* person.visitor.submit(claim)).location).toBe("/app")
      // A claim link that was used lets nobody in any more, and no made-up one does.
      for (const next of [claim, "/claim/0123456789012345678901234567890123456789", "/app", `${claim}/x`]) {
        expect([next, (yield* signedInBy("mailed", next)).entered.status]).toEqual([next, 403])
      }
      const { status } = yield* person.visitor.api("POST", "/members", { email: newAddress("colleague"), role: "member" })
      expect(status).toBe(201)
      const mails = yield* person.visitor.api("GET", "/me/mails")
      const mail = yield* person.visitor.api("GET", `/me/mails/${mails.body.data[0].id}`)
      const link = /\/invite\/[0-9A-Za-z]{40}/.exec(mail.body.text)?.[0] ?? "no link"
      expect((yield* (yield* newVisitor).submit(`${link}/join`)).location).toBe("/app")
      expect((yield* signedInBy("operator")).entered.status).toBe(303)
    }))

  it.effect("a person opens the operator's link, signs in, and makes the workspace that it is for", () =>
    Effect.gen(function*() {
      yield* forgetLimits
      const code = yield* invited()
      const visitor = yield* newVisitor
      const page = yield* visitor.get(`/register/${code}`)
      expect([page.status, page.text.includes("invites you to create a workspace")]).toEqual([200, true])
      const shown = yield* visitor.submit(`/register/${code}/email`, { email: newAddress() })
      const entered = yield* visitor.submit(linkIn(shown.text))
      expect([entered.status, entered.location]).toEqual([303, `/register/${code}`])
      expect((yield* visitor.submit(`/register/${code}`, { name: " " })).status).toBe(422)
      expect((yield* visitor.submit(`/register/${code}`, { name: "Acme" })).location).toBe("/app")
      const { body } = yield* visitor.api("GET", "/me")
      expect(body.workspace).toMatchObject({ name: "Acme", role: "owner" })
      // The invitation is used up.
      expect((yield* visitor.submit(`/register/${code}`, { name: "Again" })).status).toBe(403)
      expect((yield* (yield* newVisitor).get(`/register/${code}`)).status).toBe(403)
    }))
})

layer(programOf({ BELLTOWER_REGISTRATION: "closed" }), options)("where the operator says closed", (it) => {
  it.effect("only the operator's session makes a workspace; invitations count for nothing", () =>
    Effect.gen(function*() {
      const refused = yield* overRest()
      expect([refused.status, refused.body.error.hint.includes("BELLTOWER_REGISTRATION=closed")]).toEqual([403, true])
      const code = yield* invited()
      expect((yield* overRest({}, { invitation: code })).status).toBe(403)
      expect(yield* overMcp({}, { invitation: code })).toBe("forbidden")
      expect((yield* (yield* newVisitor).get(`/register/${code}`)).status).toBe(403)
      expect((yield* signedInBy("mailed", `/register/${code}`)).entered.status).toBe(403)
      const { visitor } = yield* signedInBy("operator")
      expect(yield* makes(visitor, {}, { invitation: code })).toBe(403)
      expect(yield* makes((yield* signedInBy("operator", null, true)).visitor)).toBe(201)
    }))
})

layer(programOf(), options)("by default", (it) => {
  it.effect("everybody makes a workspace, from everywhere and in the name of every page", () =>
    Effect.gen(function*() {
      expect((yield* overRest({ ...elsewhere, origin: "https://agents.example" })).status).toBe(201)
      expect(yield* overMcp(elsewhere)).toBe(201)
      expect(yield* bootstrapped).toHaveProperty("key")
    }))
})

describe("the operator's command", () => {
  it("takes whole numbers within bounds", () => {
    expect(inviteOptions([])).toEqual(Either.right({ uses: 1, days: 7 }))
    expect(inviteOptions(["--days", "30", "--uses", "10"])).toEqual(Either.right({ uses: 10, days: 30 }))
    expect(inviteOptions(["--end", "x"])).toEqual(Either.right({ end: "x" }))
    for (
      const words of [["--uses"], ["--uses", "0"], ["--uses", "1001"], ["--days", "366"], ["--days", "1.5"], ["x"], ["--end"]]
    ) {
      expect([words, Either.isLeft(inviteOptions(words))]).toEqual([words, true])
    }
  })
})

it("the default follows from the targets, and the operator's word counts more", () => {
  expect([admissionOf(Option.none(), false), admissionOf(Option.none(), true)]).toEqual(["open", "guarded"])
  expect(admissionOf(Option.some("open"), true)).toBe("open")
})

describe("ranges of single workspaces", () => {
  const mine = "ws_01hzy3v9k8q2m4n6p8r0t2v4w6"
  const others = "ws_01hzy3v9k8q2m4n6p8r0t2v4w7"

  it("are entries with the id of the workspace", () => {
    const { byWorkspace, forAll } = Either.getOrThrow(parseAllowedTargets(`10.0.0.0/8, ${mine}=192.168.1.0/24,${mine}=fd00::/8`))
    expect([forAll.length, byWorkspace.get(mine)?.length, byWorkspace.size]).toEqual([1, 2, 1])
    for (const wrong of ["ws_1=10.0.0.0/8", "acme=10.0.0.0/8", `${mine}=`, `${mine}=shop.lan`, "=10.0.0.0/8"]) {
      expect([wrong, Either.isLeft(parseAllowedTargets(wrong))]).toEqual([wrong, true])
    }
  })

  it.scoped("open them to its own checks only, as they are written and as names resolve", () =>
    Effect.gen(function*() {
      const { byWorkspace } = Either.getOrThrow(parseAllowedTargets(`${mine}=192.168.1.0/24`))
      const guard = yield* EgressGuard.pipe(Effect.provide(EgressGuard.Default({
        allow: [],
        allowFor: byWorkspace,
        resolve: (_, done) => done(null, [{ address: "192.168.1.7", family: 4 }])
      })))
      const reaches = (owner: string | null, host: string) => {
        const seen: Array<ReadonlyArray<LookupAddress>> = []
        const used = owner === null ? guard : guardFor(guard, { owner })
        used.addressesOf(host, (_, addresses) => void seen.push(addresses))
        return [(seen[0] ?? []).length > 0, used.refusalOf(host) === null]
      }
      for (const host of ["192.168.1.7", "shop.example"]) expect([host, reaches(mine, host)]).toEqual([host, [true, true]])
      for (const owner of [others, null]) {
        expect(reaches(owner, "192.168.1.7")).toEqual([false, false])
        expect(reaches(owner, "shop.example")).toEqual([false, true])
      }
      expect(reaches(mine, "192.168.2.7")).toEqual([false, false])
    }))

  it.scoped("do not help visitors of its pages, and where strangers choose, nothing private does", () =>
    Effect.gen(function*() {
      const { byWorkspace, forAll } = Either.getOrThrow(parseAllowedTargets(`10.0.0.0/8,${mine}=192.168.1.0/24`))
      const guard = yield* EgressGuard.pipe(Effect.provide(EgressGuard.Default({ allow: forAll, allowFor: byWorkspace })))
      const open = (reach: "own" | "all" | "none") =>
        ["10.0.0.1", "192.168.1.7", "93.184.215.14"].filter((host) =>
          guardFor(guard, { owner: mine, reach }).refusalOf(host) === null
        )
      expect(open("own")).toEqual(["10.0.0.1", "192.168.1.7", "93.184.215.14"])
      expect(open("all")).toEqual(["10.0.0.1", "93.184.215.14"])
      expect(open("none")).toEqual(["93.184.215.14"])
    }))

  class Ground extends Context.Tag("Ground")<Ground, { readonly id: WorkspaceId; readonly url: string }>() {}

  const ground = Layer.unwrapScoped(Effect.gen(function*() {
    const id = yield* mint("ws", WorkspaceId)
    const { url } = yield* localSource(() => ({ status: 200, body: {} }))
    return Layer.merge(
      programOf({ BELLTOWER_ALLOW_TARGETS: `${id}=127.0.0.0/8` }),
      Layer.succeed(Ground, { id, url })
    )
  }))

  layer(ground, options)("of an installation", (it) => {
    it.effect("its monitors, checks and channels reach them; those of others do not, and registration stays open", () =>
      Effect.gen(function*() {
        const { id, url } = yield* Ground
        const [one, other] = [yield* newKey(["read", "write"], { workspaceId: id }), yield* newKey()]
        const calls = (key: { readonly secret: string }, path: string, body: object) =>
          callJson(`/api/v1${path}`, {
            method: "POST",
            headers: { ...json, ...bearer(key.secret) },
            body: JSON.stringify(body)
          })
        const monitor = { name: "Shop", url }
        const webhook = { name: "Hook", type: "webhook", url: `${url}/hook` }
        const made = yield* calls(one, "/monitors", monitor)
        expect(made.status).toBe(201)
        const checked = yield* calls(one, `/monitors/${made.body.id}/check`, {})
        expect([checked.status, checked.body.outcome, checked.body.cause]).toEqual([200, "up", null])
        const channel = yield* calls(one, "/channels", webhook)
        expect(channel.status).toBe(201)
        expect((yield* calls(one, `/channels/${channel.body.id}/test`, {})).body).toMatchObject({ delivered: true })
        for (const [path, body] of [["/monitors", monitor], ["/channels", webhook]] as const) {
          const refused = yield* calls(other, path, body)
          expect([refused.status, JSON.stringify(refused.body).includes("BELLTOWER_ALLOW_TARGETS")]).toEqual([422, true])
        }
        // A row that got in by another way reaches nothing, either: the guard decides at each connection.
        const name = yield* calls(other, "/monitors", { name: "Named", url: url.replace("127.0.0.1", "public.example") })
        expect(name.status).toBe(201)
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          update monitors set target = jsonb_set(target, '{url}', ${JSON.stringify(url)}::jsonb) where id = ${name.body.id}`
        expect((yield* calls(other, `/monitors/${name.body.id}/check`, {})).body.cause).toBe("blocked_target")
        expect((yield* overRest(elsewhere)).status).toBe(201)
      }))
  })
})
