/**
 * The rows of the cluster's runners and of their shard locks, over a connection of their own. A statement that gets no answer destroys
 * its connection and the next statement opens another, so a runner whose sockets froze never waits for them.
 */
import { Duration, Effect } from "effect"
import { Pool, type QueryResultRow } from "pg"
import { Database } from "./postgres/connections/Database.ts"
import { prepareSession } from "./postgres/connections/Session.ts"

const acquirePool = (answerMs: number) =>
  Effect.acquireRelease(
    Effect.map(Database, ({ connection }) => {
      const pool = new Pool({
        ...connection,
        application_name: `${connection.application_name ?? ""} shards`.trim(),
        // One connection keeps the statements in order. The pool destroys it when one of them times out.
        max: 1,
        connectionTimeoutMillis: answerMs,
        query_timeout: answerMs,
        // Locks last for seconds, so a standby need not confirm them. While one is away, runners keep their shards.
        onConnect: (client) => prepareSession(client).then(() => client.query("set synchronous_commit = local")).then(() => {})
      })
      // The pool replaces a connection that fails while idle. Without a listener, the error would crash the process.
      pool.on("error", () => {})
      return pool
    }),
    (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("1 second"))
  )

/**
 * Locks and signs of life older than `expiry` no longer count. A statement that takes longer than `answer` fails. Addresses are
 * `host:port`, shards are `group:number`.
 */
export const makeRunnerRows = Effect.fnUntraced(function*({ answer, expiry }: Record<"answer" | "expiry", Duration.Duration>) {
  const pool = yield* acquirePool(Math.round(Duration.toMillis(answer)))
  const seconds = Duration.toSeconds(expiry)
  const query = <Row extends QueryResultRow>(name: string, text: string, values: ReadonlyArray<unknown>) =>
    Effect.map(
      Effect.tryPromise(() => pool.query<Row>({ name: `belltower_${name}`, text, values: [...values] })),
      ({ rows }) => rows
    )
  const shardsOf = Effect.map((rows: ReadonlyArray<{ readonly shard: string }>) => rows.map(({ shard }) => shard))

  return {
    /** The runners that gave a sign of life, as they registered, and whether the others reach them. */
    alive: query<{ readonly runner: string; readonly healthy: boolean }>(
      "runners_alive",
      "select runner, healthy from cluster_runners where last_heartbeat > now() - make_interval(secs => $1)",
      [seconds]
    ),
    /** Returns the number of the runner, which stays the same at its address. */
    register: (address: string, runner: string, healthy: boolean) =>
      query<{ readonly number: number }>(
        "runner_register",
        `insert into cluster_runners (address, runner, healthy) values ($1, $2, $3)
        on conflict (address) do update
        set runner = excluded.runner, healthy = excluded.healthy, last_heartbeat = now()
        returning machine_id as number`,
        [address, runner, healthy]
      ).pipe(Effect.map(([row]) => row?.number ?? 0)),
    /** Forgets a runner, and others that gave no sign of life. */
    unregister: (address: string) =>
      query(
        "runner_unregister",
        "delete from cluster_runners where address = $1 or last_heartbeat < now() - make_interval(secs => $2)",
        [address, seconds]
      ),
    setHealth: (address: string, healthy: boolean) =>
      query("runner_health", "update cluster_runners set healthy = $2 where address = $1", [address, healthy]),
    /** Locks the shards that are free, expired, or locked for this address already; returns those. */
    lock: (address: string, shards: ReadonlyArray<string>) =>
      query<{ readonly shard: string }>(
        "shards_lock",
        `insert into cluster_locks (shard_id, address, acquired_at)
        select shard, $1, now() from unnest($2::text[]) as shard order by shard
        on conflict (shard_id) do update set address = excluded.address, acquired_at = excluded.acquired_at
        where cluster_locks.address = excluded.address or cluster_locks.acquired_at < now() - make_interval(secs => $3)
        returning shard_id as shard`,
        [address, shards, seconds]
      ).pipe(shardsOf),
    /**
     * Gives a sign of life and refreshes the locks; returns those that are still held. One statement, because every runner
     * repeats it.
     */
    refresh: (address: string, shards: ReadonlyArray<string>) =>
      query<{ readonly shard: string }>(
        "shards_refresh",
        `with alive as (update cluster_runners set last_heartbeat = now() where address = $1)
        update cluster_locks set acquired_at = now() where address = $1 and shard_id = any($2::text[])
        returning shard_id as shard`,
        [address, shards]
      ).pipe(shardsOf),
    release: (address: string, shard: string) =>
      query("shard_release", "delete from cluster_locks where address = $1 and shard_id = $2", [address, shard]),
    releaseAll: (address: string) => query("shards_release", "delete from cluster_locks where address = $1", [address])
  }
})
