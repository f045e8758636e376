/** People: accounts, how they sign in, and what they are members of. */
export default [
  // Written by sign-in, claims, invitations and the person. Nothing deletes an account. Addresses are stored in lower case, so a
  // person has one row however the address is typed. An address is proved once its owner has opened a link sent to it. A
  // `totp_sealed` without `totp_enabled_at` is still being set up. `shown_email` is set on an account that was made without proof
  // for an address that another account holds: its `email` is then a placeholder that nothing else matches, and `shown_email` is
  // the address that its owner typed.
  `create table users (
    id text primary key,
    email text not null unique,
    email_proved_at timestamptz,
    shown_email text,
    name text,
    contact jsonb not null default '{}',
    totp_sealed text,
    totp_enabled_at timestamptz,
    totp_last_step bigint,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  // Written when a person turns the second factor on: 10 of each person, replaced together.
  `create table recovery_codes (
    user_id text not null references users on delete cascade,
    hash bytea not null,
    used_at timestamptz,
    primary key (user_id, hash)
  )`,
  // Written by sign-in with Google or GitHub: one of each provider and person.
  `create table identities (
    user_id text not null references users on delete cascade,
    provider text not null,
    subject text not null,
    email text not null,
    created_at timestamptz not null,
    primary key (user_id, provider),
    unique (provider, subject)
  )`,

  // Triggers announce the end of access, so no code path that ends a key, a session or a membership can omit it.
  `create function tell_access_ended() returns trigger language plpgsql as $$
  begin
    perform pg_notify('belltower_access_ended', to_jsonb(old) ->> tg_argv[0]);
    return null;
  end $$`,

  // Written by claims and accepted invitations; bounded by the plan and the cap of members. A `digest` of null is the default of
  // the role.
  `create table memberships (
    workspace_id text not null references workspaces on delete cascade,
    user_id text not null references users on delete cascade,
    role text not null,
    digest boolean,
    created_at timestamptz not null,
    primary key (workspace_id, user_id)
  )`,
  `create index on memberships (user_id)`,
  `create trigger tell_changed after delete or update of role on memberships
  for each row execute function tell_access_ended('user_id')`,
  // Written by members who invite; one for each address, which a new invitation replaces. Pending ones count as members, and an
  // accepted one is deleted. `mailed`: the token was only in an email that is really sent, so opening it proves the address.
  `create table invitations (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    email text not null,
    role text not null,
    token_hash bytea not null unique,
    mailed boolean not null default false,
    invited_by text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    unique (workspace_id, email)
  )`,
  `create index on invitations (invited_by)`,

  // Written by sign-in; expired ones are deleted hourly. A session that still awaits its second factor grants no access. One
  // `of_operator` was started by a link that was printed on the server for the operator.
  `create table sessions (
    id text primary key,
    user_id text not null references users on delete cascade,
    token_hash bytea not null unique,
    workspace_id text references workspaces on delete set null,
    awaits_second_factor boolean not null default false,
    of_operator boolean not null default false,
    via text not null,
    ip text,
    user_agent text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    last_seen_at timestamptz not null
  )`,
  `create index on sessions (user_id)`,
  `create index on sessions (workspace_id)`,
  `create trigger tell_ended after delete on sessions
  for each row execute function tell_access_ended('id')`,
  // Written when somebody asks to sign in, at a limited rate; deleted a day after they expire. `operator`: the server's operator
  // printed the link, and opening it proves the address, as opening a mailed link does. `for_operator`: the link is for the
  // operator.
  `create table sign_in_links (
    token_hash bytea primary key,
    email text not null,
    next_sealed text,
    mailed boolean not null,
    newcomer boolean not null,
    operator boolean not null default false,
    for_operator boolean not null default false,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
  )`,
  `create index on sign_in_links (expires_at)`,
  `create index on sign_in_links (email) where used_at is null`
]
