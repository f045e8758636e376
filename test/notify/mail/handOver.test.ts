/** A mail is withdrawn while nobody can have it, and awaited once the server may have accepted it: otherwise it would arrive twice. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, TestClock } from "effect"
import { MailId } from "../../../schema/Ids.ts"
import { isFinal } from "../../../src/domain/alert/DeliveryVerdict.ts"
import { MailServer } from "../../../src/notify/mail/MailServer.ts"
import { type LocalMail, localMail, mailServerAt } from "../../support/services/LocalMail.ts"

const content = { text: "Shop is down", html: "<p>Shop is down</p>", headers: {} }

const mail = (name: string) => ({
  id: MailId.make(`mail_${name}`),
  recipient: `${name}@a.example`,
  subject: "Down",
  createdAt: DateTime.unsafeMake("2026-11-20T08:00:00Z")
})

const handOverMs = 10_000

/** The product's side of the connections. */
const clientOf = ({ url }: LocalMail) =>
  Effect.gen(function*() {
    const context = yield* Layer.build(mailServerAt(url, "Belltower <bell@belltower.example>"))
    return yield* Effect.flatMap(Effect.flatten(Effect.provide(MailServer, context)), Effect.fromNullable)
  })

/** A turn of the event loop, then a second of the test's clock. */
const tick = Effect.zipRight(
  Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))),
  TestClock.adjust("1 seconds")
)

const ways = ["send", "sendPooled", "sendQueued"] as const

describe("a mail", () => {
  for (const way of ways) {
    it.scoped(`whose end the server answers late is sent once, and its answer awaited (${way})`, () =>
      Effect.gen(function*() {
        const smtp = yield* localMail()
        const client = yield* clientOf(smtp)
        const answer = smtp.holdReplies()
        const sending = yield* Effect.fork(client[way](mail("late"), content, handOverMs))
        yield* smtp.next
        yield* TestClock.adjust("5 minutes")
        expect(yield* Fiber.poll(sending)).toMatchObject({ _tag: "None" })
        answer()
        yield* Fiber.join(sending)
        expect(smtp.received.length).toBe(1)
      }))

    it.scoped(`that the server does not take is withdrawn, and arrives once when it is sent again (${way})`, () =>
      Effect.gen(function*() {
        const smtp = yield* localMail()
        const client = yield* clientOf(smtp)
        smtp.stall("slow@a.example")
        const failing = yield* Effect.fork(Effect.flip(client[way](mail("slow"), content, handOverMs)))
        const { failure } = yield* Effect.raceFirst(Fiber.join(failing), Effect.forever(tick))
        expect(failure.reason).toBe(`The mail server did not answer within ${handOverMs} ms`)
        yield* client[way](mail("quick"), content, handOverMs)
        expect(smtp.received.map(({ to }) => to)).toEqual([["quick@a.example"]])
      }))
  }

  it.scoped("that waits for a connection for too long is not sent later", () =>
    Effect.gen(function*() {
      const smtp = yield* localMail()
      const client = yield* clientOf(smtp)
      const answer = smtp.holdReplies()
      const first = yield* Effect.forkAll(
        Array.from({ length: 10 }, (_, n) => client.sendPooled(mail(`n${n}`), content, handOverMs))
      )
      for (let n = 0; n < 10; n++) yield* smtp.next
      const last = yield* Effect.fork(Effect.flip(client.sendPooled(mail("last"), content, handOverMs)))
      yield* Effect.raceFirst(Fiber.join(last), Effect.forever(tick))
      answer()
      yield* Fiber.join(first)
      yield* client.sendPooled(mail("after"), content, handOverMs)
      expect(smtp.received.length).toBe(11)
      expect(smtp.received.map(({ to }) => to)).not.toContainEqual(["last@a.example"])
    }))

  it.scoped("to a full mailbox is tried again, one to an unknown mailbox is not, and the reason says which", () =>
    Effect.gen(function*() {
      const smtp = yield* localMail()
      const client = yield* clientOf(smtp)
      const failed = Effect.map(Effect.flip(client.send(mail("one"), content, handOverMs)), ({ failure }) => failure)
      smtp.refuseWith(552, "5.2.2 Over quota; see /auth/link/secret")
      const full = yield* failed
      expect([full.reason, isFinal(full)]).toEqual(["The mail server answered 552 5.2.2 to RCPT TO: the mailbox is full", false])
      smtp.refuseWith(550, "5.1.1 No such user")
      const unknown = yield* failed
      expect([unknown.reason, isFinal(unknown)])
        .toEqual(["The mail server answered 550 5.1.1 to RCPT TO: the mailbox does not exist; check the address", true])
    }))
})
