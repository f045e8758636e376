/** Texts by AI: how many a workspace had, and the reports on incidents that nobody has written yet. */
export default [
  // Written with each text: one row for each workspace and month. `month` is its first day, in UTC.
  `create table ai_usage (
    workspace_id text not null references workspaces on delete cascade,
    month date not null,
    used int not null,
    primary key (workspace_id, month)
  )`,

  // Written by the fan-out; kept for an hour. A request that a runner has taken stays for a while: it spaces the reports of a
  // monitor that goes down again and again.
  `create table ai_report_requests (
    event_id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    incident_id text not null,
    monitor_id text not null,
    phase text not null,
    requested_at timestamptz not null,
    taken_at timestamptz
  )`,
  `create index waiting_ai_reports on ai_report_requests (requested_at) where taken_at is null`,
  `create index ai_reports_of_monitor on ai_report_requests (monitor_id, phase, requested_at)`,
  `create index ai_reports_by_age on ai_report_requests (requested_at)`
]
