/** The open streams of all processes. A process holds a lease, so the streams of one that was killed stop counting within 15 s. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { RateLimited } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { StreamOwner } from "../../domain/event/StreamCaps.ts"
import { findSingle } from "../postgres/Queries.ts"
import { inTransaction } from "../postgres/Transaction.ts"

/** The owner of a stream; null for a stream without a key. */
export interface StreamHolder {
  readonly address: string
  readonly workspaceId: WorkspaceId | null
  /** The id of the key or the person. */
  readonly principal: string | null
}

const Counts = Schema.Struct({ key: Schema.Int, workspace: Schema.Int, address: Schema.Int })

/** An advisory lock with two keys, of which the second is a hash: opening streams is counted one at a time per address. */
const lockSpace = 0x73747265

export class OpenStreams extends Effect.Service<OpenStreams>()("belltower/OpenStreams", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const process = randomUUID()

    const counts = findSingle(Counts, ({ address, principal, workspaceId }: StreamHolder) =>
      sql`
        with alive as (select process from stream_processes where until > now())
        select
          (select count(*) from open_streams join alive using (process) where address = ${address})::int as address,
          (select count(*) from open_streams join alive using (process) where workspace_id = ${workspaceId})::int as workspace,
          (select count(*) from open_streams join alive using (process)
            where workspace_id = ${workspaceId} and principal = ${principal})::int as key`)

    return {
      /**
       * Adds a stream unless `refuse` objects to the number of those that are open. Concurrent calls for one workspace or
       * address wait for each other. Returns the id of the row.
       */
      open: Effect.fn("OpenStreams.open")(
        function*(holder: StreamHolder, refuse: (open: Readonly<Record<StreamOwner, number>>) => RateLimited | null) {
          const { address, principal, workspaceId } = holder
          // Always the workspace first, so that two openers never wait for each other's second lock.
          const subjects = workspaceId === null ? [address] : [workspaceId, address]
          yield* sql`
          select pg_advisory_xact_lock(${lockSpace}::int, hashtext(subject)) from unnest(${subjects}::text[]) as subject`
          const refusal = refuse(yield* counts(holder))
          if (refusal !== null) return yield* refusal
          const id = randomUUID()
          yield* sql`
          insert into open_streams (id, process, address, workspace_id, principal)
          values (${id}, ${process}, ${address}, ${workspaceId}, ${principal})`
          return id
        },
        inTransaction(sql)
      ),
      /** Removes streams of this process. */
      close: (ids: ReadonlyArray<string>) => sql`delete from open_streams where id = any(${ids}::text[])`,
      /** Keeps this process's streams counted for the next 15 s, and forgets processes whose lease has run out for a minute. */
      renew: Effect.gen(function*() {
        yield* sql`
          insert into stream_processes (process, until) values (${process}, now() + interval '15 seconds')
          on conflict (process) do update set until = excluded.until`
        yield* sql`
          with gone as (delete from stream_processes where until < now() - interval '1 minute' returning process)
          delete from open_streams using gone where open_streams.process = gone.process`
      }),
      /** Removes this process with all its streams. */
      leave: sql`
        with gone as (delete from stream_processes where process = ${process})
        delete from open_streams where process = ${process}`
    }
  })
}) {}
