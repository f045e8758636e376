/** Rotations of several layers, and the rotations that applied before. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // The specified columns with these are the schedule's own layer; `layers` are those over it.
  `alter table oncall_schedules
     add column turn_unit text not null default 'week',
     add column turn_length int not null default 1,
     add column at_once int not null default 1,
     add column hours jsonb not null default '[]',
     add column active_from timestamptz,
     add column active_until timestamptz,
     add column layers jsonb not null default '[]'`,
  // Null: in everybody's place.
  `alter table oncall_overrides add column instead_of text`,
  // Written when the rotation of a schedule changes: the newest 500 of a schedule. Each applied from \`since\` up to \`until\`.
  `create table oncall_rotations (
    schedule_id text not null references oncall_schedules on delete cascade,
    workspace_id text not null,
    since timestamptz not null,
    until timestamptz not null,
    rotation jsonb not null,
    primary key (schedule_id, until)
  )`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
