/** Alarms of the actors, since when the service listens, and the heartbeats of monitors that report by themselves. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // Each actor's next instant, if it has one. An alarm of an actor that is gone is taken away when it rings.
  yield* sql`
    create table alarms (
      kind text not null,
      id text not null,
      workspace_id text not null,
      due_at timestamptz not null,
      primary key (kind, id)
    )`
  yield* sql`create index on alarms (due_at)`

  // One row: what nobody could have reported must not count as silence.
  yield* sql`
    create table listening (
      only_row boolean primary key default true check (only_row),
      since timestamptz not null,
      beat_at timestamptz not null
    )`

  // Updated in place at every ping: nothing that a ping changes is indexed.
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
  // A job may tell of hours; a real is exact up to 4.6 of them.
  yield* sql`alter table checks alter column latency_ms type double precision`
  // Pings that may move a state and that the monitor's actor has yet to hear. They lean on the heartbeat and not on the
  // monitor: whoever edits a monitor holds its row, and then waits for the heartbeat's.
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
