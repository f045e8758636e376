/** A mail server on loopback that keeps received mails, and that can refuse mails or go away. */
import { Effect, Layer, Queue, Redacted } from "effect"
import PostalMime, { type Email } from "postal-mime"
import { SMTPServer } from "smtp-server"
import { MailServer } from "../../../src/notify/mail/MailServer.ts"
import { MailSetup } from "../../../src/store/mail/MailSetup.ts"
import { withBytes } from "./WithBody.ts"

export interface Received {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly raw: string
  readonly mail: Email
}

export interface LocalMail {
  readonly port: number
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** The next received mail. */
  readonly next: Effect.Effect<Received>
  /** The reply code to every recipient from now on; null accepts them. */
  readonly refuse: (code: number | null) => void
  /** The reply code to one recipient from now on. */
  readonly refuseOnly: (address: string, code: number) => void
  /** From now on, one recipient gets no reply. */
  readonly stall: (address: string) => void
  /** From now on, mails are taken, but their ends get no reply until the returned function runs. */
  readonly holdReplies: () => () => void
  /** From now on, the reply to every mail is this refusal, whose text begins with an enhanced status code. */
  readonly refuseWith: (code: number, text: string) => void
  /** Each began with a greeting, so far. */
  readonly connections: () => number
  /** Ends the open connections, as a server does with idle ones. */
  readonly hangUp: () => void
  readonly close: Effect.Effect<void>
}

/**
 * A server at a given or free port; closed with its scope. With a password, it takes mail only from who signs in with it. With
 * `starttls`, it offers TLS with an expired certificate.
 */
export const localMail = Effect.fn("localMail")(function*(port = 0, password: string | null = null, { starttls = false } = {}) {
  const arrived = yield* Queue.unbounded<Received>()
  const received: Array<Received> = []
  let refusal: number | null = null
  const refused = new Map<string, number>()
  const stalled = new Set<string>()
  let refusalText = "no such mailbox; you said /auth/link/secret"
  let connections = 0
  let replies = Promise.resolve()
  const server = new SMTPServer({
    authOptional: password === null,
    allowInsecureAuth: true,
    disabledCommands: starttls ? [] : ["STARTTLS"],
    onAuth: (given, _, done) => {
      if (given.password === password) return done(null, { user: given.username })
      // Some servers repeat what they were sent.
      const reason = `5.7.8 Authentication failed for ${given.username}, who sent ${given.password}`
      done(Object.assign(new Error(reason), { responseCode: 535 }))
    },
    onConnect: (_, done) => {
      connections++
      done()
    },
    onRcptTo: ({ address }, __, done) => {
      if (stalled.has(address)) return
      const code = refused.get(address) ?? refusal
      if (code === null) return done()
      done(Object.assign(new Error(refusalText), { responseCode: code }))
    },
    onData: (stream, session, done) => {
      withBytes(stream, async (bytes) => {
        const { mailFrom, rcptTo } = session.envelope
        const one = {
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: bytes.toString("utf8"),
          mail: await PostalMime.parse(bytes)
        }
        received.push(one)
        Queue.unsafeOffer(arrived, one)
        await replies
        done()
      })
    }
  })
  server.on("error", () => {})
  yield* Effect.async<void>((resume) => void server.listen(port, "127.0.0.1", () => resume(Effect.void)))
  const address = server.server.address()
  const actual = typeof address === "object" && address !== null ? address.port : 0
  const hangUp = () => {
    for (const connection of [...server.connections]) connection.close()
  }
  const close = Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    hangUp()
  })
  yield* Effect.addFinalizer(() => close)
  const mail: LocalMail = {
    port: actual,
    url: `smtp://127.0.0.1:${actual}`,
    received,
    next: Queue.take(arrived),
    refuse: (code) => {
      refusal = code
    },
    refuseOnly: (address, code) => void refused.set(address, code),
    stall: (address) => void stalled.add(address),
    holdReplies: () => {
      let release = (): void => {}
      replies = new Promise((resolve) => {
        release = resolve
      })
      return () => release()
    },
    refuseWith: (code, text) => {
      refusal = code
      refusalText = text
    },
    connections: () => connections,
    hangUp,
    close
  }
  return mail
})

/** The services that send mail by a server at this address, without a database. */
export const mailServerAt = (url: string, from: string) =>
  MailServer.layer.pipe(
    Layer.provide(Layer.sync(MailSetup, () => {
      const source = { _tag: "Url", url: Redacted.make(url), from } as const
      return MailSetup.make({
        source: Effect.succeed(source),
        isOfEnvironment: true,
        from,
        problem: Effect.succeed(null),
        save: () => Effect.dieMessage("The environment sets the mail server")
      })
    }))
  )
