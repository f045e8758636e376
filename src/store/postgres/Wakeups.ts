/** Wakes readers in all processes when rows change, by PostgreSQL notifications over a connection that reconnects. */
import { Data, Deferred, Effect, PubSub, Stream } from "effect"
import { Client, escapeIdentifier } from "pg"
import { makeOutage } from "../../loops/Outage.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { Database } from "./connections/Database.ts"
import { closed, type QueryInTurn, queryInTurn, reconnecting } from "./connections/OwnConnections.ts"
import { prepareSession } from "./connections/Session.ts"
import { Signals } from "./Signals.ts"

/** When a reader lags this far behind, its oldest wake-ups are dropped. It reads the rows anyway. */
const keptWakes = 1024

/** Detects a connection that died silently, for example one that a firewall dropped. */
const keepAlive = { every: "10 seconds", limit: "10 seconds" } as const

class ConnectionLost extends Data.TaggedError("ConnectionLost")<{ readonly message: string }> {}

const lostBy = (cause: unknown) => new ConnectionLost({ message: cause instanceof Error ? cause.message : String(cause) })

const answered = Effect.timeoutFail({ duration: keepAlive.limit, onTimeout: () => lostBy("the server did not respond") })

export class Wakeups extends Effect.Service<Wakeups>()("belltower/Wakeups", {
  scoped: Effect.gen(function*() {
    const { connection } = yield* Database
    /** Every channel that has had a reader. They are few and fixed, so none is removed. */
    const channels = new Map<string, PubSub.PubSub<string>>()
    let live: { readonly query: QueryInTurn; readonly heard: Set<string>; readonly number: number } | null = null
    let connections = 0

    const signals = yield* Signals
    const wake = (channel: string, payload: string) => channels.get(channel)?.unsafeOffer(payload)

    const acquireClient = (lost: Deferred.Deferred<never, ConnectionLost>) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const client = new Client(connection)
          client.on("error", (error) => Deferred.unsafeDone(lost, Effect.fail(lostBy(error))))
          client.on("end", () => Deferred.unsafeDone(lost, Effect.fail(lostBy("the server closed it"))))
          client.on("notification", ({ channel, payload, processId }) => {
            if (!signals.isOwn(processId)) wake(channel, payload ?? "")
          })
          return client
        }),
        closed
      )

    /** Listens to a channel on the current connection, then wakes its readers, since earlier notifications were missed. */
    const listenTo = (channel: string) =>
      Effect.suspend(() => {
        const current = live
        if (current === null) return Effect.void
        return Effect.tryPromise({
          try: () => current.query(`listen ${escapeIdentifier(channel)}`),
          catch: lostBy
        }).pipe(
          answered,
          Effect.zipRight(Effect.sync(() => {
            current.heard.add(channel)
            wake(channel, "")
          }))
        )
      })

    const outage = makeOutage("The connection for notifications")

    /** Runs one connection; fails when it is lost. */
    const connectOnce = Effect.gen(function*() {
      const lost = yield* Deferred.make<never, ConnectionLost>()
      const client = yield* acquireClient(lost)
      const stay = Effect.gen(function*() {
        yield* Effect.tryPromise({ try: () => client.connect().then(() => prepareSession(client)), catch: lostBy })
        const query = queryInTurn(client)
        live = { query, heard: new Set(), number: ++connections }
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            live = null
          })
        )
        yield* Effect.forEach(channels.keys(), listenTo, { discard: true })
        yield* outage.worked
        return yield* Effect.tryPromise({ try: () => query("select 1"), catch: lostBy }).pipe(
          answered,
          Effect.delay(keepAlive.every),
          Effect.forever
        )
      })
      return yield* Effect.raceFirst(Deferred.await(lost), stay)
    })

    const connect = Effect.scoped(connectOnce).pipe(
      Effect.tapError(({ message }) => outage.failed(message)),
      Effect.retry(reconnecting)
    )
    yield* signals.listen(wake)
    yield* Effect.forkScoped(restartForever("Notification listener", connect))
    yield* Effect.addFinalizer(() => Effect.forEach(channels.values(), PubSub.shutdown, { discard: true }))

    return {
      /**
       * The payloads sent on `channel` from now on. An empty payload means that some may have been missed, so read the rows.
       * It comes first, and again after each reconnection.
       */
      listen: (channel: string): Stream.Stream<string> =>
        Effect.gen(function*() {
          const fresh = yield* PubSub.sliding<string>(keptWakes)
          const pubsub = channels.get(channel) ?? fresh
          channels.set(channel, pubsub)
          const wakes = Stream.fromQueue(yield* PubSub.subscribe(pubsub))
          if (live?.heard.has(channel)) return Stream.concat(Stream.succeed(""), wakes)
          // On failure the connection is lost, and the next connection listens to the channel.
          yield* Effect.ignore(listenTo(channel))
          return wakes
        }).pipe(Stream.unwrapScoped),
      /**
       * The number of the connection that currently listens to `channel`; null when none does. Data cached under a number
       * stays valid while the number is the same, because no notification has been missed since.
       */
      hearing: (channel: string): Effect.Effect<number | null> =>
        Effect.sync(() => (live?.heard.has(channel) ? live.number : null))
    }
  })
}) {}
