/** The rows of mutes. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema, Struct } from "effect"
import { type MuteId, WorkspaceId } from "../../../schema/Ids.ts"
import { Mute } from "../../../schema/mute/Mute.ts"
import { findAll, findOne } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { waitingAlertsSignal } from "./WaitingAlertsSignal.ts"

const at = Schema.DateTimeUtcFromDate

const Row = Schema.Struct({
  ...Struct.omit(Mute.fields, "updatedAt", "durationSec"),
  until: at,
  endedAt: Schema.NullOr(at),
  createdAt: at
})

const RowOfWorkspace = Schema.Struct({ ...Row.fields, workspaceId: WorkspaceId })

const columns = `
  id, monitor_ids as "monitorIds", tags, everything as "all", reason, until, made_by as by, ended_at as "endedAt",
  created_at as "createdAt"`

const recordOf = (row: typeof Row.Type): Mute => ({
  ...row,
  durationSec: Math.round(DateTime.distance(row.createdAt, row.until) / 1000),
  updatedAt: row.endedAt ?? row.createdAt
})

/** A workspace keeps its newest mutes; older ones are deleted as new ones come. */
const mostKept = 1_000

/** Mutes that one transaction ends. */
const endBatch = 50

export interface MuteFilter {
  readonly active: boolean
  readonly before: MuteId | null
  readonly limit: number
}

export class Mutes extends Effect.Service<Mutes>()("belltower/Mutes", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    const find = findOne(
      Row,
      (workspaceId: WorkspaceId, id: MuteId) =>
        sql`select ${sql.literal(columns)} from mutes where workspace_id = ${workspaceId} and id = ${id}`
    )

    const list = findAll(Row, (workspaceId: WorkspaceId, { active, before, limit }: MuteFilter) =>
      sql`
      select ${sql.literal(columns)} from mutes
      where ${
        sql.and([
          sql`workspace_id = ${workspaceId}`,
          ...(active ? [sql`ended_at is null`] : []),
          ...(before === null ? [] : [sql`id < ${before}`])
        ])
      }
      order by id desc limit ${limit}`)

    const end = findOne(Row, (workspaceId: WorkspaceId, id: MuteId, now: DateTime.Utc) =>
      sql`
      update mutes set ended_at = ${
        DateTime.toDateUtc(now)
      } where workspace_id = ${workspaceId} and id = ${id} and ended_at is null
      returning ${sql.literal(columns)}`)

    const endDue = findAll(RowOfWorkspace, (now: DateTime.Utc, except: ReadonlyArray<WorkspaceId>) =>
      sql`
      with first as materialized (
        select workspace_id from mutes
        where ended_at is null and until <= ${DateTime.toDateUtc(now)} and workspace_id <> all(${except}::text[])
        order by until limit 1 for update skip locked
      ), due as materialized (
        select id from mutes
        where ended_at is null and until <= ${DateTime.toDateUtc(now)} and workspace_id = (select workspace_id from first)
        order by until limit ${endBatch} for update skip locked
      )
      update mutes set ended_at = until where id in (select id from due)
      returning workspace_id as "workspaceId", ${sql.literal(columns)}`)

    const mapped = Effect.map((found: ReadonlyArray<typeof Row.Type>) => found.map(recordOf))

    return {
      find: (workspaceId: WorkspaceId, id: MuteId) => Effect.map(find(workspaceId, id), (found) => Option.map(found, recordOf)),
      /** Newest first. */
      list: (workspaceId: WorkspaceId, filter: MuteFilter) => mapped(list(workspaceId, filter)),
      insert: Effect.fn("Mutes.insert")(function*(workspaceId: WorkspaceId, mute: Mute) {
        yield* sql`
          insert into mutes (id, workspace_id, monitor_ids, tags, everything, reason, made_by, created_at, until)
          values (${mute.id}, ${workspaceId}, ${[...mute.monitorIds]}::text[], ${[...mute.tags]}::text[], ${mute.all},
                  ${mute.reason}, ${mute.by}, ${DateTime.toDateUtc(mute.createdAt)}, ${DateTime.toDateUtc(mute.until)})`
        yield* sql`
          delete from mutes where id in (
            select id from mutes where workspace_id = ${workspaceId} and ended_at is not null
            order by id desc offset ${mostKept} limit 100)`
        // The loop that ends mutes sleeps until the next end that it knows.
        yield* signals.send(waitingAlertsSignal)
      }, Effect.orDie),
      /** Ends a running mute; none if it does not run. */
      end: (workspaceId: WorkspaceId, id: MuteId, now: DateTime.Utc) =>
        Effect.map(end(workspaceId, id, now), (found) => Option.map(found, recordOf)),
      /** Ends mutes of one workspace whose time is over, in the caller's transaction; of none in `except`. */
      endDue: (now: DateTime.Utc, except: ReadonlyArray<WorkspaceId>) =>
        Effect.map(
          endDue(now, except),
          (found) => found.map(({ workspaceId, ...row }) => ({ workspaceId, mute: recordOf(row) }))
        )
    }
  })
}) {}
