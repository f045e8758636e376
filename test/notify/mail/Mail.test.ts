/** Mail: written in the transaction of its cause, sent through a real mail server, and captured if there is none. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it as plain, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Queue, Schema, TestClock } from "effect"
import * as fc from "fast-check"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { invitationMail } from "../../../src/notify/mail/InvitationMail.ts"
import { layOut } from "../../../src/notify/mail/MailLayout.ts"
import { MailServer } from "../../../src/notify/mail/MailServer.ts"
import { makeMailWorker } from "../../../src/notify/mail/MailWorker.ts"
import { signInMail } from "../../../src/notify/mail/SignInMail.ts"
import { MailMode } from "../../../src/store/mail/MailMode.ts"
import { MailQueue } from "../../../src/store/mail/MailQueue.ts"
import { Mails } from "../../../src/store/mail/Mails.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { testKeys } from "../../support/program/TestInstallation.ts"
import { type LocalMail, localMail, mailServerAt } from "../../support/services/LocalMail.ts"

/** The database's clock shows the time of the test. */
const testClock = Layer.effect(
  DatabaseClock,
  Effect.map(
    Effect.clock,
    (clock) => DatabaseClock.make({ now: DateTime.now, estimate: () => clock.unsafeCurrentTimeMillis(), isDoubtful: () => false })
  )
)

const ground = (mode: "sent" | "captured") =>
  Layer.merge(Mails.Default, MailQueue.Default).pipe(
    Layer.provide([testKeys, Layer.succeed(MailMode, Effect.succeed(mode))]),
    Layer.provideMerge(testClock),
    Layer.provideMerge(TestDatabase),
    Layer.orDie
  )

const ada = Schema.decodeSync(EmailAddress)("ada@example.com")
const link = "https://belltower.test/auth/link/0123456789"

/** A worker driven by the test, in front of a server: `ended` returns when one more attempt has ended. */
const workerFor = (server: Pick<LocalMail, "port">) =>
  Effect.gen(function*() {
    const room = yield* Queue.unbounded<void>()
    const context = yield* Layer.build(
      mailServerAt(`smtp://127.0.0.1:${server.port}`, "Belltower <bell@belltower.test>")
    )
    const mailServer = yield* Effect.provide(MailServer, context)
    const { step } = yield* makeMailWorker(mailServer, Queue.offer(room, undefined))
    return { step, ended: Queue.take(room) }
  })

