/** Statements on one connection, one after another: the driver is about to refuse a statement while another runs. */
import type { Client, QueryResult } from "pg"

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
