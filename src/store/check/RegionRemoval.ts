/** Removes a region that is gone for good, which concerns the monitors of all workspaces: only the operator may do it. */
import { SqlClient } from "@effect/sql"
import { Data, Effect } from "effect"
import type { RegionId } from "../../../schema/check/Region.ts"
import { beatSilence } from "../../domain/check/round/RegionWatch.ts"
import { counted } from "../../domain/tools/text/Counted.ts"
import { assignmentsSignal, mergedFormerRegions } from "../monitor/Monitors.ts"
import { Signals } from "../postgres/Signals.ts"

/** The region cannot be removed. `message` is for the operator. */
class RegionKept extends Data.TaggedError("RegionKept")<{ readonly message: string }> {}

/** Monitors that are moved in one transaction. */
const step = 500

interface Known {
  readonly silentMs: number | null
}
interface Users {
  readonly monitors: number
  readonly workspaces: number
  readonly example: string | null
}

export class RegionRemoval extends Effect.Service<RegionRemoval>()("belltower/RegionRemoval", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    const requireKnown = Effect.fnUntraced(function*(region: RegionId) {
      const [known] = yield* sql<Known>`
        select extract(epoch from now() - last_beat_at)::float8 * 1000 as "silentMs" from regions where id = ${region}`
      if (known !== undefined) return known
      const all = yield* sql<{ readonly id: string }>`select id from regions order by id`
      return yield* new RegionKept({
        message: `There is no region ${region}. Known regions: ${all.map(({ id }) => id).join(", ") || "none"}.`
      })
    })

    /** By the index of monitors by region. */
    const usersOf = (region: RegionId) =>
      Effect.map(
        sql<Users>`
          select count(*)::int as monitors, count(distinct workspace_id)::int as workspaces, min(id) as example
          from monitors where regions @> array[${region}]::text[]`,
        ([users]) => users ?? { monitors: 0, workspaces: 0, example: null }
      )

    /** Replaces the region in some monitors; returns how many. Probes and actors get the monitors again. */
    const moveSome = (from: RegionId, to: RegionId) =>
      sql.withTransaction(Effect.map(
        sql`
          with chosen as materialized (
            select id, regions from monitors where regions @> array[${from}]::text[] order by id limit ${step} for update
          ), moved as (
            update monitors m set updated_at = now(), revision = revision + 1, regions = (
              select array_agg(region order by ordinal) from (
                select case when region = ${from} then ${to} else region end as region, min(ordinal) as ordinal
                from unnest(m.regions) with ordinality as named (region, ordinal) group by 1
              ) as named
            )
            where id in (select id from chosen) returning id, workspace_id
          )
          insert into assignment_outbox (monitor_id, workspace_id, is_new, former_regions)
          select moved.id, moved.workspace_id, false, chosen.regions from moved join chosen using (id)
          on conflict (monitor_id) do update set sequence = default, is_new = false,
            former_regions = ${sql.literal(mergedFormerRegions)}
          returning monitor_id`,
        (rows) => rows.length
      ))

    /**
     * Removes the region, after its monitors have moved to another one if there is one. Returns how many have moved. Fails while
     * probes of the region beat, or while monitors name it.
     */
    const remove = Effect.fn("RegionRemoval.remove")(function*(region: RegionId, to: RegionId | null) {
      const { silentMs } = yield* requireKnown(region)
      if (silentMs !== null && silentMs < beatSilence) {
        return yield* new RegionKept({
          message:
            `Probes of the region ${region} are running: the last beat was ${Math.max(0, Math.round(silentMs / 1000))} s ago. ` +
            `Stop them, wait ${beatSilence / 1000} s, then try again.`
        })
      }
      if (to === region) return yield* new RegionKept({ message: "Monitors must move to another region than the removed one." })
      if (to !== null) yield* requireKnown(to)
      const users = yield* usersOf(region)
      if (users.monitors > 0 && to === null) {
        return yield* new RegionKept({
          message:
            `${counted(users.monitors, "monitor")} of ${
              counted(users.workspaces, "workspace")
            } would no longer be checked from the region ${region}, ` +
            `for example ${users.example}. To have another region check them, add --move-to <region>.`
        })
      }
      let moved = 0
      if (to !== null) {
        let last = step
        while (last > 0) {
          last = yield* moveSome(region, to)
          moved += last
          yield* signals.send(assignmentsSignal)
        }
      }
      yield* sql`
        delete from regions where id = ${region} and not exists (select from monitors where regions @> array[${region}]::text[])`
      return moved
    }, Effect.catchTag("SqlError", Effect.die))

    return { remove }
  })
}) {}
