/** The alarms of the actors, the time since which reports are received, and the heartbeats of monitors that are pushed. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // The next wake-up time of each actor that has one. The alarm of a deleted actor is removed when it fires.
  yield* sql`
    create table alarms (
      kind text not null,
      id text not null,
      workspace_id text not null,
      due_at timestamptz not null,
      primary key (kind, id)
    )`
  yield* sql`create index on alarms (due_at)`

  // One row: time in which no process could receive reports must not count as a missed heartbeat.
  yield* sql`
    create table listening (
      only_row boolean primary key default true check (only_row),
      since timestamptz not null,
      beat_at timestamptz not null
    )`

  // Updated in place at every ping, so no column that a ping changes is indexed.
  yield* sql`
    create table heartbeats (
      monitor_id text primary key references monitors on delete cascade,
      workspace_id text not null,
      token_hash bytea not null unique,
      token_sealed text not null,
      expected_from timestamptz not null,
      last_ping_at timestamptz,
      last_check jsonb,
      calm boolean not null default false,
      minute int not null default 0,
      minute_count int not null default 0
    ) with (fillfactor = 50)`
  // A job may report a duration of hours, and a `real` is exact to the millisecond only up to 4.6 hours.
  yield* sql`alter table checks alter column latency_ms type double precision`
  // Pings that may change a state and that the monitor's actor has not processed yet. They reference the heartbeat and not
  // the monitor: an edit locks the monitor's row and then waits for the heartbeat's, so the other order could deadlock.
  yield* sql`
    create table heartbeat_news (
      monitor_id text not null references heartbeats on delete cascade,
      sequence bigint generated always as identity,
      check_id text not null,
      at timestamptz not null,
      outcome text not null,
      latency_ms double precision,
      error text,
      primary key (monitor_id, sequence)
    )`
})
