/** Which runners hold shards and count as healthy, according to the cluster's tables in PostgreSQL. */
import { Effect } from "effect"
import { Client } from "pg"

const inCharge = `select
    (select count(*)::int from cluster_runners where healthy) as healthy,
    (select count(distinct address)::int from cluster_locks) as holders`

/** Complains until only one runner is healthy and it holds all shards. */
export const onlyOneRunnerIsLeft = (databaseUrl: string) =>
  Effect.acquireUseRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString: databaseUrl })
      await client.connect()
      return client
    }),
    (client) =>
      Effect.map(
        Effect.promise(() => client.query<{ readonly healthy: number; readonly holders: number }>(inCharge)),
        ({ rows: [row] }) => row?.healthy === 1 && row.holders === 1 ? null : JSON.stringify(row)
      ),
    (client) => Effect.promise(() => client.end())
  )
