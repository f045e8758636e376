/** The settings of a connection before its first statement. */
import type { ClientBase } from "pg"

/** How long the statement that prepares a connection may take, ms. */
const patience = 5_000

/**
 * The limits of every statement, ms, and the plans of named statements: one that fits all values may be far worse than the plan
 * for these.
 */
const limits = {
  statement_timeout: "30000",
  lock_timeout: "10000",
  // Ends transactions of clients that are cut off, with their locks.
  idle_in_transaction_session_timeout: "20000",
  plan_cache_mode: "force_custom_plan"
}

/** Only what the server has: one that is too old is refused with a message of its own. */
const text = `
  select pg_backend_pid() as pid, count(set_config(name, setting, false))
  from jsonb_each_text($1::jsonb) as given (name, setting) where current_setting(name, true) is not null`

/**
 * Sets the limits by a statement, because poolers drop or refuse them as parameters of the connection. Poolers also give their clients
 * process numbers of their own; the server's is needed to cancel a statement and to recognize its notifications.
 */
export const prepareSession = async (client: ClientBase): Promise<void> => {
  const statement = { text, values: [JSON.stringify(limits)], query_timeout: patience }
  const { rows: [row] } = await client.query<{ readonly pid: number }>(statement)
  Object.assign(client, { processID: row?.pid })
}
