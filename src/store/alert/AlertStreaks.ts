/** The recent changes of monitors per channel: whether they flap, and when that ends. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import { ChannelId, EventId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { ChannelChange } from "../../domain/alert/DeliveryPlan.ts"
import { type Announcement, calmTime, endsAt, noStreak, type Streak, takeChange } from "../../domain/alert/Flapping.ts"
import { findAll, write } from "../postgres/Queries.ts"
import { mutedNow } from "./MuteScope.ts"

const Key = { channelId: ChannelId, monitorId: MonitorId }

const Row = Schema.Struct({
  ...Key,
  troubles: Schema.Array(Schema.DateTimeUtcFromDate),
  troubled: Schema.Boolean,
  flapping: Schema.Boolean,
  downAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  outage: Schema.Boolean,
  at: Schema.DateTimeUtcFromDate
})

const Ended = Schema.Struct({
  ...Key,
  workspaceId: WorkspaceId,
  flapping: Schema.Boolean,
  /** The last change. */
  eventId: EventId
})
export type EndedStreak = typeof Ended.Type

const keyOf = ({ channelId, monitorId }: typeof Row.Type | ChannelChange) => `${channelId} ${monitorId}`

/** The streaks ended in one transaction. */
const endBatch = 100

export class AlertStreaks extends Effect.Service<AlertStreaks>()("belltower/AlertStreaks", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const locked = findAll(Row, (channelIds: ReadonlyArray<ChannelId>, monitorIds: ReadonlyArray<MonitorId>) =>
      sql`
        select channel_id as "channelId", monitor_id as "monitorId", troubles, troubled, flapping, down_at as "downAt", outage,
               changed_at as at
        from alert_streaks s
        join (select distinct * from unnest(${channelIds}::text[], ${monitorIds}::text[])) as one (channel_id, monitor_id)
          using (channel_id, monitor_id)
        order by channel_id, monitor_id for update of s`)

    /** Makes the missing rows before they are locked, so that two transactions that see the first change of a monitor count both. */
    const create = (changes: ReadonlyArray<ChannelChange>) =>
      sql`
      insert into alert_streaks (channel_id, monitor_id, workspace_id, troubles, troubled, flapping, changed_at, ends_at,
                                 last_event_id)
      select channel_id, monitor_id, workspace_id, '{}', false, false, at, 'infinity', event_id
      from unnest(${changes.map(({ channelId }) => channelId)}::text[], ${changes.map(({ monitorId }) => monitorId)}::text[],
                  ${changes.map(({ workspaceId }) => workspaceId)}::text[],
                  ${changes.map(({ at }) => DateTime.toDateUtc(at))}::timestamptz[],
                  ${changes.map(({ eventId }) => eventId)}::text[]) as c (channel_id, monitor_id, workspace_id, at, event_id)
      order by channel_id, monitor_id
      on conflict (channel_id, monitor_id) do nothing`

    const update = (streaks: ReadonlyArray<{ readonly change: ChannelChange; readonly streak: Streak }>) =>
      sql`
      update alert_streaks s
      set troubles = array(select t::timestamptz from jsonb_array_elements_text(n.troubles) as t), troubled = n.troubled,
          flapping = n.flapping, down_at = n.down_at, outage = n.outage, changed_at = n.at, ends_at = n.ends_at, last_event_id = n.event_id
      from unnest(${streaks.map(({ change }) => change.channelId)}::text[],
                  ${streaks.map(({ change }) => change.monitorId)}::text[],
                  ${streaks.map(({ streak }) => JSON.stringify(streak.troubles.map(DateTime.formatIso)))}::jsonb[],
                  ${streaks.map(({ streak }) => streak.troubled)}::boolean[],
                  ${streaks.map(({ streak }) => streak.flapping)}::boolean[],
                  ${streaks.map(({ streak: { downAt } }) => downAt === null ? null : DateTime.toDateUtc(downAt))}::timestamptz[],
                  ${streaks.map(({ streak }) => streak.outage)}::boolean[],
                  ${streaks.map(({ streak }) => DateTime.toDateUtc(streak.at))}::timestamptz[],
                  ${streaks.map(({ streak }) => DateTime.toDateUtc(endsAt(streak)))}::timestamptz[],
                  ${streaks.map(({ change }) => change.eventId)}::text[])
        as n (channel_id, monitor_id, troubles, troubled, flapping, down_at, outage, at, ends_at, event_id)
      where s.channel_id = n.channel_id and s.monitor_id = n.monitor_id`

    return {
      /** Decides which alert each change becomes, in the caller's transaction. The changes of one monitor are in order. */
      announce: Effect.fn("AlertStreaks.announce")(function*(changes: ReadonlyArray<ChannelChange>) {
        if (changes.length === 0) return []
        yield* create(changes)
        const rows = yield* locked(changes.map(({ channelId }) => channelId), changes.map(({ monitorId }) => monitorId))
        const streaks = new Map<string, Streak>(rows.map((row) => [keyOf(row), row]))
        const after = new Map<string, { readonly change: ChannelChange; readonly streak: Streak }>()
        const announcements = changes.map((change): Announcement => {
          const { streak, announcement } = takeChange(streaks.get(keyOf(change)) ?? noStreak(change.at), change)
          streaks.set(keyOf(change), streak)
          after.set(keyOf(change), { change, streak })
          return announcement
        })
        yield* update([...after.values()])
        return announcements
      }, Effect.orDie),
      /** Forgets the streaks of monitors that were paused or deleted: that these are stable is not reported. */
      forget: (workspaceIds: ReadonlyArray<WorkspaceId>, monitorIds: ReadonlyArray<MonitorId>): Effect.Effect<void> =>
        monitorIds.length === 0 ? Effect.void : write(sql`
          delete from alert_streaks
          where workspace_id = any(${workspaceIds}::text[]) and monitor_id = any(${monitorIds}::text[])`),
      /**
       * Ends up to 100 streaks of a workspace that are due at `now`, in the caller's transaction; of none in `except`. While alerts of a
       * monitor are kept back nobody sees whether it is stable, so its streak ends a calm time after that: while it is muted, and while it
       * is in another state than the channel's last alert says, because one waits for a parent or the end of quiet hours. One that was
       * paused or deleted before its last alert was fanned out flaps no longer.
       */
      endDue: findAll(Ended, (now: DateTime.Utc, except: ReadonlyArray<WorkspaceId>) =>
        sql`
        with first as materialized (
          select workspace_id from alert_streaks
          where ends_at <= ${DateTime.toDateUtc(now)} and workspace_id <> all(${except}::text[])
          order by ends_at limit 1 for update skip locked
        ), due as materialized (
          select channel_id, monitor_id, flapping, last_event_id from alert_streaks
          where ends_at <= ${DateTime.toDateUtc(now)} and workspace_id = (select workspace_id from first)
          order by ends_at limit ${endBatch} for update skip locked
        ), muted as materialized (
          ${mutedNow(sql, sql`(select workspace_id from first)`, sql`select monitor_id from due`)}
        ), unseen as materialized (
          select channel_id, monitor_id, until from due join muted using (monitor_id)
          union all
          select due.channel_id, due.monitor_id, ${DateTime.toDateUtc(now)}::timestamptz
          from due
          join events e on e.workspace_id = (select workspace_id from first) and e.id = due.last_event_id
          join monitor_states s on s.workspace_id = e.workspace_id and s.monitor_id = due.monitor_id
          where due.flapping and s.state in ('up', 'degraded', 'down') and s.state <> e.data -> 'monitor' ->> 'state'
            and not exists (select from muted where muted.monitor_id = due.monitor_id)
        ), later as (
          update alert_streaks s set ends_at = unseen.until + make_interval(secs => ${Duration.toSeconds(calmTime)})
          from unseen
          where s.channel_id = unseen.channel_id and s.monitor_id = unseen.monitor_id
        )
        delete from alert_streaks s using due
        where s.channel_id = due.channel_id and s.monitor_id = due.monitor_id
          and not exists (select from unseen where unseen.channel_id = due.channel_id and unseen.monitor_id = due.monitor_id)
        returning s.channel_id as "channelId", s.monitor_id as "monitorId", s.workspace_id as "workspaceId",
                  s.flapping and exists (
                    select from monitors m where m.workspace_id = s.workspace_id and m.id = s.monitor_id and not m.paused
                  ) as flapping, s.last_event_id as "eventId"`)
    }
  })
}) {}
