/** Sends mails to the deployment's mail server over SMTP. */
import { Context, Data, DateTime, Deferred, Effect, Fiber, Layer, Predicate } from "effect"
import { enhancedStatus } from "../../domain/alert/answers/MailAnswer.ts"
import type { MailFailure } from "../../domain/alert/DeliveryVerdict.ts"
import { mailSlots } from "../../domain/mail/MailSlots.ts"
import type { HeldMail } from "../../store/mail/MailQueue.ts"
import type { MailContent } from "../../store/mail/Mails.ts"
import { MailSetup, type MailSource, senderOf } from "../../store/mail/MailSetup.ts"
import { longestAnswerMs, messageOf, textField, transportOf } from "./MailTransport.ts"

/** The mail server was unreachable or did not accept the mail. */
class SendFailed extends Data.TaggedError("SendFailed")<{ readonly failure: MailFailure }> {}

/** Drops the server's own text but for its codes: a spam filter may quote the mail, including its secret link. */
const failureOf = (cause: unknown): MailFailure => {
  const code = Predicate.hasProperty(cause, "responseCode") ? cause.responseCode : null
  const responseCode = Predicate.isNumber(code) ? code : null
  const command = textField(cause, "command")
  const status = enhancedStatus(textField(cause, "response"))
  const isTls = textField(cause, "code") === "ETLS"
  const means = isTls ? "TLS failed, and without it nothing is sent (Mail in docs/operations.md)" : status?.means ?? ""
  const said = [responseCode, ...(status === null ? [] : [status.code]), ...(command === null ? [] : [`to ${command}`])].join(" ")
  const reason = responseCode !== null
    ? `The mail server answered ${said}${means === "" ? "" : `: ${means}`}`
    : `The mail server is unreachable (${textField(cause, "code") ?? "unknown"})`
  return { responseCode, command, status, reason }
}

const domainOf = (from: string): string => /@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? "localhost"

/** How long a mail of the queue may take until it is handed over, ms. A silent server must not block a slot for longer. */
const queuedHandOverMs = 30_000

/** Connections that mails to many recipients share. */
const pool = { pool: true, maxConnections: 10, maxMessages: 100 } as const

/** Connections of queued mails: one for each slot, so that none waits while its lease runs. They close before a server closes them. */
const queuePool = { ...pool, maxConnections: mailSlots, idleTimeout: 10_000 } as const

const silent = (ms: number) =>
  new SendFailed({ failure: { responseCode: null, command: null, reason: `The mail server did not answer within ${ms} ms` } })

/**
 * Until the mail is handed over, it is withdrawn after `handOverMs`, and can be sent again. From then on the server may have accepted
 * it, so its answer is awaited for as long as it may take.
 */
const sendBy = (transport: ReturnType<typeof transportOf>, from: string) =>
  Effect.fnUntraced(function*(
    mail: Pick<HeldMail, "id" | "recipient" | "subject" | "createdAt">,
    content: MailContent,
    handOverMs: number = queuedHandOverMs
  ) {
    const handedOver = yield* Deferred.make<void>()
    const message = {
      ...messageOf(from, mail.recipient, mail.subject, content),
      date: DateTime.toDateUtc(mail.createdAt),
      // Identical at every attempt, so that receivers can detect duplicates.
      messageId: `<${mail.id}@${domainOf(from)}>`
    }
    const sending = yield* Effect.forkScoped(Effect.tryPromise({
      try: (signal) => transport.send(message, signal, () => Deferred.unsafeDone(handedOver, Effect.void)),
      catch: (cause) => new SendFailed({ failure: failureOf(cause) })
    }))
    const within = (ms: number) => ({ duration: ms, onTimeout: () => silent(ms) })
    yield* Effect.timeoutFail(Effect.raceFirst(Deferred.await(handedOver), Fiber.await(sending)), within(handOverMs))
    yield* Effect.timeoutFail(Fiber.join(sending), within(longestAnswerMs))
  }, Effect.scoped)

const open = (source: MailSource) => {
  const single = transportOf(source, {})
  const pooled = transportOf(source, pool)
  const queued = transportOf(source, queuePool)
  const from = senderOf(source)
  return {
    source,
    server: {
      /** Sends on a connection of its own. */
      send: sendBy(single, from),
      /** For mails to many recipients: they share a few connections, and wait for one. */
      sendPooled: sendBy(pooled, from),
      /** For mails of the queue, of which a worker has no more in flight than there are connections. */
      sendQueued: sendBy(queued, from)
    },
    close: (): void => {
      for (const transport of [single, pooled, queued]) transport.close()
    }
  }
}

type Opened = ReturnType<typeof open>

/** Opens the connections of another server when the settings have changed. Mails that wait for the old ones fail, and are retried. */
const makeCurrent = Effect.gen(function*() {
  const { source: currentSource } = yield* MailSetup
  let opened: Opened | null = null
  yield* Effect.addFinalizer(() => Effect.sync(() => opened?.close()))
  return Effect.map(currentSource, (source) => {
    if ((opened?.source ?? null) !== source) {
      opened?.close()
      opened = source === null ? null : open(source)
    }
    return opened?.server ?? null
  })
})

/** The deployment's mail server now; null while none is set. */
export class MailServer extends Context.Reference<MailServer>()("belltower/MailServer", {
  defaultValue: (): Effect.Effect<Opened["server"] | null> => Effect.succeed(null)
}) {
  static readonly layer = Layer.scoped(MailServer, makeCurrent)
}
