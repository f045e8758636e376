/** The MCP sessions that were ended early, shared by all processes. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect } from "effect"
import { exists } from "../postgres/Queries.ts"
import { tokenHash } from "../Vault.ts"

export class EndedMcpSessions extends Effect.Service<EndedMcpSessions>()("belltower/EndedMcpSessions", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return {
      hasEnded: (id: string) => exists(sql`select 1 from mcp_sessions_ended where hash = ${tokenHash(id)}`),
      /** Ends a session that would expire at `until`. Also deletes the entries of sessions that have expired. */
      end: Effect.fn("EndedMcpSessions.end")(function*(id: string, until: DateTime.Utc) {
        const now = DateTime.toDateUtc(yield* DateTime.now)
        yield* sql`delete from mcp_sessions_ended where until < ${now}`
        yield* sql`
          insert into mcp_sessions_ended (hash, until) values (${tokenHash(id)}, ${DateTime.toDateUtc(until)})
          on conflict do nothing`
      }, Effect.orDie)
    }
  })
}) {}
