/** Third parties: their published status and incidents, and who receives mails about changes. */
export default [
  // Written by the runner that reads the sources: one row for each service of the catalogue, from the first time that somebody
  // asks for it or depends on it.
  `create table upstream_services (
    service text primary key,
    reading jsonb,
    read_at timestamptz,
    tried_at timestamptz,
    problem text,
    probe_state text not null default 'unknown',
    probe_status_code int,
    tracked_since timestamptz not null
  )`,
  // Written by the same runner; deleted 90 days after the last change of what is resolved.
  `create table upstream_incidents (
    service text not null references upstream_services on delete cascade,
    id text not null,
    title text not null,
    status text not null,
    impact text not null,
    url text,
    started_at timestamptz not null,
    updated_at timestamptz not null,
    resolved_at timestamptz,
    components text[] not null,
    body text,
    primary key (service, id)
  )`,
  `create index upstream_incidents_by_start on upstream_incidents (service, started_at desc)`,
  `create index upstream_incidents_by_age on upstream_incidents (updated_at) where resolved_at is not null`,

  // Written by visitors, 5 a day for one address: one row for each address and component. Deleted by their owner, and after 2
  // days if nobody confirms them. `told` is the state that the last mail reported.
  `create table upstream_alerts (
    id text primary key,
    service text not null references upstream_services on delete cascade,
    component text not null,
    email text not null,
    confirm_hash bytea not null,
    manage_hash bytea not null,
    manage_sealed text not null,
    confirmed_at timestamptz,
    told text,
    created_at timestamptz not null
  )`,
  `create unique index upstream_alerts_of_address on upstream_alerts (service, component, lower(email))`,
  `create index upstream_alerts_to_tell on upstream_alerts (service, component, told) where confirmed_at is not null`,
  `create index unconfirmed_upstream_alerts on upstream_alerts (created_at) where confirmed_at is null`
]
