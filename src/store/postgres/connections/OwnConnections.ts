/** Connections outside the pool: how they are opened again and closed, and statements on one of them, one after another. */
import { Effect, Schedule } from "effect"
import type { Client, QueryResult } from "pg"

/** From 0.1 s, doubling, to one attempt every 5 s; starts over after a minute without a failure. */
export const reconnecting = Schedule.exponential("100 millis").pipe(
  Schedule.union(Schedule.spaced("5 seconds")),
  Schedule.resetAfter("1 minute")
)

/** Closes a connection, without waiting for a server that does not answer. */
export const closed = (client: Client) =>
  Effect.promise(() => client.end().catch(() => {})).pipe(Effect.interruptible, Effect.timeoutOption("1 second"))

/** Runs statements in turn: the driver is about to refuse a statement while another runs. */
export type QueryInTurn = (text: string, values?: ReadonlyArray<unknown>) => Promise<QueryResult>

/** Each statement waits for the end of those before it, also of those that failed or whose caller was interrupted. */
export const queryInTurn = (client: Client): QueryInTurn => {
  let last: Promise<unknown> = Promise.resolve()
  return (text, values = []) => {
    const next = last.then(() => client.query(text, [...values]))
    last = next.catch(() => {})
    return next
  }
}
