/** Status pages. */
export default [
  // Written by people, agents, plans and imports; bounded by the plan and the cap of pages. Two pages may name the same domain;
  // only the one that proves it by DNS may use it.
  `create table pages (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    name text not null,
    slug text not null unique,
    description text,
    custom_domain text,
    domain_verified_at timestamptz,
    visibility text not null,
    password_hash text,
    password_set_at timestamptz,
    theme jsonb not null,
    branding jsonb not null,
    settings jsonb not null,
    seo jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create index on pages (workspace_id, id)`,
  `create index on pages (custom_domain)`,
  `create unique index pages_verified_domain on pages (custom_domain) where domain_verified_at is not null`
]