const write = Effect.fn("write")(function*(more: Partial<Parameters<Mails["send"]>[0]> = {}) {
  yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from mails`)
  const mails = yield* Mails
  return yield* mails.send({ workspaceId: null, to: ada, priority: "urgent", expiresAt: null, ...signInMail(link), ...more })
})

const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<
      { readonly status: string; readonly attempts: number; readonly sealed: string | null; readonly last_error: string | null }
    >`
    select status, attempts, sealed, last_error, due_at from mails order by id`
)

layer(ground("sent"))("a mail", (it) => {
  it.scoped("is sent to the server as text and HTML, once, and its content is then deleted", () =>
    Effect.gen(function*() {
      const server = yield* localMail()
      const id = yield* write()
      expect(JSON.stringify(yield* rows)).not.toContain(link)
      const { ended, step } = yield* workerFor(server)
      yield* step
      yield* ended
      const { from, mail, raw, to } = yield* server.next
      expect([from, to, mail.subject]).toEqual(["bell@belltower.test", ["ada@example.com"], "Sign in to Belltower"])
      expect(mail.text).toContain(link)
      expect(mail.html).toContain(`href="${link}"`)
      expect(mail.messageId).toBe(`<${id}@belltower.test>`)
      expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
      expect(raw).not.toMatch(/^List-Unsubscribe/mi)
      expect(yield* rows).toMatchObject([{ status: "sent", attempts: 1, sealed: null, last_error: null }])
      yield* step
      expect(server.received.length).toBe(1)
    }))

  it.scoped("that the server answers late is sent once, though its lease ends meanwhile, and also beside another worker", () =>
    Effect.gen(function*() {
      const server = yield* localMail()
      const answer = server.holdReplies()
      yield* write()
      const [worker, other] = [yield* workerFor(server), yield* workerFor(server)]
      yield* worker.step
      yield* server.next
      // Each renews what it holds, before it looks for more.
      for (const minutes of ["1 minutes", "1 minutes", "1 minutes"] as const) {
        yield* TestClock.adjust(minutes)
        yield* worker.step
        yield* other.step
      }
      // This worker stands still; its own mails are no news to it.
      yield* TestClock.adjust("3 minutes")
      yield* worker.step
      answer()
      yield* worker.ended
      expect(server.received.length).toBe(1)
      expect(yield* rows).toMatchObject([{ status: "sent", attempts: 1 }])
    }))

  it.scoped("waits while the server is down and is sent when it is back, with the same id", () =>
    Effect.gen(function*() {
      const before = yield* localMail()
      yield* before.close
      const id = yield* write()
      const { ended, step } = yield* workerFor(before)
      yield* step
      yield* ended
      expect(yield* rows).toMatchObject([{
        status: "due",
        attempts: 1,
        last_error: expect.stringContaining("unreachable")
      }])
      yield* TestClock.adjust("29 seconds")
      yield* step
      expect((yield* rows)[0]?.attempts).toBe(1)
      const back = yield* localMail(before.port)
      yield* TestClock.adjust("1 seconds")
      yield* step
      yield* ended
      expect((yield* back.next).mail.messageId).toBe(`<${id}@belltower.test>`)
      expect(yield* rows).toMatchObject([{ status: "sent", attempts: 2, sealed: null }])
    }))

  it.scoped("to an unknown mailbox is given up immediately; with a busy server it is retried", () =>
    Effect.gen(function*() {
      const server = yield* localMail()
      const { ended, step } = yield* workerFor(server)
      server.refuse(550)
      yield* write()
      yield* step
      yield* ended
      // Without the server's own text, which may quote the mail.
      expect(yield* rows).toMatchObject([{ status: "dead", sealed: null, last_error: "The mail server answered 550 to RCPT TO" }])
      server.refuse(451)
      yield* write()
      yield* step
      yield* ended
      expect(yield* rows).toMatchObject([{ status: "due", attempts: 1 }])
      server.refuse(null)
      yield* TestClock.adjust("30 seconds")
      yield* step
      yield* ended
      expect(yield* rows).toMatchObject([{ status: "sent", attempts: 2 }])
    }))

  it.scoped("shares connections, which a refusal of one mail and a server that hangs up cost no other", () =>
    Effect.gen(function*() {
      const server = yield* localMail()
      const { ended, step } = yield* workerFor(server)
      server.refuseOnly("nobody@example.com", 550)
      const recipients = ["ada@example.com", "nobody@example.com", "bob@example.com"]
      for (const to of recipients) {
        yield* write({ to: Schema.decodeSync(EmailAddress)(to) })
        yield* step
        yield* ended
        expect(yield* rows).toMatchObject([{ status: to.startsWith("nobody") ? "dead" : "sent", attempts: 1 }])
      }
      expect([server.received.length, server.connections()]).toEqual([2, 1])
      server.hangUp()
      yield* write()
      yield* step
      yield* ended
      expect(yield* rows).toMatchObject([{ status: "sent", attempts: 1 }])
      expect([server.received.length, server.connections()]).toEqual([3, 2])
    }))

  it.scoped("that pages somebody is sent while all that the server takes of others are stuck", () =>
    Effect.gen(function*() {
      const server = yield* localMail()
      const stuck = Schema.decodeSync(EmailAddress)("stuck@example.com")
      server.stall(stuck)
      const sql = yield* SqlClient.SqlClient
      const mails = yield* Mails
      yield* sql`delete from mails`
      for (let number = 0; number < 12; number++) {
        for (const priority of ["bulk", "standard"] as const) {
          yield* mails.send({ workspaceId: null, priority, to: stuck, expiresAt: null, ...signInMail(link) })
        }
      }
      const { ended, step } = yield* workerFor(server)
      yield* step
      yield* mails.send({ workspaceId: null, priority: "urgent", to: ada, expiresAt: null, ...signInMail(link) })
      yield* step
      yield* ended
      expect((yield* server.next).to).toEqual([ada])
    }))

  it.scoped("is not sent after it has expired", () =>
    Effect.gen(function*() {
      const server = yield* localMail()
      yield* write({ expiresAt: DateTime.add(yield* DateTime.now, { minutes: 15 }) })
      yield* TestClock.adjust("15 minutes")
      const { ended, step } = yield* workerFor(server)
      yield* step
      yield* ended
      expect(yield* rows).toMatchObject([{ status: "dead", sealed: null }])
      expect(server.received.length).toBe(0)
    }))

  it.scoped("whose worker was killed is taken over after its lease expires, and not before", () =>
    Effect.gen(function*() {
      const server = yield* localMail()
      yield* write()
      const queue = yield* MailQueue
      expect(yield* queue.claim(yield* DateTime.now, [])).toHaveLength(1)
      const { ended, step } = yield* workerFor(server)
      yield* TestClock.adjust("119 seconds")
      yield* step
      expect(server.received.length).toBe(0)
      yield* TestClock.adjust("1 seconds")
      yield* step
      yield* ended
      expect(server.received.length).toBe(1)
    }))

  it.scoped("of a transaction that rolls back is never sent", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.either(sql.withTransaction(Effect.zipRight(write(), Effect.fail("rolled back"))))
      yield* sql`delete from mails where status <> 'due'`
      expect(yield* rows).toEqual([])
    }))

  it.scoped("goes only to its recipient, whatever its subject and names contain", () =>
    Effect.gen(function*() {
      const server = yield* localMail()
      const { ended, step } = yield* workerFor(server)
      const nasty = "Acme\r\nBcc: eve@evil.test\r\n\r\n<script>alert(1)</script> http://evil.test/x, eve@evil.test"
      yield* write(invitationMail({ link, workspaceName: nasty, role: "admin", invitedBy: `${nasty}"`, validDays: 7 }))
      yield* step
      yield* ended
      const { mail, raw, to } = yield* server.next
      expect(to).toEqual(["ada@example.com"])
      expect(raw).not.toMatch(/^Bcc:/mi)
      expect([mail.to?.length, mail.cc, mail.bcc]).toEqual([1, undefined, undefined])
      expect(mail.html).not.toMatch(/<script|href="(?!https:\/\/belltower\.test\/)/)
      // Members choose the workspace name, so a URL in it must not become a link.
      expect(mail.subject).not.toMatch(/evil\.test/)
    }))
})

