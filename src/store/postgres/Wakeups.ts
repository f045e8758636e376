/** Wakes readers across processes when rows have changed: notifications of PostgreSQL on a connection that heals. */
import { SqlClient, type SqlError } from "@effect/sql"
import { Data, Deferred, Effect, PubSub, Schedule, Stream } from "effect"
import { Client, escapeIdentifier } from "pg"
import { restartForever } from "../../loops/RestartForever.ts"
import { Database } from "./Database.ts"

/** Of a reader that lags this far behind, the oldest wakes are dropped: it reads the rows anyway. */
const keptWakes = 1024

/** Finds a connection that died without a word, such as one that a firewall forgot. */
const pulse = { every: "30 seconds", limit: "10 seconds" } as const

const reconnecting = Schedule.exponential("100 millis").pipe(
  Schedule.union(Schedule.spaced("5 seconds")),
  Schedule.resetAfter("1 minute")
)

class ConnectionLost extends Data.TaggedError("ConnectionLost")<{ readonly message: string }> {}

const lostBy = (cause: unknown) => new ConnectionLost({ message: cause instanceof Error ? cause.message : String(cause) })

const answered = Effect.timeoutFail({ duration: pulse.limit, onTimeout: () => lostBy("it does not answer") })

export class Wakeups extends Effect.Service<Wakeups>()("belltower/Wakeups", {
  scoped: Effect.gen(function*() {
    const { connection } = yield* Database
    const sql = yield* SqlClient.SqlClient
    /** Every channel that was ever asked for; they are few and fixed, so none is dropped. */
    const channels = new Map<string, PubSub.PubSub<string>>()
    let live: { readonly client: Client; readonly heard: Set<string>; readonly number: number } | null = null
    let connections = 0

    const wake = (channel: string, payload: string) => channels.get(channel)?.unsafeOffer(payload)

    const acquireClient = (lost: Deferred.Deferred<never, ConnectionLost>) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const client = new Client({ ...connection, statement_timeout: 0 })
          client.on("error", (error) => Deferred.unsafeDone(lost, Effect.fail(lostBy(error))))
          client.on("end", () => Deferred.unsafeDone(lost, Effect.fail(lostBy("it ended"))))
          client.on("notification", ({ channel, payload }) => wake(channel, payload ?? ""))
          return client
        }),
        (client) =>
          Effect.promise(() => client.end().catch(() => {})).pipe(Effect.interruptible, Effect.timeoutOption("1 second"))
      )

    /** Hears a channel on the present connection, then wakes all its readers: what was told before went unheard. */
    const hear = (channel: string) =>
      Effect.suspend(() => {
        const current = live
        if (current === null) return Effect.void
        return Effect.tryPromise({
          try: () => current.client.query(`listen ${escapeIdentifier(channel)}`),
          catch: lostBy
        }).pipe(
          answered,
          Effect.zipRight(Effect.sync(() => {
            current.heard.add(channel)
            wake(channel, "")
          }))
        )
      })

    /** The whole life of one connection; fails when it is over. */
    const connectOnce = Effect.gen(function*() {
      const lost = yield* Deferred.make<never, ConnectionLost>()
      const client = yield* acquireClient(lost)
      const stay = Effect.gen(function*() {
        yield* Effect.tryPromise({ try: () => client.connect(), catch: lostBy })
        live = { client, heard: new Set(), number: ++connections }
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            live = null
          })
        )
        yield* Effect.forEach(channels.keys(), hear, { discard: true })
        return yield* Effect.tryPromise({ try: () => client.query("select 1"), catch: lostBy }).pipe(
          answered,
          Effect.delay(pulse.every),
          Effect.forever
        )
      })
      return yield* Effect.raceFirst(Deferred.await(lost), stay)
    })

    const connect = Effect.scoped(connectOnce).pipe(
      Effect.tapError(({ message }) => Effect.logWarning(`The connection for wake-ups is lost (${message}); connecting again`)),
      Effect.retry(reconnecting)
    )
    yield* Effect.forkScoped(restartForever("Listening for wake-ups", connect))
    yield* Effect.addFinalizer(() => Effect.forEach(channels.values(), PubSub.shutdown, { discard: true }))

    return {
      /**
       * The payloads told on `channel` from now on. An empty one says that some may have been missed, so the rows are
       * to be read: it comes first of all, and again after each reconnection.
       */
      listen: (channel: string): Stream.Stream<string> =>
        Effect.gen(function*() {
          const fresh = yield* PubSub.sliding<string>(keptWakes)
          const pubsub = channels.get(channel) ?? fresh
          channels.set(channel, pubsub)
          const wakes = Stream.fromQueue(yield* PubSub.subscribe(pubsub))
          if (live?.heard.has(channel)) return Stream.concat(Stream.succeed(""), wakes)
          // A failure is a connection lost meanwhile; the next one hears the channel.
          yield* Effect.ignore(hear(channel))
          return wakes
        }).pipe(Stream.unwrapScoped),
      /**
       * The number of the connection that hears `channel` at present, null when none does. What is kept under a number may
       * be trusted while it stays the same: nothing that was told since then went unheard.
       */
      hearing: (channel: string): Effect.Effect<number | null> =>
        Effect.sync(() => (live?.heard.has(channel) ? live.number : null)),
      /** Told when the surrounding transaction commits, at once where there is none. At most 8000 bytes. */
      notify: (channel: string, payload: string): Effect.Effect<void, SqlError.SqlError> =>
        Effect.asVoid(sql`select pg_notify(${channel}, ${payload})`)
    }
  })
}) {}
