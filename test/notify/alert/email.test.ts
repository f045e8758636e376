import { SqlClient } from "@effect/sql"
import { describe, expect, it, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Schema } from "effect"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { incidentOf } from "../../../src/domain/alert/EventRouting.ts"
import { readLeaveToken } from "../../../src/domain/mail/LeaveToken.ts"
import { Links, linksFrom } from "../../../src/links/Links.ts"
import { email } from "../../../src/notify/alert/channels/email.ts"
import { DirectMail } from "../../../src/notify/mail/DirectMail.ts"
import { escalationMail } from "../../../src/notify/mail/EscalationMail.ts"
import { LinkKeys } from "../../../src/store/LinkKeys.ts"
import { MailMode } from "../../../src/store/mail/MailMode.ts"
import { Mails } from "../../../src/store/mail/Mails.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { testKeys } from "../../support/program/TestInstallation.ts"
import { type LocalMail, localMail, mailServerAt } from "../../support/services/LocalMail.ts"
import { attempt, awkward, down, storm, stormUrl, up, written } from "./ChannelAttempt.ts"

const emails = ["one@a.example", "two@b.example"].map((text) => Schema.decodeSync(EmailAddress)(text))

const ground = Mails.Default.pipe(
  Layer.provideMerge(Layer.mergeAll(
    DatabaseClock.Default,
    testKeys,
    Layer.succeed(Links, linksFrom("https://belltower.example")),
    Layer.succeed(MailMode, Effect.succeed("sent" as const))
  )),
  Layer.provideMerge(TestDatabase)
)

const sendBy = (server: LocalMail, event = down) =>
  attempt(email, { emails }, event).pipe(
    Effect.provide(
      DirectMail.layer.pipe(
        Layer.provide(mailServerAt(server.url, "Belltower <bell@belltower.example>"))
      )
    )
  )

const workspace = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql`
  insert into workspaces (id, name, plan, created_at, updated_at) values ('ws_1', 'Test', 'self_hosted', now(), now())
  on conflict do nothing`)

const queued = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly recipient: string }>`select recipient from mails where status = 'due' order by recipient`
)

layer(ground, { excludeTestServices: true })("an email channel", (it) => {
  it.scoped("shows the Markdown of an update, and no HTML in it", () =>
    Effect.gen(function*() {
      const server = yield* localMail()
      yield* sendBy(server, written(false, null, "**Slow**: see [status](https://acme.test/s) <b>now</b>\n\n- one\n- two"))
      for (const { mail } of server.received) {
        expect(mail.html).toContain(
          "<strong>Slow</strong>: see <a href=\"https://acme.test/s\" rel=\"nofollow noopener\">status</a>"
        )
        expect(mail.html).toContain("&lt;b&gt;now&lt;/b&gt;")
        expect(mail.html).toContain("<li>one</li>")
        expect(mail.text).toContain("Slow: see status (https://acme.test/s) <b>now</b>\n\n- one\n- two")
      }
    }))

  it.scoped("sends each recipient a mail as text and HTML, with a link by which only that recipient leaves the channel", () =>
    Effect.gen(function*() {
      const server = yield* localMail()
      expect((yield* sendBy(server)).verdict).toMatchObject({ _tag: "Delivered" })
      expect(server.received.map(({ to }) => to).sort()).toEqual([["one@a.example"], ["two@b.example"]])
      const signer = yield* LinkKeys
      for (const { mail, to: [recipient] } of server.received) {
        expect(mail.subject).toBe(`${awkward} is down: 503 Service Unavailable`)
        expect(mail.text).toContain("Status code: 503")
        expect(mail.text?.match(/^Time: .*$/gm)).toEqual(["Time: Nov 20, 2026, 08:00 UTC"])
        expect(mail.html).toContain("Answered 503 (expected 200-299) &amp; &lt;nothing&gt;")
        const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value ?? ""
        expect(header("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click")
        const [, token = ""] = /^<https:\/\/belltower\.example\/alerts\/leave\/(.+)>$/.exec(header("list-unsubscribe")) ?? []
        expect(readLeaveToken(signer, token)).toMatchObject({ value: { channelId: "ch_1", email: recipient } })
        // Several last characters stand for the same bytes.
        const others = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].filter((last) =>
          !token.endsWith(last)
        )
        const forged = others.map((last) => readLeaveToken(signer, token.replace(/.$/, last)))
        expect(forged.filter(Option.isSome)).toEqual([])
      }
    }))

  it.scoped("puts all mails about one incident into one conversation, and others into none", () =>
    Effect.gen(function*() {
      const server = yield* localMail()
      for (const event of [down, up, storm]) yield* sendBy(server, event)
      const roots = (name: string) =>
        server.received
          .filter(({ to }) => to.includes("one@a.example"))
          .map(({ mail }) => mail.headers.find(({ key }) => key === name)?.value ?? null)
      const root = `<${incidentOf(down)}@incidents.belltower>`
      expect(roots("references")).toEqual([root, root, null])
      expect(roots("in-reply-to")).toEqual([root, root, null])
      const page = escalationMail({
        title: "Shop is down",
        policy: null,
        startedAt: DateTime.unsafeMake(0),
        unacknowledgedForMinutes: 0,
        acknowledgeLink: stormUrl,
        incidentLink: stormUrl,
        incidentId: incidentOf(down) ?? ""
      })
      expect(page.headers).toEqual({ References: root, "In-Reply-To": root })
    }))

  it.scoped("links what a storm lists, in both forms of the mail", () =>
    Effect.gen(function*() {
      const server = yield* localMail()
      expect((yield* sendBy(server, storm)).verdict).toMatchObject({ _tag: "Delivered" })
      const [{ mail } = { mail: null }] = server.received
      expect(mail?.subject).toBe("2 monitors are down")
      expect(mail?.text).toContain(`Open monitors:\n${stormUrl}`)
      expect(mail?.html).toContain(`href="${stormUrl.replace("&", "&amp;")}"`)
    }))

  it.scoped("tries again when the server is away or asks to come later, and gives up when it refuses for good", () =>
    Effect.gen(function*() {
      const server = yield* localMail()
      server.refuse(451)
      expect((yield* sendBy(server)).verdict).toMatchObject({ _tag: "Again", error: "The mail server answered 451 to RCPT TO" })
      server.refuse(550)
      expect((yield* sendBy(server)).verdict).toMatchObject({ _tag: "Dead", error: "The mail server answered 550 to RCPT TO" })
      yield* server.close
      expect((yield* sendBy(server)).verdict).toMatchObject({ _tag: "Again", error: expect.stringContaining("unreachable") })
    }))

  it.scoped("leaves the mail to one recipient to the queue of mails once the server has accepted another's, and says so", () =>
    Effect.gen(function*() {
      yield* workspace
      const server = yield* localMail()
      server.refuseOnly("two@b.example", 451)
      // It has not arrived there yet, and nothing is wrong with the channel.
      expect((yield* sendBy(server)).verdict).toMatchObject({
        _tag: "Delivered",
        note: "two@b.example: The mail server answered 451 to RCPT TO. This mail is tried again",
        isProblem: false
      })
      expect(server.received.map(({ to }) => to)).toEqual([["one@a.example"]])
      expect(yield* queued).toEqual([{ recipient: "two@b.example" }])
    }))
})

describe("an email channel", () => {
  it.effect("needs a recipient", () =>
    Effect.gen(function*() {
      expect(yield* Effect.flip(attempt(email, { emails: [] }))).toMatchObject([{ path: "emails" }])
      expect(yield* Effect.flip(attempt(email, {}))).toMatchObject([{ path: "emails" }])
    }))
})
