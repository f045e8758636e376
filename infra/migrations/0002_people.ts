/** The tables of people: users, how they sign in, the workspaces they belong to, and the mail they get. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // Addresses are kept in lower case: one person is one row however the address is typed. An address is proved once its
  // owner opened a link that was sent to it; a secret without totp_enabled_at is one that is being set up.
  yield* sql`
    create table users (
      id text primary key,
      email text not null unique,
      email_proved_at timestamptz,
      name text,
      contact jsonb not null default '{}',
      totp_sealed text,
      totp_enabled_at timestamptz,
      totp_last_step bigint,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`
  yield* sql`
    create table recovery_codes (
      user_id text not null references users on delete cascade,
      hash bytea not null,
      used_at timestamptz,
      primary key (user_id, hash)
    )`
  yield* sql`
    create table identities (
      user_id text not null references users on delete cascade,
      provider text not null,
      subject text not null,
      email text not null,
      created_at timestamptz not null,
      primary key (user_id, provider),
      unique (provider, subject)
    )`
  yield* sql`
    create table memberships (
      workspace_id text not null references workspaces on delete cascade,
      user_id text not null references users on delete cascade,
      role text not null,
      created_at timestamptz not null,
      primary key (workspace_id, user_id)
    )`
  yield* sql`create index on memberships (user_id)`
  yield* sql`
    create table invitations (
      id text primary key,
      workspace_id text not null references workspaces on delete cascade,
      email text not null,
      role text not null,
      token_hash bytea not null unique,
      invited_by text,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      unique (workspace_id, email)
    )`
  // A session that still waits for its second factor opens nothing.
  yield* sql`
    create table sessions (
      id text primary key,
      user_id text not null references users on delete cascade,
      token_hash bytea not null unique,
      workspace_id text references workspaces on delete set null,
      awaits_second_factor boolean not null default false,
      via text not null,
      ip text,
      user_agent text,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      last_seen_at timestamptz not null
    )`
  yield* sql`create index on sessions (user_id)`
  yield* sql`
    create table sign_in_links (
      token_hash bytea primary key,
      email text not null,
      next_sealed text,
      mailed boolean not null,
      newcomer boolean not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz
    )`
  yield* sql`create index on sign_in_links (expires_at)`
  // Without a mail server mail is only kept here. What a mail says is sealed, since it may hold links that let people in,
  // and forgotten once it was sent.
  yield* sql`
    create table mails (
      id text primary key,
      workspace_id text references workspaces on delete cascade,
      recipient text not null,
      subject text not null,
      sealed text,
      status text not null check (status in ('captured', 'due', 'sent', 'dead')),
      attempts int not null default 0,
      due_at timestamptz not null,
      expires_at timestamptz,
      last_error text,
      created_at timestamptz not null,
      finished_at timestamptz
    )`
  yield* sql`create index on mails (due_at) where status = 'due'`
  yield* sql`create index on mails (workspace_id, id)`
  yield* sql`create index on mails (recipient, id)`
  yield* sql`create index on mails (created_at)`
})
