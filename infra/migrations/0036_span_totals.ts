/**
 * Running totals of each monitor's states: the good and bad time before each span. The uptime of any period is the difference of two
 * totals, so it costs the same however often the state changed.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table monitor_spans
      add column good_ms bigint not null default 0,
      add column bad_ms bigint not null default 0`
  // Which states are good and which bad: see `weights` in src/domain/monitor/Uptime.ts.
  yield* sql`
    create function monitor_span_good(state text) returns boolean immutable language sql as $$
      select case when state in ('up', 'degraded') then true when state = 'down' then false end $$`
  yield* sql`
    update monitor_spans s set good_ms = totals.good, bad_ms = totals.bad
    from (
      select monitor_id, started_at,
        coalesce(sum(lasted) filter (where monitor_span_good(state)) over earlier, 0)::bigint as good,
        coalesce(sum(lasted) filter (where not monitor_span_good(state)) over earlier, 0)::bigint as bad
      from (
        select *, round(extract(epoch from coalesce(ended_at, now()) - started_at) * 1000) as lasted from monitor_spans
      ) span
      window earlier as (partition by monitor_id order by started_at rows between unbounded preceding and 1 preceding)
    ) totals
    where totals.monitor_id = s.monitor_id and totals.started_at = s.started_at and (totals.good > 0 or totals.bad > 0)`
  // A trigger, so that processes of the version before keep the totals, too. The span before ends where the new one starts.
  yield* sql`
    create function total_monitor_spans() returns trigger language plpgsql as $$
    declare
      earlier record;
      lasted bigint;
    begin
      select * into earlier from monitor_spans
      where monitor_id = new.monitor_id and started_at < new.started_at order by started_at desc limit 1;
      if not found then return new; end if;
      lasted := round(extract(epoch from coalesce(earlier.ended_at, new.started_at) - earlier.started_at) * 1000);
      new.good_ms := earlier.good_ms + case when monitor_span_good(earlier.state) then lasted else 0 end;
      new.bad_ms := earlier.bad_ms + case when not monitor_span_good(earlier.state) then lasted else 0 end;
      return new;
    end $$`
  yield* sql`
    create trigger total_spans before insert on monitor_spans for each row execute function total_monitor_spans()`
})
