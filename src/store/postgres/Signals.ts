/** Sends database notifications outside transactions, gathered per process: a commit that notifies takes a lock of the whole server. */
import { type SqlClient, type SqlError } from "@effect/sql"
import { Context, Data, Effect, Exit, Predicate, Queue, type Scope } from "effect"
import { Client, type ClientConfig } from "pg"
import { makeOutage } from "../../loops/Outage.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { closed, type QueryInTurn, queryInTurn, reconnecting } from "./connections/OwnConnections.ts"
import { prepareSession } from "./connections/Session.ts"
import { againAfterDeadlock } from "./Deadlocks.ts"

/** Readers poll, so a signal that waits longer than this on shutdown may be lost. */
const flushLimit = "1 second"

/** A connection that gives no answer for this long is given up. */
const answerLimit = "10 seconds"

type SignalListener = (signal: string, payload: string) => void

class SignalsNotSent extends Data.TaggedError("SignalsNotSent")<{ readonly message: string }> {}

const notSent = (cause: unknown) => new SignalsNotSent({ message: cause instanceof Error ? cause.message : String(cause) })

/** A notification that waits to be sent. */
interface WaitingSignal {
  readonly signal: string
  readonly payload: string
}

/** The notifications that wait, without repeats and bounded in bytes. */
interface SignalBuffer {
  readonly add: (signal: string, payload: string) => void
  /** Empties the buffer. Signals come in the order of their first payload. */
  readonly takeAll: () => ReadonlyArray<WaitingSignal>
  readonly size: () => number
}

/** Per signal. Live frames of checks, the longest payloads, have about 1,000 bytes. */
const maxLength = 1 << 20

/**
 * Payloads of one signal that together exceed 1 MiB are replaced by one empty payload, which means that some may have been
 * missed. Until the buffer is emptied, that payload stands for all later ones.
 */
export const makeSignalBuffer = (): SignalBuffer => {
  const waiting = new Map<string, { payloads: Set<string>; length: number }>()
  return {
    add: (signal, payload) => {
      const entry = waiting.get(signal) ?? { payloads: new Set<string>(), length: 0 }
      waiting.set(signal, entry)
      if (entry.length > maxLength || entry.payloads.has(payload)) return
      entry.length += payload.length
      if (entry.length > maxLength) entry.payloads = new Set([""])
      else entry.payloads.add(payload)
    },
    takeAll: () => {
      const taken = [...waiting].flatMap(([signal, { payloads }]) => [...payloads].map((payload) => ({ signal, payload })))
      waiting.clear()
      return taken
    },
    size: () => waiting.size
  }
}

/** The signals to send after the surrounding transaction ends; null outside a transaction. */
class TransactionSignals extends Context.Reference<TransactionSignals>()("belltower/TransactionSignals", {
  defaultValue: (): SignalBuffer | null => null
}) {}

/** Wakes readers in all processes. Readers poll too, so a signal that is lost with its process only delays them. */
export class Signals extends Context.Tag("belltower/Signals")<Signals, {
  /**
   * Sends `payload` (under 8,000 bytes) to the listeners of `signal`: after the surrounding transaction ends, immediately
   * without one. Never waits and never fails. Equal payloads that wait together are sent once; when too many wait, one empty
   * payload takes their place, and listeners read all rows.
   */
  readonly send: (signal: string, payload?: string) => Effect.Effect<void>
  /** Calls `listener` immediately with each signal of this process, so that a caller who reads what it just wrote sees it. */
  readonly listen: (listener: SignalListener) => Effect.Effect<void, never, Scope.Scope>
  /** Whether the server process `pid` sends this process's signals, which `listen` has passed on already. */
  readonly isOwn: (pid: number) => boolean
}>() {}

/** A connection that needs no flushed commit: a notification that a crash loses is lost in any case. */
const acquireClient = (connection: ClientConfig) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const client = new Client({ ...connection, application_name: `${connection.application_name ?? ""} signals`.trim() })
        // The statement in progress reports the error; an idle connection is replaced when it is used.
        client.on("error", () => {})
        await client.connect()
        await prepareSession(client)
        await client.query("set synchronous_commit = off")
        return { client, query: queryInTurn(client) }
      },
      catch: notSent
    }),
    ({ client }) => closed(client)
  )

