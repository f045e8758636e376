/** The rows of on-call schedules and their overrides. */
import { SqlClient, type Statement } from "@effect/sql"
import { Array as Arr, DateTime, Effect, Schema } from "effect"
import { OverrideId, ScheduleId, type UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { rotationFields, StoredRotation } from "../../../schema/oncall/Rotation.ts"
import { Override, scheduleFields } from "../../../schema/oncall/Schedule.ts"
import { mint } from "../Mint.ts"
import { atNow, exists, findAll, findOne, write } from "../postgres/Queries.ts"
import { settingsTable } from "../SettingsTable.ts"

export const ScheduleRow = Schema.Struct({
  ...scheduleFields,
  /** Part of the address of the feed; a new one replaces it. */
  feedVersion: Schema.Int,
  activeFrom: Schema.NullOr(Schema.DateTimeUtcFromDate),
  activeUntil: Schema.NullOr(Schema.DateTimeUtcFromDate),
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

/** A rotation that was changed, and the time in which it applied. */
const PeriodRow = Schema.Struct({
  scheduleId: ScheduleId,
  start: Schema.DateTimeUtcFromDate,
  end: Schema.DateTimeUtcFromDate,
  rotation: StoredRotation
})

const encodeRotation = Schema.encodeSync(Schema.parseJson(StoredRotation))
const encodeLayers = Schema.encodeSync(Schema.parseJson(rotationFields.layers))

/** Rotations that a schedule keeps of those that were changed. */
const mostRotations = 500

/** The caller's part of a schedule. */
export interface ScheduleSettings extends StoredRotation {
  readonly name: string
}

type StoredSettings = ScheduleSettings & Pick<ScheduleRow, "feedVersion">

export interface OverrideDraft {
  readonly userId: UserId
  readonly insteadOf: UserId | null
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
  readonly note: string | null
}

const columns = `
  id, name, timezone, handoff_day as "handoffDay", handoff_time as "handoffTime", participants, start_day as "startDay",
  turn_unit as "turnUnit", turn_length as "turnLength", at_once as "atOnce", hours, active_from as "activeFrom",
  active_until as "activeUntil", layers, feed_version as "feedVersion", created_at as "createdAt", updated_at as "updatedAt"`

const overrideColumns = `
  id, schedule_id as "scheduleId", user_id as "userId", instead_of as "insteadOf", start_at as start, end_at as "end", note, created_at as "createdAt"`

/** How many of these overrides had not ended. One that has begun ends now instead: who was on call does not change. */
const endOverrides = (sql: SqlClient.SqlClient, workspaceId: WorkspaceId, which: Statement.Fragment) =>
  Effect.gen(function*() {
    const now = DateTime.toDateUtc(yield* DateTime.now)
    const ended = yield* sql`
      update oncall_overrides set end_at = ${now}::timestamptz
      where workspace_id = ${workspaceId} and ${which}
        and start_at < ${now}::timestamptz and end_at > ${now}::timestamptz returning 1`
    const gone = yield* sql`
      delete from oncall_overrides
      where workspace_id = ${workspaceId} and ${which} and start_at >= ${now}::timestamptz returning 1`
    return ended.length + gone.length
  }).pipe(Effect.orDie)

const makeOverrides = (sql: SqlClient.SqlClient) => ({
  /** Adds overrides, all created at `at`; of two that overlap, the later one of the list wins. */
  addOverrides: Effect.fn("Schedules.addOverrides")(
    function*(workspaceId: WorkspaceId, scheduleId: ScheduleId, drafts: ReadonlyArray<OverrideDraft>, at: DateTime.Utc) {
      // Ids decide between overrides of one instant.
      const ids = (yield* Effect.forEach(drafts, () => mint("ovr", OverrideId))).sort()
      const added = Arr.zipWith(drafts, ids, (draft, id): Override => ({ id, scheduleId, ...draft, createdAt: at }))
      yield* sql`
        insert into oncall_overrides (id, workspace_id, schedule_id, user_id, instead_of, start_at, end_at, note, created_at)
        select o.id, ${workspaceId}, ${scheduleId}, o.user_id, o.instead_of, o.start_at, o.end_at, o.note, ${
        DateTime.toDateUtc(at)
      }
        from unnest(${ids}::text[], ${drafts.map(({ userId }) => userId)}::text[],
                    ${drafts.map(({ insteadOf }) => insteadOf)}::text[],
                    ${drafts.map(({ start }) => DateTime.toDateUtc(start))}::timestamptz[],
                    ${drafts.map(({ end }) => DateTime.toDateUtc(end))}::timestamptz[],
                    ${drafts.map(({ note }) => note)}::text[]) o(id, user_id, instead_of, start_at, end_at, note)`
      return added
    },
    Effect.orDie
  ),
  /** Returns how many had not ended. */
  removeOverrides: (workspaceId: WorkspaceId, scheduleId: ScheduleId, ids: ReadonlyArray<OverrideId>) =>
    endOverrides(sql, workspaceId, sql`schedule_id = ${scheduleId} and id = any(${ids}::text[])`),
  /** Ends the overrides that put someone on call, in all schedules. */
  endOverridesOf: (workspaceId: WorkspaceId, userId: UserId) => endOverrides(sql, workspaceId, sql`user_id = ${userId}`)
})

const makeRotations = (sql: SqlClient.SqlClient) => ({
  /** Keeps a rotation that applied up to `now`: from when the one before it ended, or the schedule was made. */
  keepRotation: Effect.fn("Schedules.keepRotation")(
    function*(workspaceId: WorkspaceId, id: ScheduleId, rotation: StoredRotation, now: DateTime.Utc) {
      const until = DateTime.toDateUtc(now)
      yield* sql`
        insert into oncall_rotations (schedule_id, workspace_id, since, until, rotation)
        select s.id, s.workspace_id, coalesce((select max(r.until) from oncall_rotations r where r.schedule_id = s.id), s.created_at),
               ${until}, ${encodeRotation(rotation)}::jsonb
        from oncall_schedules s where s.workspace_id = ${workspaceId} and s.id = ${id}
        on conflict do nothing`
      yield* sql`
        delete from oncall_rotations where workspace_id = ${workspaceId} and schedule_id = ${id} and until <= (
          select until from oncall_rotations where schedule_id = ${id} order by until desc offset ${mostRotations} limit 1)`
    },
    Effect.orDie
  ),
  /** The rotations of these schedules that applied before they were changed, and ended after `after`, in order. */
  rotations: findAll(PeriodRow, (workspaceId: WorkspaceId, ids: ReadonlyArray<ScheduleId>, after: DateTime.Utc) =>
    sql`
      select schedule_id as "scheduleId", since as start, until as "end", rotation from oncall_rotations
      where workspace_id = ${workspaceId} and schedule_id = any(${ids}::text[]) and until > ${DateTime.toDateUtc(after)}
      order by schedule_id, until`)
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
      values: ({ activeFrom, activeUntil, feedVersion, hours, layers, participants, ...others }) => ({
        name: others.name,
        timezone: others.timezone,
        handoff_day: others.handoffDay,
        handoff_time: others.handoffTime,
        participants,
        start_day: others.startDay,
        turn_unit: others.turnUnit,
        turn_length: others.turnLength,
        at_once: others.atOnce,
        hours: JSON.stringify(hours),
        active_from: activeFrom === null ? null : DateTime.toDateUtc(activeFrom),
        active_until: activeUntil === null ? null : DateTime.toDateUtc(activeUntil),
        layers: encodeLayers(layers),
        feed_version: feedVersion
      }),
      orderBy: "id"
    })

    return {
      ...makeOverrides(sql),
      ...makeRotations(sql),
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
