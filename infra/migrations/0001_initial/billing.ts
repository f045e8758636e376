/** Billing, beside the subscription in the row of its workspace. */
export default [
  // Numbers the readings of subscriptions. Of two readings, the one started later wins.
  `create sequence subscription_readings`,
  // Written by notices of the payment provider, which repeats one until it is acknowledged; deleted once it no longer repeats
  // them.
  `create table billing_notices (
    id text primary key,
    received_at timestamptz not null
  )`,
  // Written when a workspace is deleted: its subscription, until the provider has canceled it.
  `create table subscription_ends (
    subscription_id text primary key,
    requested_at timestamptz not null
  )`
]
