/** The ways to reach a person, their personal rules, and the log of pages. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Deliveries go to channels and to ways of people, so that a trigger does what the references did: whatever waits for a target ends
  // with it. First, because they lock the tables.
  `alter table deliveries drop constraint deliveries_channel_id_fkey`,
  `alter table delivery_queues drop constraint delivery_queues_channel_id_fkey`,
  `create function end_deliveries() returns trigger language plpgsql as $$
  begin
    delete from delivery_queues where channel_id = old.id;
    delete from deliveries where channel_id = old.id;
    return null;
  end $$`,
  `create trigger end_deliveries after delete on channels for each row execute function end_deliveries()`,

  // Written by people and agents; at most 20 of each person in a workspace. `shown` is the address, mostly hidden, and `target_hash` a
  // keyed hash of it. A way without `verified_at` pages nobody; `code_hash` is that of the code that its owner enters.
  // `problem` is written by the delivery worker once the address is gone.
  `create table contact_ways (
    id text primary key,
    workspace_id text not null,
    user_id text not null,
    kind text not null,
    label text not null,
    shown text not null,
    sealed text not null,
    target_hash bytea not null,
    verified_at timestamptz,
    code_hash bytea,
    code_expires_at timestamptz,
    code_tries int not null default 0,
    codes_sent int not null default 0,
    codes_since timestamptz,
    problem text,
    problem_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    foreign key (workspace_id, user_id) references memberships (workspace_id, user_id) on delete cascade
  )`,
  `create index on contact_ways (workspace_id, user_id)`,
  `create unique index one_way_once on contact_ways (workspace_id, user_id, kind, target_hash)`,
  `create trigger end_deliveries after delete on contact_ways for each row execute function end_deliveries()`,

  // Written by the person or for them; without a row, the rules of everybody apply.
  `create table paging_rules (
    workspace_id text not null,
    user_id text not null,
    high jsonb not null,
    low jsonb not null,
    working_hours jsonb,
    updated_at timestamptz not null,
    primary key (workspace_id, user_id),
    foreign key (workspace_id, user_id) references memberships (workspace_id, user_id) on delete cascade
  )`,

  // Written by the actor of the incident: one row for each page to one person by one way, planned when the person's level is paged.
  // Deleted with the incident. `state` and what follows it are copied from the delivery or the mail once that has ended, and
  // `received_at` is what the service says later. `followed`: a page that failed has brought the next one forward.
  `create table pagings (
    id text primary key,
    workspace_id text not null,
    incident_id text not null references incidents on delete cascade,
    user_id text not null,
    level int not null,
    round int not null,
    step int not null,
    urgency text not null,
    kind text not null,
    way_id text,
    label text not null,
    due_at timestamptz not null,
    state text not null default 'planned'
      check (state in ('planned', 'sending', 'handed_over', 'received', 'failed', 'not_needed')),
    event_id text,
    mail_id text,
    reference text,
    error text,
    followed boolean not null default false,
    handed_over_at timestamptz,
    received_at timestamptz,
    created_at timestamptz not null
  )`,
  `create index on pagings (workspace_id, incident_id, id)`,
  `create index pagings_of_events on pagings (event_id, way_id) where event_id is not null`,
  `create index pagings_of_mails on pagings (mail_id) where mail_id is not null`,
  `create index pagings_of_references on pagings (reference) where reference is not null`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