layer(ground("captured"))("without a mail server", (it) => {
  it.scoped("a mail is kept, sealed, for thirty days", () =>
    Effect.gen(function*() {
      yield* write()
      const [row] = yield* rows
      expect([row?.status, row?.sealed === null]).toEqual(["captured", false])
      expect(JSON.stringify(row)).not.toContain(link)
      const mails = yield* Mails
      const queue = yield* MailQueue
      expect(yield* queue.claim(yield* DateTime.now, [])).toEqual([])
      yield* TestClock.adjust("29 days")
      yield* mails.prune()
      expect(yield* rows).toHaveLength(1)
      yield* TestClock.adjust("2 days")
      yield* mails.prune()
      expect(yield* rows).toHaveLength(0)
    }))
})

describe("an email address", () => {
  const decode = Schema.decodeUnknownEither(EmailAddress)

  plain("is one address in ASCII, kept in lower case", () => {
    expect(Schema.decodeSync(EmailAddress)(" Ada.L+x@Example.COM ")).toBe("ada.l+x@example.com")
    const wrong = [
      "",
      "ada",
      "ada@",
      "@example.com",
      "a b@example.com",
      "a@b@example.com",
      "ada@example.com, eve@evil.test",
      "ada@example.com\r\nBcc: eve@evil.test",
      "<ada@example.com>",
      "ada@exa_mple.com",
      "ada@-example.com",
      "\"ada\"@example.com",
      "\u212Aelvin@example.com",
      `${"a".repeat(250)}@b.cc`
    ]
    for (const address of wrong) expect([address, decode(address)._tag]).toEqual([address, "Left"])
  })

  plain("holds nothing that ends a header line or a list", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const read = decode(text.includes("@") ? text : `${text}@example.com`)
        if (read._tag === "Right") expect(read.right).toMatch(/^[!-~]+$/)
        if (read._tag === "Right") expect(read.right).not.toMatch(/[\s,;<>()"\\[\]:]/)
      }),
      { numRuns: 2000 }
    )
  })
})

describe("the layout of mails", () => {
  const { html } = layOut({
    title: "Checkout is down",
    paragraphs: [`See https://people.test/${"a".repeat(200)} <b>`],
    action: null,
    closing: [`To stop them, open ${link}`]
  })

  plain("links the addresses of the small print only, because people write the rest", () => {
    expect(html).toContain(`<a href="${link}">${link}</a>`)
    expect(html).not.toContain("<a href=\"https://people.test")
    expect(html).toContain("&lt;b&gt;")
  })

  plain("lets long addresses wrap", () => {
    const paragraphs = html?.match(/<p style="[^"]*"/g) ?? []
    expect(paragraphs.filter((one) => !one.includes("overflow-wrap:anywhere"))).toEqual([])
  })
})
