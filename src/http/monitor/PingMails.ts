/** Listens for mails of jobs, by SMTP: a mail to `<token>@` any host is a ping of that heartbeat. */
import { Effect, Exit, Layer, Runtime } from "effect"
import PostalMime from "postal-mime"
import { SMTPServer, type SMTPServerDataStream } from "smtp-server"
import type { JobMail } from "../../domain/monitor/job/MailSignal.ts"
import { TakeMails } from "../../operations/monitor/TakeMails.ts"
import { CannotListen } from "../server/ListeningServer.ts"

export interface MailAddress {
  readonly host: string
  readonly port: number
}

/** The most bytes that are read of a mail; the rest of a longer one is ignored. */
const mostBytes = 256 * 1024
/** The largest size that a mail may announce. */
const largest = 10 * 1024 * 1024
const mostClients = 100
const mostRecipients = 10
const idleMs = 30_000

const refusal = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code })

const tokenOf = (address: string): string => address.slice(0, address.indexOf("@"))

/** The beginning of a mail; the rest is read and dropped, because a job has run whatever it printed. */
const beginningOf = (stream: SMTPServerDataStream): Effect.Effect<Buffer> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    stream.on("data", (chunk: Buffer) => {
      if (size < mostBytes) chunks.push(chunk.subarray(0, mostBytes - size))
      size += chunk.length
    })
    stream.once("end", () => resume(Effect.succeed(Buffer.concat(chunks))))
    stream.once("error", () => resume(Effect.succeed(Buffer.concat(chunks))))
  })

const withoutTags = (html: string): string =>
  html.split("<").map((part, index) => (index === 0 ? part : part.slice(part.indexOf(">") + 1))).join(" ")

/** A mail that no parser reads is its text. */
const mailOf = (bytes: Buffer): Effect.Effect<JobMail> =>
  Effect.tryPromise(() => PostalMime.parse(bytes)).pipe(
    Effect.map(({ html = "", subject = "", text }) => ({ subject, text: text ?? withoutTags(html) })),
    Effect.orElseSucceed(() => ({ subject: "", text: bytes.toString("utf8") }))
  )

type Done = (error?: Error | null) => void

/** The port is taken, or this process may not use it. */
const listenOn = (server: SMTPServer, { host, port }: MailAddress) =>
  Effect.async<number, CannotListen>((resume) => {
    server.once("error", (error) =>
      resume(
        new CannotListen({
          message: `BELLTOWER_PING_SMTP: cannot listen on ${host}:${port} (${error.message}). Choose another port`,
          cause: error
        })
      ))
    const listener = server.listen(port, host, () => {
      const bound = listener.address()
      server.on("error", () => {})
      resume(Effect.succeed(typeof bound === "object" && bound !== null ? bound.port : port))
    })
  })

/** Listens until its scope closes; answers the port. */
export const listenForMails = Effect.fn("PingMails.listen")(function*(address: MailAddress) {
  const mails = yield* TakeMails
  const run = Runtime.runFork(yield* Effect.runtime())

  /** Answers a command with what its work found: null accepts it. Our own faults are temporary to the sender. */
  const answer = (work: Effect.Effect<Error | null, unknown>, done: Done): void => {
    run(work).addObserver(Exit.match({ onFailure: () => done(refusal(451, "4.3.0 Try again later")), onSuccess: done }))
  }

  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    size: largest,
    maxClients: mostClients,
    socketTimeout: idleMs,
    disableReverseLookup: true,
    logger: false,
    banner: "Belltower",
    onRcptTo: (to, session, done) => {
      if (session.envelope.rcptTo.length >= mostRecipients) return done(refusal(452, "4.5.3 Too many recipients"))
      answer(
        Effect.map(
          mails.isKnown(tokenOf(to.address)),
          (isKnown) => isKnown ? null : refusal(550, "5.1.1 No heartbeat has this address")
        ),
        done
      )
    },
    onData: (stream, session, done) => {
      const tokens = session.envelope.rcptTo.map((to) => tokenOf(to.address))
      const taken = Effect.flatMap(beginningOf(stream), mailOf).pipe(
        Effect.flatMap((mail) => Effect.forEach(tokens, (token) => mails.take(token, mail), { discard: true })),
        Effect.as(null)
      )
      answer(taken, done)
    }
  })
  const port = yield* listenOn(server, address)
  yield* Effect.addFinalizer(() => Effect.async<void>((resume) => server.close(() => resume(Effect.void))))
  yield* Effect.logInfo(`Listening for mails of jobs on ${address.host}:${port}.`)
  return port
})

/** Nothing without an address. */
export const layer = (address: MailAddress | null) =>
  address === null ? Layer.empty : Layer.scopedDiscard(listenForMails(address))
