/** Subscribers of status pages, and the events on their way to them. */
export default [
  // Written by visitors and members; bounded by the plan. One that nobody confirms is deleted by its actor, one that ended 30
  // days later. `sealed` holds the URL, the signing secret and the manage token.
  `create table subscribers (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    page_id text not null references pages on delete cascade,
    type text not null,
    status text not null,
    language text not null,
    email text,
    host text,
    target_hash bytea not null,
    sealed text not null,
    manage_hash bytea not null,
    confirm_hash bytea,
    component_ids text[] not null default '{}',
    incident_id text,
    incident_ended_at timestamptz,
    agent text,
    knew_password boolean not null default false,
    dead_deliveries int not null default 0,
    is_gone boolean not null default false,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    ended_at timestamptz
  )`,
  // The fan-out walks a page along this index.
  `create index active_subscribers on subscribers (page_id, id) where status = 'active'`,
  `create index subscribers_of_page on subscribers (workspace_id, page_id, id)`,
  `create index subscribers_of_target on subscribers (page_id, target_hash) where status in ('pending', 'active')`,
  `create index subscribers_of_incident on subscribers (incident_id) where incident_id is not null and status = 'active'`,
  `create index ended_subscribers on subscribers (ended_at) where ended_at is not null`,

  // Written by the fan-out: an event on its way to a page; deleted after 30 days. While it expands, a broadcast is ready since
  // its last visit, so that broadcasts take turns; after that, when a retry is due. `thread` is the incident or component,
  // `subject` what flaps: the monitor or component. Null for what people write.
  `create table broadcasts (
    event_id text not null,
    page_id text not null references pages on delete cascade,
    workspace_id text not null references workspaces on delete cascade,
    thread text,
    subject text,
    opens boolean not null default false,
    contents jsonb,
    position text not null default '',
    expanded_at timestamptz,
    visited_at timestamptz not null,
    retry_at timestamptz not null default 'infinity',
    ready_at timestamptz not null generated always as (
      case when expanded_at is null then visited_at else retry_at end
    ) stored,
    delivered int not null default 0,
    dead int not null default 0,
    created_at timestamptz not null,
    primary key (event_id, page_id)
  )`,
  `create index on broadcasts (ready_at)`,
  `create index on broadcasts (created_at)`,
  `create index unprepared_broadcasts on broadcasts (created_at) where contents is null`,
  `create index unprepared_broadcasts_of_workspace on broadcasts (workspace_id, created_at) where contents is null`,
  `create index open_broadcasts_of_workspace on broadcasts (workspace_id, ready_at)
  where contents is not null and ready_at < 'infinity'`,
  // Finds what flaps.
  `create index damped_broadcasts on broadcasts (page_id, created_at) where thread is not null`,
  // Written by the workers as a broadcast expands. Only open deliveries: one that has arrived or is dead is counted and deleted.
  `create table subscriber_deliveries (
    event_id text not null,
    page_id text not null,
    subscriber_id text not null references subscribers on delete cascade,
    component_ids text[] not null,
    attempts int not null default 0,
    due_at timestamptz not null,
    last_error text,
    primary key (event_id, page_id, subscriber_id),
    foreign key (event_id, page_id) references broadcasts on delete cascade
  )`,
  `create index on subscriber_deliveries (event_id, page_id, due_at)`,
  `create index on subscriber_deliveries (subscriber_id)`
]
