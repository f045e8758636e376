/**
 * Mails wait by priority and by workspace, so that a claim finds whose turn it is without reading what waits: `ready` mails in one
 * index, and those that a worker holds or that wait for a retry in another.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // A process of the version before does not know the kind of its mails: they go in the middle. See `priorityNumber` in
  // src/domain/mail/MailSlots.ts.
  yield* sql`
    alter table mails
      add column priority smallint not null default 1 check (priority between 0 and 2),
      add column ready boolean not null default true`
  yield* sql`
    create index mails_ready_idx on mails (priority, coalesce(workspace_id, '-'), due_at) where status = 'due' and ready`
  yield* sql`create index mails_later_idx on mails (priority, due_at) where status = 'due' and not ready`
  // Before the trigger: what is held or retried while the version before runs.
  yield* sql`update mails set ready = false where status = 'due' and due_at > now()`
  // A trigger, so that mails that the version before holds or retries leave the index of ready mails, too.
  yield* sql`
    create function put_mail_off() returns trigger language plpgsql as $$
    begin
      new.ready := false;
      return new;
    end $$`
  yield* sql`
    create trigger put_mail_off before update of due_at on mails
    for each row when (new.due_at > old.due_at) execute function put_mail_off()`
})
