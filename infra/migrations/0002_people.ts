/** The tables of people: users, their sign-in methods, their memberships, and the mail sent to them. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // Addresses are stored in lower case, so a person has one row however the address is typed. An address is proved once its
  // owner has opened a link sent to it. A `totp_sealed` without `totp_enabled_at` is still being set up.
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
  // A session that still awaits its second factor grants no access.
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
  // Without a mail server, mail is only stored here. The content is sealed because it may contain sign-in links, and it is
  // erased once the mail is sent.
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
