/** The rollups of checks: what statistics and charts are read from. They grow with the blocks, in the same transactions. */
import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect } from "effect"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import {
  dayMs,
  decodeRollup,
  encodeRollup,
  halfHour,
  mergeRollups,
  type Rollup,
  startOf
} from "../../domain/check/history/CheckRollup.ts"
import { type CheckTally, mergeTallies } from "../../domain/check/history/CheckTally.ts"
import { mapRead, type Read, readRows, run } from "../postgres/Read.ts"
import { type FreshGroup, freshGroups, freshRollup } from "./FreshTallies.ts"

/** The rollup of new checks of one monitor within one UTC day. */
export interface RollupPart {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  /** The start of the day, ms since 1970. */
  readonly day: number
  readonly rollup: Rollup
}

interface RollupRow {
  readonly monitorId: MonitorId
  readonly day: number
  readonly data: Uint8Array
}

interface Answer {
  readonly fresh: ReadonlyArray<FreshGroup> | null
  readonly kept: ReadonlyArray<{ readonly day: number; readonly data: string }> | null
}

/** Later than any rollup, ms since 1970. */
const latest = Date.UTC(9999, 0, 1)

const keyOf = ({ day, monitorId }: Pick<RollupRow, "day" | "monitorId">): string => `${monitorId} ${day}`

export class CheckRollups extends Effect.Service<CheckRollups>()("belltower/CheckRollups", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** Adds to the rollups of one table, in stretches of `length` ms. Locks the rows in order of their keys. */
    const grow = Effect.fnUntraced(
      function*(table: "check_rollups" | "check_days", parts: ReadonlyArray<RollupPart>, length: number) {
        const before = yield* sql<RollupRow>`
        select monitor_id as "monitorId", (extract(epoch from day) * 1000)::float8 as day, data from ${sql(table)} rollup
        join (select distinct * from unnest(${parts.map(({ monitorId }) => monitorId)}::text[],
          ${parts.map(({ day }) => new Date(day))}::timestamptz[])) as one (monitor_id, day) using (monitor_id, day)
        where rollup.day = any(${[...new Set(parts.map(({ day }) => day))].map((at) => new Date(at))}::timestamptz[])
        order by monitor_id, day for update of rollup`
        const known = new Map(before.map((row) => [keyOf(row), row.data]))
        const written = parts.map((part) => {
          const data = known.get(keyOf(part))
          const merged = mergeRollups(data === undefined ? [part.rollup] : [decodeRollup(data, part.day), part.rollup], length)
          return Buffer.from(encodeRollup(merged, part.day)).toString("hex")
        })
        yield* sql`
        insert into ${sql(table)} (monitor_id, day, workspace_id, data)
        select monitor_id, day, workspace_id, decode(data, 'hex')
        from unnest(${parts.map(({ monitorId }) => monitorId)}::text[], ${parts.map(({ day }) => new Date(day))}::timestamptz[],
          ${
          parts.map(({ workspaceId }) => workspaceId)
        }::text[], ${written}::text[]) as part (monitor_id, day, workspace_id, data)
        on conflict (monitor_id, day) do update set data = excluded.data`
      }
    )

    /**
     * Half hours (or days) of a monitor since `from` until the UTC day of `to` (both ms), from rollups and from the checks that no block
     * holds yet. One statement, so that a check that becomes part of a block meanwhile counts once.
     */
    const read = (
      table: "check_rollups" | "check_days",
      workspaceId: WorkspaceId,
      monitorId: MonitorId,
      from: number,
      to: number
    ) =>
      mapRead(
        readRows(sql<Answer>`/* one plan */
          select ${freshGroups(sql, workspaceId, monitorId, from)} as fresh, (
            select json_agg(json_build_object('day', (extract(epoch from day) * 1000)::float8, 'data', encode(data, 'base64')))
            from ${sql(table)}
            where workspace_id = ${workspaceId} and monitor_id = ${monitorId} and day >= ${new Date(startOf(from, dayMs))}
              and day <= ${new Date(to)}
          ) as kept`),
        ([row]) => {
          const kept = (row?.kept ?? []).map(({ data, day }) => decodeRollup(Buffer.from(data, "base64"), day))
          return [...kept, freshRollup(row?.fresh ?? [])]
        }
      )

    /** The parts of the half hours since the one that contains `from` (ms). */
    const recent = (workspaceId: WorkspaceId, monitorId: MonitorId, from: number, to: number): Read<ReadonlyArray<Rollup>> => {
      const start = startOf(from, halfHour)
      return mapRead(
        read("check_rollups", workspaceId, monitorId, start, to),
        Arr.map((rollup): Rollup => new Map([...rollup].filter(([at]) => at >= start)))
      )
    }

    return {
      /** Adds new checks, in the caller's transaction, whose parts have distinct monitors and days. */
      add: (parts: ReadonlyArray<RollupPart>) =>
        parts.length === 0 ? Effect.void : Effect.zipRight(
          grow("check_rollups", parts, halfHour),
          grow("check_days", parts.map((part) => ({ ...part, rollup: mergeRollups([part.rollup], dayMs) })), dayMs)
        ),
      /** The half hours of a monitor from the one that contains `from` until the UTC day of `to` (ms); kept for 31 days. */
      halfHours: (workspaceId: WorkspaceId, monitorId: MonitorId, from: number, to = latest): Effect.Effect<Rollup> =>
        Effect.map(run(recent(workspaceId, monitorId, from, to)), (all) => mergeRollups(all, halfHour)),
      /** All of these half hours together. */
      readTotal: (workspaceId: WorkspaceId, monitorId: MonitorId, from: number): Read<CheckTally> =>
        mapRead(
          recent(workspaceId, monitorId, from, latest),
          (all) => mergeTallies(all.flatMap((rollup) => [...rollup.values()].flatMap((regions) => [...regions.values()])))
        ),
      /** The UTC days of a monitor from the one that contains `from` to that of `to` (ms). */
      days: (workspaceId: WorkspaceId, monitorId: MonitorId, from: number, to = latest): Effect.Effect<Rollup> =>
        Effect.map(
          run(read("check_days", workspaceId, monitorId, startOf(from, dayMs), to)),
          (all) => mergeRollups(all, dayMs)
        )
    }
  })
}) {}
