/** Runs of jobs: what is open beside the heartbeat, the runs, and what their pings said. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Updated in place at pings, as the other columns. `open_runs`: those that have started and not ended, null for none.
  // `log_bytes`: the logs kept on the UTC day `log_day`, in days since 1970.
  `alter table heartbeats
     add column open_runs jsonb,
     add column log_day int not null default 0,
     add column log_bytes int not null default 0`,
  // Null: as the outcome says.
  `alter table heartbeat_news add column cause text`,
  // Written by pings that say more than that a job is well, and when a run has taken too long. `at` is the time in the id. A
  // partition for each day; kept as long as checks.
  `create table job_runs (
    id text not null,
    at timestamptz not null,
    workspace_id text not null,
    monitor_id text not null,
    state text not null,
    rid text,
    started_at timestamptz,
    ended_at timestamptz,
    duration_ms double precision,
    exit_code int,
    error text,
    log_bytes int not null,
    primary key (id, at)
  ) partition by range (at)`,
  `create index on job_runs (monitor_id, at)`,
  `create table job_runs_default partition of job_runs default`,
  // Written with the runs, at most 1 MiB for each job and day. `id` is that of the ping. `text` is null when that was spent.
  `create table job_logs (
    id text not null,
    at timestamptz not null,
    workspace_id text not null,
    monitor_id text not null,
    run_id text not null,
    signal text not null,
    octets int not null,
    text text,
    primary key (id, at)
  ) partition by range (at)`,
  `create index on job_logs (monitor_id, run_id)`,
  `create table job_logs_default partition of job_logs default`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
