/** The operator sets the mail server in the dashboard: with its own answer, sealed, and for all processes. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as MailSetup from "../../../src/store/mail/MailSetup.ts"
import type { Database } from "../../../src/store/postgres/connections/Database.ts"
import type { Signals } from "../../../src/store/postgres/Signals.ts"
import { Wakeups } from "../../../src/store/postgres/Wakeups.ts"
import { submitted } from "../../dashboard/Forms.ts"
import { newOwner, newVisitor, type Visitor } from "../../support/browser/Visitor.ts"
import { signedIn } from "../../support/database/SignedIn.ts"
import { programKeys, programOf } from "../../support/program/Program.ts"
import { call, callJson, newKey, post } from "../../support/program/TestServer.ts"
import { localMail } from "../../support/services/LocalMail.ts"
import { until } from "../../support/time/Until.ts"

const password = "correct horse battery"

/** An owner of a server without a mail server, whose session a link for the operator has started. */
const newOperator = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from mail_server`
  yield* sql`select pg_notify('belltower_mail_server', '')`
  const stranger = yield* newVisitor
  yield* until(stranger.get("/sign-in"), ({ text }) => text.includes("This server sends no email"))
  const owner = yield* newOwner()
  yield* sql`
    update sessions set of_operator = true
    where user_id = (select user_id from memberships where workspace_id = ${owner.id})`
  return owner
})

const settings = (port: number, more: Record<string, string | null> = {}) => ({
  host: "127.0.0.1",
  "port:number": String(port),
  tls: "none",
  user: "bell",
  password,
  from: "Bell <bell@belltower.example>",
  ...more
})

const save = (visitor: Visitor, fields: Record<string, string | null>) =>
  submitted(visitor, "/app/providers", "mail-server", fields)

const state = (visitor: Visitor) => Effect.map(visitor.api("GET", "/mail-server"), ({ body }) => body)

/** The mail setup of another process on the same database, with the deployment's secret. */
const anotherProcess = Effect.gen(function*() {
  const services = yield* Effect.context<Database | Signals | SqlClient.SqlClient>()
  const context = yield* Layer.build(
    Layer.fresh(MailSetup.layer).pipe(
      Layer.provide([Layer.fresh(Wakeups.Default), programKeys]),
      Layer.provide(Layer.succeedContext(services))
    )
  )
  return Effect.provide(Effect.flatMap(MailSetup.MailSetup, ({ source }) => source), context)
})

layer(programOf(), { excludeTestServices: true, timeout: "120 seconds" })("the mail server", (it) => {
  it.scoped("is tested with the server's own answer, saved sealed, used immediately, and never shown with its password", () =>
    Effect.gen(function*() {
      const box = yield* localMail(0, password)
      const { visitor } = yield* newOperator
      const sql = yield* SqlClient.SqlClient
      const seenElsewhere = yield* anotherProcess
      expect(yield* seenElsewhere).toBe(null)

      const refused = yield* save(visitor, settings(box.port, { password: "wr0ng secret", testTo: "ada@example.com" }))
      expect(refused.status).toBe(422)
      expect(refused.text).toContain("535 5.7.8 Authentication failed for bell")
      expect(refused.text).not.toContain("wr0ng secret")
      expect((yield* state(visitor)).source).toBe("none")

      const saved = yield* save(visitor, settings(box.port, { testTo: "ada@example.com" }))
      expect([saved.status, saved.text.includes("Mail server saved"), saved.text.includes(password)]).toEqual([200, true, false])
      expect((yield* box.next).mail.subject).toBe("Test mail from Belltower")
      expect(saved.text).not.toContain("are captured, not sent")
      expect(yield* state(visitor)).toEqual({
        mode: "sent",
        source: "settings",
        operator: true,
        sender: expect.any(String),
        problem: null,
        server: {
          host: "127.0.0.1",
          port: box.port,
          tls: "none",
          user: "bell",
          password: "[hidden]",
          from: "Bell <bell@belltower.example>"
        }
      })
      expect(JSON.stringify(yield* sql`select * from mail_server`)).not.toContain(password)
      expect(yield* until(seenElsewhere, (source) => source !== null)).toMatchObject({ settings: { password } })
      // A process that starts now, as after a restart.
      expect(yield* yield* anotherProcess).toMatchObject({ settings: { host: "127.0.0.1", password } })
    }))

  it.scoped("sends alerts and queued mail from then on, and leaves captured mail captured", () =>
    Effect.gen(function*() {
      const box = yield* localMail(0, password)
      const { visitor } = yield* newOperator
      const sql = yield* SqlClient.SqlClient
      const { body: channel } = yield* visitor.api("POST", "/channels", {
        name: "Mail",
        type: "email",
        emails: ["ada@example.com"]
      })
      const test = Effect.map(visitor.api("POST", `/channels/${channel.id}/test`), ({ body }) => body)
      expect(yield* test).toMatchObject({ delivered: false, captured: true })
      const before = yield* sql`select id from mails where status = 'captured' order by id`
      yield* save(visitor, settings(box.port))
      expect(yield* test).toMatchObject({ delivered: true, captured: false, error: null })
      expect((yield* box.next).to).toEqual(["ada@example.com"])
      // A recipient whom the server refuses is named, although another has it.
      box.refuseOnly("gone@example.com", 550)
      const emails = ["ada@example.com", "gone@example.com"]
      const { body: both } = yield* visitor.api("POST", "/channels", { name: "Both", type: "email", emails })
      const refusal = "gone@example.com: The mail server answered 550 to RCPT TO"
      expect((yield* visitor.api("POST", `/channels/${both.id}/test`)).body).toMatchObject({ delivered: true, error: refusal })
      expect((yield* box.next).to).toEqual(["ada@example.com"])
      expect((yield* submitted(visitor, `/app/channels/${both.id}`, "test")).text).toMatch(
        new RegExp(`Delivered\\.[\\s\\S]*${refusal}`)
      )
      expect((yield* box.next).to).toEqual(["ada@example.com"])
      // Through the queue, by the worker that was running before.
      yield* visitor.api("POST", "/auth/email", { email: "queued@example.com" })
      expect((yield* box.next).to).toEqual(["queued@example.com"])
      expect(yield* sql`select id from mails where status = 'captured' order by id`).toEqual(before)

      // What was captured is sent only if somebody replays it.
      const { body: replayed } = yield* visitor.api("POST", "/deliveries/replay", {
        since: "2020-01-01T00:00:00Z",
        status: "captured"
      })
      expect(replayed.replayed).toBe(1)
      expect((yield* box.next).to).toEqual(["ada@example.com"])

      yield* submitted(visitor, "/app/providers", "remove-mail-server")
      expect(yield* test).toMatchObject({ delivered: false, captured: true })
    }))

  it.scoped("a test of what is in use answers with the reason: no server, a refused connection, a refused recipient", () =>
    Effect.gen(function*() {
      const box = yield* localMail()
      const { visitor } = yield* newOperator
      const test = (more: Record<string, unknown> = {}) =>
        visitor.api("POST", "/me/mail-server/test", { testTo: "ada@example.com", ...more })
      expect(yield* test()).toMatchObject({
        status: 422,
        body: { error: { message: expect.stringContaining("No mail server is set") } }
      })
      const plain = { host: "127.0.0.1", port: box.port, tls: "none" }
      expect((yield* test(plain)).body).toMatchObject({ accepted: true, reply: expect.stringMatching(/^250 /), error: null })
      expect((yield* test({ ...plain, tls: "starttls" })).body).toMatchObject({
        accepted: false,
        error: expect.stringContaining("TLS")
      })
      box.refuse(550)
      expect((yield* test(plain)).body).toMatchObject({ accepted: false, reply: expect.stringMatching(/^550 /) })
      yield* box.close
      expect((yield* test(plain)).body).toMatchObject({
        accepted: false,
        reply: null,
        error: expect.stringContaining("ECONNREFUSED")
      })
      expect((yield* state(visitor)).source).toBe("none")
    }))

  it.scoped("sends neither mail nor password over TLS to a server whose certificate is not trusted, and says why", () =>
    Effect.gen(function*() {
      const box = yield* localMail(0, password, { starttls: true })
      const { visitor } = yield* newOperator
      const server = { host: "127.0.0.1", port: box.port, tls: "starttls", user: "bell", password }
      const { body } = yield* visitor.api("POST", "/me/mail-server/test", { testTo: "ada@example.com", ...server })
      expect(body).toMatchObject({ accepted: false, error: expect.stringContaining("certificate has expired") })
      expect(box.received).toEqual([])
      // The server itself takes mail from those that do not verify it.
      const trusting = yield* visitor.api("POST", "/me/mail-server/test", { testTo: "ada@example.com", ...server, tls: "none" })
      expect(trusting.body).toMatchObject({ accepted: true })
    }))

  it.scoped("keeps its stored password only where it was, and refuses bad input with the reason", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOperator
      const put = (body: unknown) => visitor.api("PUT", "/me/mail-server", body)
      const whole = { host: "mail.example.com", port: 587, tls: "starttls", user: "bell", password }
      const wrong = ({ body }: { readonly body: { readonly error: unknown } }) => JSON.stringify(body.error)
      expect(wrong(yield* put({ ...whole, host: "smtp://mail.example.com" }))).toContain("Expected a host name")
      expect(wrong(yield* put({ ...whole, port: 0 }))).toContain("Expected a whole number from 1")
      expect(wrong(yield* put({ ...whole, tls: "ssl" }))).toContain("tls")
      expect(wrong(yield* put({ ...whole, from: "Bell\r\nBcc: eve@example.com" }))).toContain("Expected an address such as")
      expect(wrong(yield* put({ ...whole, password: null }))).toContain("A password is required with a user")
      expect(wrong(yield* put({ ...whole, user: null }))).toContain("A user is required with a password")
      expect((yield* put(whole)).status).toBe(200)
      expect((yield* put({ ...whole, password: "[hidden]", from: "bell@example.com" })).status).toBe(200)
      expect(wrong(yield* put({ ...whole, host: "evil.example.com", password: null }))).toContain("Enter the password again")
    }))

  it.scoped("is only for the operator: other owners and API keys neither see, change nor test it", () =>
    Effect.gen(function*() {
      yield* newOperator
      const { key, visitor } = yield* newOwner()
      const whole = { host: "127.0.0.1", port: 25, tls: "none" }
      const authorization = { authorization: `Bearer ${key}` }
      for (const headers of [{ origin: "https://belltower.test", "sec-fetch-site": "same-origin" }, authorization]) {
        const answers = [
          yield* visitor.api("PUT", "/me/mail-server", whole, headers),
          yield* visitor.api("DELETE", "/me/mail-server", undefined, headers),
          yield* visitor.api("POST", "/me/mail-server/test", { testTo: "ada@example.com", ...whole }, headers)
        ]
        expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
        expect(answers[0]?.body.error.hint).toContain("--operator")
        const { body } = yield* visitor.api("GET", "/mail-server", undefined, headers)
        expect(body).toMatchObject({ operator: false, server: null, sender: null })
      }
    }))
})

layer(programOf({ SMTP_URL: "smtp://bell:hunter22@127.0.0.1:9", BELLTOWER_MAIL_FROM: "bell@belltower.example" }), {
  excludeTestServices: true,
  timeout: "90 seconds"
})("a mail server of the environment", (it) => {
  it.scoped("wins: the page shows it read-only without its password, and it cannot be changed", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { headers } = yield* signedIn((yield* newKey()).workspaceId, "owner")
      yield* sql`update sessions set of_operator = true`
      const text = yield* Effect.flatMap(call("/app/providers", { headers }), (page) => Effect.promise(() => page.text()))
      expect([
        text.includes("SMTP_URL"),
        text.includes("127.0.0.1"),
        text.includes("hunter22"),
        text.includes("id=\"mail-server\"")
      ])
        .toEqual([true, true, false, false])
      const json = { ...headers, "content-type": "application/json" }
      const body = JSON.stringify({ host: "mail.example.com", port: 25, tls: "none" })
      const answer = yield* callJson("/api/v1/me/mail-server", { method: "PUT", headers: json, body })
      expect([answer.status, answer.body.error.code]).toEqual([409, "conflict"])
      const tested = yield* post("/api/v1/me/mail-server/test", { testTo: "ada@example.com" }, headers)
      expect(tested.body).toMatchObject({ accepted: false, error: expect.stringContaining("ECONNREFUSED") })
    }))
})
