/** Notices at the connections of a pool what happened to their server: it became read-only, lacks something, or confirmed no commit. */
import type { PoolClient } from "pg"
import { readOnlyServer, unconfirmed } from "../../../domain/health/DatabaseTrouble.ts"
import { failureCode } from "../PostgresErrors.ts"
import type { PriorityPool } from "./PriorityPool.ts"

/** A statement that writes, on a server that is a standby now. */
const readOnly = "25006"

/** The server's function whose notice precedes the answer to such a commit. The text of the notice is in the server's language. */
const waitsForStandby = "SyncRepWaitForLSN"

/**
 * With synchronous replication, a commit whose wait for the standby is cut short is answered like any other: the server has stored it,
 * and a failover may lose it. It fails as over a lost connection, whose commit may or may not have happened, either.
 */
const notConfirmed = () => new Error("Connection terminated: the standby did not confirm a commit")

/** Ends a connection now: statements on it fail, and the pool replaces it. */
const endNow = (client: PoolClient, reason: Error): void => {
  // Destroying the socket alone would let answers through that have arrived already.
  client.connection.emit("error", reason)
  client.connection.stream.destroy()
}

/** For as long as the pool lives. */
export const watchTrouble = (pool: PriorityPool): void => {
  const clients = new Set<PoolClient>()
  const note = (code: string) => pool.trouble.note(code, performance.now())
  pool.on("remove", (client) => void clients.delete(client))
  pool.on("connect", (client) => {
    clients.add(client)
    client.connection.on("errorMessage", (error: unknown) => {
      const code = failureCode(error)
      note(code)
      // The others lead to the same server. New ones are refused until the address leads to the primary.
      if (code === readOnly) { for (const one of clients) endNow(one, new Error(`Connection terminated: ${readOnlyServer}`)) }
    })
    client.on("notice", ({ routine }) => {
      if (routine !== waitsForStandby) return
      note(unconfirmed)
      endNow(client, notConfirmed())
    })
  })
}
