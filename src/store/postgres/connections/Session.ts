/** The settings of a connection before its first statement. */
import type { ClientBase } from "pg"
import { readOnlyServer } from "../../../domain/health/DatabaseTrouble.ts"

/** How long the statement that prepares a connection may take, ms. */
const patience = 5_000

/**
 * The limits of every statement, ms, the plans of named statements: one that fits all values may be far worse than the plan for
 * these; and what statements and the texts of their rows rely on, which a server, a database or a role may have set otherwise.
 */
const settings = {
  statement_timeout: "30000",
  lock_timeout: "10000",
  // Ends transactions of clients that are cut off, with their locks.
  idle_in_transaction_session_timeout: "20000",
  plan_cache_mode: "force_custom_plan",
  idle_session_timeout: "0",
  transaction_timeout: "0",
  default_transaction_isolation: "read committed",
  datestyle: "ISO",
  timezone: "UTC",
  array_nulls: "on"
}

/** Only what the server has: one that is too old is refused with a message of its own. */
const text = `
  select pg_backend_pid() as pid, current_setting('transaction_read_only') = 'on' as "isReadOnly",
         count(set_config(name, setting, false))
  from jsonb_each_text($1::jsonb) as given (name, setting) where current_setting(name, true) is not null`

/** With the code of a statement that such a server refuses. */
const refused = () => Object.assign(new Error(readOnlyServer), { code: "25006" })

/**
 * Fails on a server that is read-only, unless the connection only reads: after a failover, an address can lead to the former primary.
 * Sets them by a statement, because poolers drop or refuse them as parameters of the connection. Poolers also give their clients
 * process numbers of their own; the server's is needed to cancel a statement and to recognize its notifications.
 */
const prepare = async (client: ClientBase, reads: boolean): Promise<void> => {
  const statement = { text, values: [JSON.stringify(settings)], query_timeout: patience }
  const { rows: [row] } = await client.query<{ readonly pid: number; readonly isReadOnly: boolean }>(statement)
  if (!reads && row?.isReadOnly !== false) throw refused()
  Object.assign(client, { processID: row?.pid })
}

export const prepareSession = (client: ClientBase): Promise<void> => prepare(client, false)

/** For a connection that only reads. */
export const prepareReader = (client: ClientBase): Promise<void> => prepare(client, true)
