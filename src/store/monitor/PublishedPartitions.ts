/** By region, the number of partitions by which all its assignments were last published. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { RegionId } from "../../../schema/check/Region.ts"
import { write } from "../postgres/Queries.ts"

export class PublishedPartitions extends Effect.Service<PublishedPartitions>()("belltower/PublishedPartitions", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Without the regions whose assignments were never published. */
      recorded: Effect.orDie(Effect.map(
        sql<{ readonly region: RegionId; readonly partitions: number }>`select region, partitions from region_places`,
        (rows): ReadonlyMap<RegionId, number> => new Map(rows.map(({ partitions, region }) => [region, partitions]))
      )),
      /** Records that all assignments of these regions are published by these numbers, and that older partitions are empty. */
      record: (partitions: ReadonlyMap<RegionId, number>) =>
        write(sql`
          insert into region_places (region, partitions)
          select * from unnest(${[...partitions.keys()]}::text[], ${[...partitions.values()]}::int[])
          on conflict (region) do update set partitions = excluded.partitions`)
    }
  })
}) {}
