/** Which runners hold shards, as the cluster's own tables say. */
import { Effect } from "effect"
import { Client } from "pg"

const holders = `select count(distinct address)::int as holders from cluster_locks`

/** Complains until so many runners hold every shard that is held. */
export const onlyRunnersHoldShards = (databaseUrl: string, count: number) =>
  Effect.acquireUseRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString: databaseUrl })
      await client.connect()
      return client
    }),
    (client) =>
      Effect.map(
        Effect.promise(() => client.query<{ readonly holders: number }>(holders)),
        ({ rows: [row] }) => row?.holders === count ? null : `${row?.holders} runners hold shards`
      ),
    (client) => Effect.promise(() => client.end())
  )
