/** Verified domains: every custom domain that a page has verified, and when DNS is asked about it again. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // First the lock on pages, which the triggers need. One row for each domain; it stays when the domain is released.
  `lock table pages in share row exclusive mode`,
  // `due_at` is null while no page holds the domain. `failures`: in a row, so many times DNS did not name or reach the page.
  `create table verified_domains (
    domain text primary key,
    due_at timestamptz,
    failures smallint not null default 0
  )`,
  `create index due_domains on verified_domains (due_at) where due_at is not null`,
  // Written by triggers, so no code path that verifies a domain can omit it, and none of an older release.
  `create function keep_verified_domain() returns trigger language plpgsql as $$
  begin
    insert into verified_domains (domain, due_at) values (new.custom_domain, new.domain_verified_at + interval '1 day')
    on conflict (domain) do update set due_at = excluded.due_at, failures = 0;
    return null;
  end $$`,
  `create trigger keep_new_domain after insert on pages for each row
  when (new.domain_verified_at is not null and new.custom_domain is not null) execute function keep_verified_domain()`,
  `create trigger keep_verified_domain after update of custom_domain, domain_verified_at on pages for each row
  when (new.domain_verified_at is not null and new.custom_domain is not null
    and (old.domain_verified_at is distinct from new.domain_verified_at or old.custom_domain is distinct from new.custom_domain))
  execute function keep_verified_domain()`,
  // Those verified before are asked about within the first day, evenly.
  `insert into verified_domains (domain, due_at)
  select custom_domain, now() + random() * interval '1 day' from pages
  where domain_verified_at is not null and custom_domain is not null`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
