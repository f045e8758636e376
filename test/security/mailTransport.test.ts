/**
 * Attacks by way of mail: by somebody between us and the mail server, by a mail server that floods, and by those who write the names and
 * texts in mails.
 */
import { SqlClient } from "@effect/sql"
import { describe, expect, it, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { createServer, type Socket } from "node:net"
import { MailId } from "../../schema/Ids.ts"
import { tlsOfUrl } from "../../src/domain/mail/SettleMailServer.ts"
import { domainMail } from "../../src/notify/mail/DomainMail.ts"
import { escalationMail } from "../../src/notify/mail/EscalationMail.ts"
import { invitationMail } from "../../src/notify/mail/InvitationMail.ts"
import type { Mail } from "../../src/notify/mail/MailLayout.ts"
import { MailServer } from "../../src/notify/mail/MailServer.ts"
import { confirmationMail, newsMail } from "../../src/notify/subscriber/SubscriberMail.ts"
import { Mails } from "../../src/store/mail/Mails.ts"
import { newAddress } from "../support/browser/Visitor.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { newKey, post, TestServer } from "../support/program/TestServer.ts"
import { localMail, mailServerAt } from "../support/services/LocalMail.ts"
import { listening } from "../support/targets/LocalTargets.ts"

const content = { text: "Shop is down", html: "<p>Shop is down</p>", headers: {} }

const mail = {
  id: MailId.make("mail_one"),
  recipient: "ada@a.example",
  subject: "Down",
  createdAt: DateTime.unsafeMake("2026-11-20T08:00:00Z")
}

/** The product's side of the connections. */
const clientOf = (url: string) =>
  Effect.gen(function*() {
    const context = yield* Layer.build(mailServerAt(url, "Belltower <bell@belltower.example>"))
    return yield* Effect.flatMap(Effect.flatten(Effect.provide(MailServer, context)), Effect.fromNullable)
  })

/** A mail server as somebody on the way makes it look: without TLS, and glad to take a password. Keeps what it hears. */
const strippedServer = Effect.gen(function*() {
  const heard: Array<string> = []
  const server = createServer((socket: Socket) => {
    socket.on("error", () => {})
    socket.setEncoding("utf8")
    socket.write("220 mail.example ESMTP\r\n")
    let isData = false
    socket.on("data", (text: string) => {
      heard.push(text)
      if (isData) {
        if (text.endsWith(".\r\n")) {
          isData = false
          socket.write("250 OK\r\n")
        }
        return
      }
      if (/^EHLO/i.test(text)) socket.write("250-mail.example\r\n250 AUTH PLAIN LOGIN\r\n")
      else if (/^AUTH/i.test(text)) socket.write("235 OK\r\n")
      else if (/^STARTTLS/i.test(text)) socket.write("454 TLS not available\r\n")
      else if (/^DATA/i.test(text)) {
        isData = true
        socket.write("354 Go on\r\n")
      } else socket.write("250 OK\r\n")
    })
  })
  // An address of this machine that is no loopback address by its name.
  return { port: yield* listening(server, "0.0.0.0"), heard }
})

const password = "correct-horse"
const onTheWire = Buffer.from(`\0bell\0${password}`).toString("base64")

describe("A mail server whose TLS somebody on the way hides", () => {
  it.scopedLive("gets neither the password nor a mail, if the URL has a password", () =>
    Effect.gen(function*() {
      const { heard, port } = yield* strippedServer
      const client = yield* clientOf(`smtp://bell:${password}@0.0.0.0:${port}`)
      for (const way of ["send", "sendPooled", "sendQueued"] as const) {
        const { failure } = yield* Effect.flip(client[way](mail, content, 5000))
        // It is tried again: the real server may answer then.
        expect(failure).toMatchObject({
          command: "STARTTLS",
          reason: expect.stringContaining("TLS failed, and without it nothing is sent")
        })
      }
      const all = heard.join("")
      expect(all).toContain("STARTTLS")
      expect(all).not.toContain("AUTH")
      expect(all).not.toContain("Shop is down")
    }), 30_000)

  it.scopedLive("gets them where the operator says so in the URL", () =>
    Effect.gen(function*() {
      const { heard, port } = yield* strippedServer
      const client = yield* clientOf(`smtp://bell:${password}@0.0.0.0:${port}?requireTLS=false`)
      yield* client.send(mail, content, 5000)
      expect(heard.join("")).toContain(onTheWire)
    }))

  it("is reached with the encryption that its settings show", () => {
    const modes = {
      "smtps://bell:pw@mail.example": "implicit",
      "smtp://bell:pw@mail.example": "starttls",
      "smtp://bell:pw@10.0.0.7:25": "starttls",
      "smtp://bell:pw@localhost.evil.example": "starttls",
      "smtp://bell:pw@127.evil.example": "starttls",
      "smtp://bell:pw@mail.example?requireTLS=false": "opportunistic",
      "smtp://bell:pw@mail.example?ignoreTLS=true": "none",
      "smtp://mail.example?requireTLS=true": "starttls",
      "smtp://mail.example": "opportunistic",
      "smtp://bell:pw@localhost": "opportunistic",
      "smtp://bell:pw@127.0.0.1:2525": "opportunistic",
      "smtp://bell:pw@[::1]:2525": "opportunistic"
    }
    for (const [url, mode] of Object.entries(modes)) expect([url, tlsOfUrl(new URL(url))]).toEqual([url, mode])
  })
})

/** Greets, takes what comes, and answers some of it without end. */
const floodingServer = (when: "greeting" | "end", reply: string) =>
  Effect.gen(function*() {
    const seen = { written: 0, ended: 0 }
    const flood = (socket: Socket) => {
      const more = () => {
        while (!socket.destroyed && socket.writableLength < 1_048_576) {
          seen.written += reply.length
          socket.write(reply)
        }
        if (!socket.destroyed) socket.once("drain", more)
      }
      more()
    }
    const server = createServer((socket: Socket) => {
      socket.on("error", () => {})
      socket.on("close", () => seen.ended++)
      if (when === "greeting") return flood(socket)
      socket.setEncoding("utf8")
      socket.write("220 mail.example\r\n")
      let isData = false
      return socket.on("data", (text: string) => {
        if (isData) return flood(socket)
        if (/^DATA/i.test(text)) isData = true
        return socket.write(isData ? "354 Go on\r\n" : "250 OK\r\n")
      })
    })
    return { port: yield* listening(server), seen }
  })

describe("A mail server that answers without end", () => {
  const floods: ReadonlyArray<readonly [string, "greeting" | "end", string]> = [
    ["with one line, at its greeting", "greeting", "2".repeat(65_536)],
    ["with lines of one reply, at its greeting", "greeting", `220-${"x".repeat(200)}\r\n`.repeat(300)],
    ["with one line, at the end of a mail", "end", "2".repeat(65_536)],
    ["with lines of one reply, at the end of a mail", "end", `250-${"x".repeat(200)}\r\n`.repeat(300)]
  ]
  it.scopedLive.each(floods)("costs a few MiB and one attempt: %s", ([, when, reply]) =>
    Effect.gen(function*() {
      const { port, seen } = yield* floodingServer(when, reply)
      const client = yield* clientOf(`smtp://127.0.0.1:${port}`)
      const { failure } = yield* Effect.flip(client.sendQueued(mail, content, 20_000))
      expect(failure.reason).toMatch(/^The mail server/)
      expect(failure.reason).not.toContain("xx")
      expect(seen.written).toBeLessThan(32 * 1_048_576)
    }), 30_000)
})

const link = "https://belltower.test/x/0123456789"

/** Mails with a text of somebody in each place that takes one. */
const mailsWith = (text: string): ReadonlyArray<Mail> => [
  confirmationMail({ language: "en", link, pageName: text }),
  newsMail(
    {
      language: "en",
      tone: "down",
      manage: link,
      unsubscribe: link,
      content: { page: { name: text }, told: { title: text, text: "We look into it.", link } }
    } as Parameters<typeof newsMail>[0]
  ),
  invitationMail({ link, workspaceName: text, role: "viewer", invitedBy: null, validDays: 7 }),
  escalationMail({
    title: text,
    policy: { name: text, level: 1, levels: 2 },
    startedAt: DateTime.unsafeMake("2026-11-22T10:00:00Z"),
    unacknowledgedForMinutes: 5,
    acknowledgeLink: link,
    incidentLink: link,
    incidentId: "inc_1"
  }),
  domainMail({ domain: "status.acme.example", pageName: text, wanted: "CNAME x", left: 3, link })
]

describe("A mail with a hostile name", () => {
  const nasty = [
    "Acme\r\nBcc: eve@evil.example",
    "Acme\nBcc: eve@evil.example\n\nbody",
    "Acme\u2028Bcc: eve@evil.example",
    "Acme\u0085Bcc: eve@evil.example",
    "Acme\0\u000B\u000CBcc: eve@evil.example",
    "=?utf-8?q?Acme=0D=0ABcc:_eve@evil.example?=",
    "Acme, eve@evil.example; <eve@evil.example>",
    "\"><img src=https://evil.example/x onerror=alert(1)><a href=https://evil.example>",
    "\u202Egro.live\u202C https://evil.example/pay",
    "x".repeat(5000)
  ]

  it.scopedLive("goes to its recipient alone, with our links alone, and no other header", () =>
    Effect.gen(function*() {
      const box = yield* localMail()
      const client = yield* clientOf(box.url)
      for (const text of nasty) {
        for (const one of mailsWith(text)) {
          yield* client.send({ ...mail, subject: one.subject }, one, 5000)
          const { mail: read, raw, to } = yield* box.next
          const [head = ""] = raw.split("\r\n\r\n")
          const names = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n").map((line) => line.split(":")[0] ?? "")
          expect(names.filter((name) => /^(?:bcc|cc|to|subject|from|reply-to|sender)$/i.test(name)).sort()).toEqual([
            "From",
            "Subject",
            "To"
          ])
          expect([to, read.to?.length, read.from?.address]).toEqual([["ada@a.example"], 1, "bell@belltower.example"])
          expect(read.subject).not.toMatch(/[\r\n\u2028\u2029\u0085\0]/)
          expect((read.subject ?? "").length).toBeLessThan(300)
          expect(read.html).not.toMatch(/<img|onerror=(?!.*&gt;)|href="(?!https:\/\/belltower\.test\/)/)
        }
      }
    }), 60_000)

  it("never has a subject of more than one line, whatever the name", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      for (const { subject } of mailsWith(text)) expect(subject).not.toMatch(/[\r\n\u2028\u2029\u0085\0]/)
    }))
  })
})

layer(TestServer, { excludeTestServices: true })("An invitation to a stranger", (it) => {
  it.effect("says who sent it, and has no link of theirs in the place of their name", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const mails = yield* Mails
      const { workspaceId } = yield* newKey()
      yield* sql`update workspaces set claimed_at = now() where id = ${workspaceId}`
      const owner = yield* signedIn(workspaceId, "owner")
      const name = "Sign in: https://evil.example/login, or evil.example, and your account is saved"
      const [known] = yield* sql<{ readonly email: string }>`
        update users set name = ${name} where id = ${owner.userId} returning email`
      const email = newAddress("stranger")
      expect((yield* post("/api/v1/members", { email, role: "viewer" }, owner.headers)).status).toBe(201)
      const newest = (yield* mails.captured(owner.userId)).find(({ to }) => to === email)
      const { text } = yield* Effect.flatten(mails.read(owner.userId, newest?.id ?? MailId.make("mail_none")))
      expect(text).toContain(known?.email)
      expect(text).toContain("Sign in: https")
      expect(text).not.toMatch(/evil\.example|https?:\/\/(?!belltower\.test)/)
    }))
})