/**
 * Signals that come this soon after others are sent together. A single signal waits for nothing, and this process hears it
 * immediately.
 */
const pace = "50 millis"

/** Sends everything in the buffer as one statement; puts it back when that fails. */
const flush = (query: QueryInTurn, buffer: SignalBuffer) =>
  Effect.suspend(() => {
    const taken = buffer.takeAll()
    if (taken.length === 0) return Effect.void
    return Effect.tryPromise({
      try: () =>
        query("select pg_notify(signal, payload) from unnest($1::text[], $2::text[]) as waiting (signal, payload)", [
          taken.map(({ signal }) => signal),
          taken.map(({ payload }) => payload)
        ]),
      catch: notSent
    }).pipe(
      Effect.timeoutFail({ duration: answerLimit, onTimeout: () => notSent("the server did not respond") }),
      Effect.onExit((exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit)) { for (const { payload, signal } of taken) buffer.add(signal, payload) }
        })
      )
    )
  })

/** Sends on a connection of its own, so that a saturated pool delays no signal. */
export const makeSignals = (connection: ClientConfig) =>
  Effect.gen(function*() {
    const buffer = makeSignalBuffer()
    const waiting = yield* Queue.sliding<void>(1)
    const listeners = new Set<SignalListener>()
    let senderPid: number | null = null
    const outage = makeOutage("Sending database notifications")

    const sendOnConnection = Effect.scoped(
      Effect.gen(function*() {
        // A program that sends nothing needs no connection.
        yield* Queue.take(waiting)
        const { client, query } = yield* acquireClient(connection)
        senderPid = Predicate.hasProperty(client, "processID") && Predicate.isNumber(client.processID) ? client.processID : null
        yield* Effect.addFinalizer(() =>
          flush(query, buffer).pipe(Effect.interruptible, Effect.timeout(flushLimit), Effect.ignore)
        )
        return yield* flush(query, buffer).pipe(
          Effect.zipRight(outage.worked),
          Effect.zipRight(Effect.delay(Queue.take(waiting), pace)),
          Effect.forever
        )
      })
    ).pipe(
      Effect.tapError(({ message }) => Effect.zipRight(outage.failed(message), Queue.offer(waiting, undefined))),
      Effect.retry(reconnecting)
    )
    yield* restartForever("Sending database notifications", sendOnConnection).pipe(
      // The pool may be created in an uninterruptible region; the loop must still stop.
      Effect.interruptible,
      Effect.forkScoped
    )

    const enqueue = (entries: Iterable<{ readonly signal: string; readonly payload: string }>) => {
      for (const { payload, signal } of entries) {
        buffer.add(signal, payload)
        for (const listener of listeners) listener(signal, payload)
      }
      waiting.unsafeOffer(undefined)
    }

    const send = (signal: string, payload = "") =>
      Effect.map(TransactionSignals, (transaction) => {
        if (transaction === null) enqueue([{ signal, payload }])
        else transaction.add(signal, payload)
      })

    /**
     * Gathers the signals of the outermost transaction and sends them when it has ended, however it ended: after a lost
     * connection nobody knows whether it committed, and a reader that is woken for nothing only reads. One that the database
     * ended by a deadlock runs again.
     */
    const withSignals =
      (withTransaction: SqlClient.SqlClient["withTransaction"]): SqlClient.SqlClient["withTransaction"] =>
      <R, E, A>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
        Effect.flatMap(TransactionSignals, (outer) => {
          if (outer !== null) return withTransaction(work)
          const gathered = makeSignalBuffer()
          return againAfterDeadlock(withTransaction(Effect.provideService(work, TransactionSignals, gathered))).pipe(
            Effect.ensuring(Effect.sync(() => {
              if (gathered.size() > 0) enqueue(gathered.takeAll())
            }))
          )
        })

    const listen = (listener: SignalListener) =>
      Effect.asVoid(Effect.acquireRelease(
        Effect.sync(() => listeners.add(listener)),
        () => Effect.sync(() => listeners.delete(listener))
      ))

    return { send, listen, isOwn: (pid: number) => pid === senderPid, withSignals }
  })
