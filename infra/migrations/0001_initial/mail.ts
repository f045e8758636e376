/** Mail: what waits to be sent or was captured, and the mail server. */
export default [
  // Written in the transaction of the change that each reports; kept for 30 days. Without a mail server, mail is only stored here
  // (`captured`). The content is sealed because it may contain sign-in links, and it is erased once the mail is sent. See
  // `priorityNumber` in src/domain/mail/MailSlots.ts.
  `create table mails (
    id text primary key,
    workspace_id text references workspaces on delete cascade,
    recipient text not null,
    subject text not null,
    sealed text,
    priority smallint not null check (priority between 0 and 2),
    status text not null check (status in ('captured', 'due', 'sent', 'dead')),
    ready boolean not null default true,
    attempts int not null default 0,
    due_at timestamptz not null,
    expires_at timestamptz,
    last_error text,
    created_at timestamptz not null,
    finished_at timestamptz
  )`,
  `create index on mails (workspace_id, id)`,
  `create index on mails (recipient, id)`,
  `create index on mails (created_at)`,
  `create index on mails (due_at) where status = 'due'`,
  // Mails wait by priority and by workspace, so that a claim finds whose turn it is without reading what waits: `ready` mails in
  // one index, and those that a worker holds or that wait for a retry in another.
  `create index mails_ready_idx on mails (priority, coalesce(workspace_id, '-'), due_at) where status = 'due' and ready`,
  `create index mails_later_idx on mails (priority, due_at) where status = 'due' and not ready`,
  // Whatever holds or retries a mail takes it out of the index of ready ones.
  `create function put_mail_off() returns trigger language plpgsql as $$
  begin
    new.ready := false;
    return new;
  end $$`,
  `create trigger put_mail_off before update of due_at on mails
  for each row when (new.due_at > old.due_at) execute function put_mail_off()`,

  // Written by the operator in the dashboard: one row at most. Without sealed settings, none is set.
  `create table mail_server (
    id boolean primary key default true check (id),
    revision bigint not null,
    sealed text,
    updated_at timestamptz not null
  )`
]
