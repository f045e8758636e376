/** Events, and the turns in which the fan-out takes new ones. */
export default [
  // Written in the transaction of the change that each reports; kept for BELLTOWER_KEEP_HISTORY_DAYS once the fan-out has taken
  // it.
  `create table events (
    workspace_id text not null references workspaces on delete cascade,
    id text not null,
    type text not null,
    at timestamptz not null,
    data jsonb not null,
    fanned_out boolean not null default false,
    primary key (workspace_id, id)
  )`,
  `create index on events (id) where not fanned_out`,
  // Leads from each workspace that has new events to the next one, however many events each has.
  `create index new_events_of_workspace on events (workspace_id, id) where not fanned_out`,
  // Events lie in the order of their times, so a summary of each range of pages suffices to find those that have expired.
  `create index events_at on events using brin (at) with (pages_per_range = 32)`,

  // Written by the fan-out: a workspace whose events go alone, because they are large or failed together with others. Deleted
  // once none of its events waits.
  `create table fan_out_alone (
    workspace_id text primary key references workspaces on delete cascade,
    most int not null,
    failures int not null default 0,
    due_at timestamptz not null
  )`,
  `create index on fan_out_alone (due_at)`,
  // Written by the fan-out: an event that failed alone. Goes with its event.
  `create table events_set_aside (
    workspace_id text not null,
    event_id text not null,
    reason text not null,
    set_aside_at timestamptz not null default now(),
    primary key (workspace_id, event_id),
    foreign key (workspace_id, event_id) references events on delete cascade
  )`
]
