/** Closes connections of a pool that froze: nothing arrives any more, no reset either, and a statement would wait for hours. */
import { Clock, Duration, Effect, Predicate } from "effect"
import { Socket } from "node:net"
import { Client, type ClientConfig, type Pool, type PoolClient } from "pg"
import { restartForever } from "../../../loops/RestartForever.ts"
import { sharingWakes } from "../../../loops/SharedWakes.ts"

/** Whether a statement is running, according to an undocumented field of the driver. */
const isRunning = (client: PoolClient): boolean =>
  Predicate.hasProperty(client, "readyForQuery") && client.readyForQuery === false

const unanswered = () => new Error("Connection terminated: the server did not respond")

/** The number of checks without traffic after which the server is asked. */
const silentChecks = 3

/** No time limit of the server ends a commit's wait for a standby. Cut short, it is answered after a notice (`ServerTrouble.ts`). */
const askServer = `
  select case when wait_event = 'SyncRep' then pg_cancel_backend(pid) end from pg_stat_activity
  where pid = $1 and state = 'active' and wait_event_type is distinct from 'Client'`

/**
 * Whether the server still works on the client's statement, asked over another connection; false when that cannot connect either. A
 * server process that waits for its client (to send, or to take the answer) while nothing arrives here is cut off. One that waits for a
 * standby is made to wait no longer.
 */
const isServerBusy = (connection: ClientConfig, client: PoolClient): Effect.Effect<boolean> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Client(connection).on("error", () => {})),
    (other) =>
      Effect.tryPromise(async () => {
        await other.connect()
        const backend = Predicate.hasProperty(client, "processID") ? client.processID : null
        const { rowCount } = await other.query(askServer, [backend])
        return rowCount === 1
      }).pipe(Effect.timeout("10 seconds"), Effect.orElseSucceed(() => false)),
    (other) => Effect.sync(() => void other.end().catch(() => {}))
  )

/**
 * Watches all connections of a pool for as long as the scope is open. `silence` (ms) is the time without a received byte after which the
 * server is asked about a statement. It counts checks instead of measuring time, because time that the machine slept does not count.
 */
export const watchSilence = (pool: Pool, connection: ClientConfig, silence: number) => {
  const watched = new Map<PoolClient, { readonly received: number; readonly silent: number }>()
  pool.on("connect", (client) => void watched.set(client, { received: 0, silent: 0 }))
  pool.on("remove", (client) => void watched.delete(client))
  /** The question to the server about a connection; null for one that was heard, which all are as a rule. */
  const question = (client: PoolClient): Effect.Effect<void> | null => {
    const { stream } = client.connection
    const before = watched.get(client)
    if (!(stream instanceof Socket) || before === undefined) return null
    // Sent bytes prove nothing: the system takes them for a peer that is gone.
    const received = stream.bytesRead
    const silent = isRunning(client) && received === before.received ? before.silent + 1 : 0
    watched.set(client, { received, silent: silent % silentChecks })
    if (silent < silentChecks) return null
    return Effect.map(isServerBusy(connection, client), (isBusy) => {
      const isSilent = stream.bytesRead === received
      if (isBusy || !isSilent) return
      stream.destroy(unanswered())
      // Idle ones lead to the same server. Each would cost the next statement as much time as this one.
      for (const other of watched.keys()) if (!isRunning(other)) other.connection.stream.destroy(unanswered())
    })
  }
  const check = Effect.suspend(() => {
    const questions = [...watched.keys()].map(question).filter((one) => one !== null)
    return questions.length === 0 ? Effect.void : Effect.all(questions, { concurrency: "unbounded", discard: true })
  })
  return restartForever("Connection watchdog", Effect.forever(Effect.delay(check, Duration.millis(silence / silentChecks)))).pipe(
    sharingWakes,
    // Uses real time even when the program runs on a test clock.
    Effect.withClock(Clock.make()),
    // The pool may be created in an uninterruptible region; the watchdog must still stop.
    Effect.interruptible,
    Effect.forkScoped
  )
}
