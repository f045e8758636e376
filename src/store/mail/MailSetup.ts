/**
 * The mail server that is in use: the one of the environment, or the one that the operator has set in the dashboard. Every process
 * keeps the stored settings in memory and reads them again when they change.
 */
import { SqlClient } from "@effect/sql"
import { Context, DateTime, Duration, Effect, Either, Layer, Option, type Redacted, Schedule, Schema, Stream } from "effect"
import { MailServerSettings } from "../../../schema/mail/MailServer.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { retryForever } from "../../loops/RetryForever.ts"
import { findOne } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { Wakeups } from "../postgres/Wakeups.ts"
import { cellOf } from "../SealedColumns.ts"
import { Vault } from "../Vault.ts"
import { MailMode } from "./MailMode.ts"

/** Notified when the settings change. */
const mailServerSignal = "belltower_mail_server"

/** The pause between reads, in case a notification was lost. */
const readEvery = Duration.seconds(30)

export interface MailEnvironment {
  /** `smtp://user:password@host:port` or `smtps://`; null if the operator may set the server in the dashboard. */
  readonly url: Redacted.Redacted | null
  /** `Belltower <belltower@example.com>`, or only the address. */
  readonly from: string
}

export class EnvironmentMail extends Context.Reference<EnvironmentMail>()("belltower/EnvironmentMail", {
  defaultValue: (): MailEnvironment => ({ url: null, from: "Belltower <belltower@localhost>" })
}) {}

/** How to reach a mail server, and who its mail is from. */
export type MailSource =
  | { readonly _tag: "Url"; readonly url: Redacted.Redacted; readonly from: string }
  | { readonly _tag: "Settings"; readonly settings: MailServerSettings }

export const senderOf = (source: MailSource): string => source._tag === "Url" ? source.from : source.settings.from

const Sealed = Schema.parseJson(MailServerSettings)
const encode = Schema.encodeSync(Sealed)

/** The only row. */
const cell = cellOf("mail_server.sealed", true)

const Row = Schema.Struct({ revision: Schema.NumberFromString, sealed: Schema.NullOr(Schema.String) })

/** The stored settings as a process has read them. */
interface Stored {
  readonly revision: number
  readonly source: MailSource | null
  /** Why they cannot be used; null if they can. */
  readonly problem: string | null
}

const nothingStored: Stored = { revision: 0, source: null, problem: null }

const unreadable = "The stored mail server was sealed with another BELLTOWER_SECRET. Mail is captured until you enter it again."

const makeRead = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* Vault
  const row = findOne(Row, () => sql`select revision::text, sealed from mail_server`)

  const open = (sealed: string) => Either.flatMap(vault.unsealed(cell, sealed), (text) => Schema.decodeEither(Sealed)(text))

  /** The settings as stored. `before` is returned if they have not changed, so that connections stay open. */
  return Effect.fnUntraced(function*(before: Stored) {
    const found = Option.getOrNull(yield* row())
    if (found === null || found.revision === before.revision) return found === null ? nothingStored : before
    const { revision, sealed } = found
    if (sealed === null) return { revision, source: null, problem: null }
    const opened = open(sealed)
    if (Either.isLeft(opened)) yield* Effect.logError(unreadable)
    return Either.match(opened, {
      onLeft: (): Stored => ({ revision, source: null, problem: unreadable }),
      onRight: (settings): Stored => ({ revision, source: { _tag: "Settings", settings }, problem: null })
    })
  })
})

export class MailSetup extends Effect.Service<MailSetup>()("belltower/MailSetup", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const wakeups = yield* Wakeups
    const vault = yield* Vault
    const { from, url } = yield* EnvironmentMail
    const read = yield* makeRead
    const ofEnvironment: MailSource | null = url === null ? null : { _tag: "Url", url, from }
    let stored = nothingStored

    // One at a time, so that an earlier reading never replaces a later one.
    const turns = yield* Effect.makeSemaphore(1)
    const load = Effect.suspend(() => read(stored)).pipe(
      Effect.map((found) => {
        stored = found
      }),
      turns.withPermits(1),
      Effect.orDie
    )
    if (ofEnvironment === null) {
      yield* load
      const changes = Stream.merge(wakeups.listen(mailServerSignal), Stream.fromSchedule(Schedule.spaced(readEvery)))
      yield* Stream.runForEach(changes, () => retryForever("Reading the mail server's settings", load)).pipe(
        (loop) => restartForever("Following the mail server's settings", loop),
        Effect.interruptible,
        Effect.forkScoped
      )
    }

    return {
      /** The mail server in use; null while none is set. The same value for as long as nothing changes. */
      source: Effect.sync(() => ofEnvironment ?? stored.source),
      /** Whether the environment sets the mail server, so that nothing else can. */
      isOfEnvironment: ofEnvironment !== null,
      /** The sender unless the settings say another. */
      from,
      problem: Effect.sync(() => stored.problem),
      /**
       * Stores settings, or none, for all processes. Without any, mail that is due waits: it must not be captured, because links in it
       * prove an address, and others read captured mail.
       */
      save: Effect.fn("MailSetup.save")(
        function*(settings: MailServerSettings | null) {
          const sealed = settings === null ? null : yield* vault.seal(cell, encode(settings))
          const at = DateTime.toDateUtc(yield* DateTime.now)
          yield* sql`
          insert into mail_server as m (id, revision, sealed, updated_at) values (true, 1, ${sealed}, ${at})
          on conflict (id) do update set revision = m.revision + 1, sealed = excluded.sealed, updated_at = excluded.updated_at`
          yield* signals.send(mailServerSignal)
        },
        sql.withTransaction,
        Effect.zipLeft(load),
        Effect.orDie
      )
    }
  })
}) {}

const modeOf = (source: MailSource | null) => (source === null ? "captured" as const : "sent" as const)

/** The mail setup, with the mode that follows from it. */
export const layer = Layer.effect(MailMode, Effect.map(MailSetup, ({ source }) => Effect.map(source, modeOf))).pipe(
  Layer.provideMerge(MailSetup.Default)
)
