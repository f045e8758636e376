/** The newest checks in each region of a sample of a workspace's monitors. What a read costs depends on the regions alone. */
import { SqlClient } from "@effect/sql"
import { Effect, Struct } from "effect"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { RegionCheck } from "../../domain/check/round/RegionResults.ts"
import { gather } from "../../domain/tools/Gather.ts"
import { Checks } from "./Checks.ts"

/** Monitors of a region that are looked at: those with the shortest interval, so that the newest check is among theirs. */
const sampled = 10

/** Rows of a monitor that are looked through: two rounds of a monitor with the most regions. */
const lookThrough = 20

/** Checks of one monitor that are looked through where no row is new enough. */
const lookBack = 200

interface SampleRow extends RegionCheck {
  readonly region: RegionId
  readonly found: boolean
}

const shown = (check: RegionCheck): RegionCheck => Struct.pick(check, "id", "monitorId", "at", "outcome", "latencyMs")

export class RegionChecks extends Effect.Service<RegionChecks>()("belltower/RegionChecks", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const checks = yield* Checks

    /** One row per sampled monitor. By the primary key of monitor_regions and the index on (monitor_id, at) of checks. */
    const sample = (workspaceId: WorkspaceId, regions: ReadonlyArray<RegionId>) =>
      Effect.orDie(sql<SampleRow>`
        select r.region, m.monitor_id as "monitorId", c.id is not null as found, c.id,
          (extract(epoch from c.at) * 1000)::float8 as at, c.outcome, c.latency_ms as "latencyMs"
        from unnest(${regions}::text[]) as r (region)
        cross join lateral (
          select monitor_id, interval_sec from monitor_regions where workspace_id = ${workspaceId} and region = r.region
          order by interval_sec, monitor_id limit ${sampled}
        ) m
        left join lateral (
          select * from (
            select id, at, region, outcome, latency_ms from checks
            where workspace_id = ${workspaceId} and monitor_id = m.monitor_id order by at desc limit ${lookThrough}
          ) newest
          where newest.region = r.region order by at desc limit 1
        ) c on true
        order by r.region, m.interval_sec, m.monitor_id`)

    /** The last check of the most frequent monitor, also if it is in a block already. */
    const older = (workspaceId: WorkspaceId, region: RegionId, monitorId: MonitorId) =>
      Effect.map(
        checks.list(workspaceId, monitorId, { outcome: null, before: null, limit: lookBack }),
        (found) =>
          found.filter((check) => check.region === region).slice(0, 1).map((check) =>
            shown({ ...check, at: check.at.epochMillis })
          )
      )

    /** The newest check of each sampled monitor, by region. */
    const newest = Effect.fn("RegionChecks.newest")(function*(workspaceId: WorkspaceId, regions: ReadonlyArray<RegionId>) {
      const rows = gather((yield* sample(workspaceId, regions)).map((row) => [row.region, row] as const))
      const read = ([region, all]: readonly [RegionId, ReadonlyArray<SampleRow>]) => {
        const found = all.filter((row) => row.found).map(shown)
        const [first] = all
        return found.length > 0 || first === undefined
          ? Effect.succeed([region, found] as const)
          : Effect.map(older(workspaceId, region, first.monitorId), (one) => [region, one] as const)
      }
      return new Map(yield* Effect.forEach(rows, read))
    })

    return { newest }
  }),
  dependencies: [Checks.Default]
}) {}
