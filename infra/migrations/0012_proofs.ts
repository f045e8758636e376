/** How addresses were proved, the claim links that can be shown again, and custom domains that only bind once verified. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // A link that the server's operator printed. Opening it proves the address, as opening a mailed link does.
  yield* sql`alter table sign_in_links add column operator boolean not null default false`
  yield* sql`create index on sign_in_links (email) where used_at is null`
  // Whether the token was only in an email that is really sent, so that opening it proves the address.
  yield* sql`alter table invitations add column mailed boolean not null default false`
  yield* sql`create index on invitations (invited_by)`
  // Set on an account that was made without proof for an address that another account holds. Its `email` is then a
  // placeholder that nothing else matches, and this is the address that its owner typed.
  yield* sql`alter table users add column shown_email text`

  // Kept while the workspace is unclaimed.
  yield* sql`alter table workspaces add column claim_token_sealed text`

  // Two pages may name the same domain; only the one that proves it by DNS may use it.
  yield* sql`alter table pages add column domain_verified_at timestamptz`
  yield* sql`alter table pages drop constraint if exists pages_custom_domain_key`
  yield* sql`create index on pages (custom_domain)`
  yield* sql`create unique index pages_verified_domain on pages (custom_domain) where domain_verified_at is not null`
})
