/** The runners of the cluster and their shard locks. Earlier versions let the cluster's library create these tables. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table if not exists cluster_runners (
      machine_id serial primary key,
      address varchar(255) not null unique,
      runner text not null,
      healthy boolean not null default true,
      last_heartbeat timestamp not null default now()
    )`
  yield* sql`
    create table if not exists cluster_locks (
      shard_id varchar(50) primary key,
      address varchar(255) not null,
      acquired_at timestamp not null
    )`
})
