/**
 * Which monitors each region checks, the most frequent first, so that what a workspace's monitors see of a region is found without
 * a look at all of them.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table monitor_regions (
      workspace_id text not null,
      region text not null,
      interval_sec int not null,
      monitor_id text not null,
      primary key (workspace_id, region, interval_sec, monitor_id)
    )`
  yield* sql`
    insert into monitor_regions (workspace_id, region, interval_sec, monitor_id)
    select distinct workspace_id, region, interval_sec, id from monitors, unnest(regions) as region
    where not paused and kind <> 'heartbeat'`
  // A trigger, so that processes of the version before keep it, too.
  yield* sql`
    create function place_monitor_regions() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        delete from monitor_regions where workspace_id = old.workspace_id and region = any(old.regions)
          and interval_sec = old.interval_sec and monitor_id = old.id;
      end if;
      if tg_op <> 'DELETE' and not new.paused and new.kind <> 'heartbeat' then
        insert into monitor_regions (workspace_id, region, interval_sec, monitor_id)
        select distinct new.workspace_id, region, new.interval_sec, new.id from unnest(new.regions) as region;
      end if;
      return null;
    end $$`
  yield* sql`
    create trigger placed_monitor_regions after insert or delete or update of regions, interval_sec, paused, kind on monitors
    for each row execute function place_monitor_regions()`
})
