/** The rows of on-call schedules and their overrides. */
import { SqlClient } from "@effect/sql"
import { Array as Arr, DateTime, Effect, Schema } from "effect"
import { OverrideId, ScheduleId, type UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { Override, scheduleFields } from "../../../schema/oncall/Schedule.ts"
import type { RotationSettings } from "../../domain/oncall/Rotation.ts"
import { mint } from "../Mint.ts"
import { atNow, exists, findAll, findOne, write } from "../postgres/Queries.ts"
import { settingsTable } from "../SettingsTable.ts"

export const ScheduleRow = Schema.Struct({
  ...scheduleFields,
  /** Part of the address of the feed; a new one replaces it. */
  feedVersion: Schema.Int,
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate
})
export type ScheduleRow = typeof ScheduleRow.Type

/** A schedule with its workspace, as its feed finds it. */
const FeedRow = Schema.Struct({ ...ScheduleRow.fields, workspaceId: WorkspaceId })

const OverrideRow = Schema.Struct({
  ...Override.fields,
  start: Schema.DateTimeUtcFromDate,
  end: Schema.DateTimeUtcFromDate,
  createdAt: Schema.DateTimeUtcFromDate
})

/** The caller's part of a schedule. */
export interface ScheduleSettings extends RotationSettings {
  readonly name: string
}

type StoredSettings = ScheduleSettings & Pick<ScheduleRow, "feedVersion">

export interface OverrideDraft {
  readonly userId: UserId
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
  readonly note: string | null
}

const columns = `
  id, name, timezone, handoff_day as "handoffDay", handoff_time as "handoffTime", participants, start_day as "startDay",
  feed_version as "feedVersion", created_at as "createdAt", updated_at as "updatedAt"`

const overrideColumns = `
  id, schedule_id as "scheduleId", user_id as "userId", start_at as start, end_at as "end", note, created_at as "createdAt"`

const makeOverrides = (sql: SqlClient.SqlClient) => ({
  /** Adds overrides, all created at `at`; of two that overlap, the later one of the list wins. */
  addOverrides: Effect.fn("Schedules.addOverrides")(
    function*(workspaceId: WorkspaceId, scheduleId: ScheduleId, drafts: ReadonlyArray<OverrideDraft>, at: DateTime.Utc) {
      // Ids decide between overrides of one instant.
      const ids = (yield* Effect.forEach(drafts, () => mint("ovr", OverrideId))).sort()
      const added = Arr.zipWith(drafts, ids, (draft, id): Override => ({ id, scheduleId, ...draft, createdAt: at }))
      yield* sql`
        insert into oncall_overrides (id, workspace_id, schedule_id, user_id, start_at, end_at, note, created_at)
        select o.id, ${workspaceId}, ${scheduleId}, o.user_id, o.start_at, o.end_at, o.note, ${DateTime.toDateUtc(at)}
        from unnest(${ids}::text[], ${drafts.map(({ userId }) => userId)}::text[],
                    ${drafts.map(({ start }) => DateTime.toDateUtc(start))}::timestamptz[],
                    ${drafts.map(({ end }) => DateTime.toDateUtc(end))}::timestamptz[],
                    ${drafts.map(({ note }) => note)}::text[]) o(id, user_id, start_at, end_at, note)`
      return added
    },
    Effect.orDie
  ),
  /** How many of the overrides the schedule had. */
  removeOverrides: Effect.fn("Schedules.removeOverrides")(
    function*(workspaceId: WorkspaceId, scheduleId: ScheduleId, ids: ReadonlyArray<OverrideId>) {
      const gone = yield* sql`
        delete from oncall_overrides
        where workspace_id = ${workspaceId} and schedule_id = ${scheduleId} and id = any(${ids}::text[]) returning 1`
      return gone.length
    },
    Effect.orDie
  )
})

export class Schedules extends Effect.Service<Schedules>()("belltower/Schedules", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const selected = sql.literal(columns)
    const { find, insert, list, remove, update } = settingsTable<ScheduleId, StoredSettings, typeof ScheduleRow.Encoded>(sql, {
      table: "oncall_schedules",
      row: ScheduleRow,
      newId: mint("sch", ScheduleId),
      columns,
      values: ({ feedVersion, handoffDay, handoffTime, name, participants, startDay, timezone }) => ({
        name,
        timezone,
        handoff_day: handoffDay,
        handoff_time: handoffTime,
        participants,
        start_day: startDay,
        feed_version: feedVersion
      }),
      orderBy: "id"
    })

    return {
      ...makeOverrides(sql),
      find,
      /** Oldest first. */
      list,
      remove,
      update,
      insert: (workspaceId: WorkspaceId, settings: ScheduleSettings, now: DateTime.Utc) =>
        Effect.map(insert(workspaceId, { ...settings, feedVersion: 1 }, now), ({ id }) => id),
      lock: findOne(
        ScheduleRow,
        (workspaceId: WorkspaceId, id: ScheduleId) =>
          sql`select ${selected} from oncall_schedules where workspace_id = ${workspaceId} and id = ${id} for no key update`
      ),
      /** Locks all schedules, so that nobody else changes them or adds overrides; caps bound their number. */
      lockAll: (workspaceId: WorkspaceId) =>
        write(sql`
          select 1 from oncall_schedules where workspace_id = ${workspaceId} order by id for no key update`),
      /** The schedule of a feed, whose address is the credential. */
      ofFeed: findOne(
        FeedRow,
        (id: ScheduleId) => sql`select ${selected}, workspace_id as "workspaceId" from oncall_schedules where id = ${id}`
      ),
      /** Whether the member or key of an id may still read the workspace's schedules. */
      mayRead: (workspaceId: WorkspaceId, reader: string) =>
        exists(atNow((now) =>
          sql`
        select from memberships where workspace_id = ${workspaceId} and user_id = ${reader}
        union all
        select from api_keys k where k.workspace_id = ${workspaceId} and k.id = ${reader}
          and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})
          and (k.created_by is null or exists (
            select from memberships m where m.workspace_id = k.workspace_id and m.user_id = k.created_by))`
        )),
      /** The overrides that end after `after`, by their start; a cap bounds their number. */
      overrides: findAll(OverrideRow, (workspaceId: WorkspaceId, ids: ReadonlyArray<ScheduleId>, after: DateTime.Utc) =>
        sql`
        select ${sql.literal(overrideColumns)} from oncall_overrides
        where workspace_id = ${workspaceId} and schedule_id = any(${ids}::text[]) and end_at > ${DateTime.toDateUtc(after)}
        order by start_at, id`)
    }
  })
}) {}
