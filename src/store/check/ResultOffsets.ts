/** Where the results of each partition continue. A partition has one reader; an earlier one cannot move its offset any more. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

interface OffsetRow {
  readonly partition: number
  readonly nextOffset: string | null
}

export class ResultOffsets extends Effect.Service<ResultOffsets>()("belltower/ResultOffsets", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Makes `reader` the only one that may keep offsets of these partitions; returns where those read before continue. */
      claim: (reader: string, topic: string, partitions: ReadonlyArray<number>) =>
        Effect.map(
          sql<OffsetRow>`
            insert into result_offsets (topic, partition, reader)
            select ${topic}, partition, ${reader} from unnest(${partitions}::int[]) as partition order by partition
            on conflict (topic, partition) do update set reader = excluded.reader
            returning partition, next_offset::text as "nextOffset"`,
          (rows) =>
            new Map(rows.flatMap(({ nextOffset, partition }) => nextOffset === null ? [] : [[partition, nextOffset] as const]))
        ),
      /** Moves the offsets of the partitions that `reader` still owns, and returns those. */
      keep: (reader: string, topic: string, offsets: ReadonlyMap<number, string>) =>
        Effect.map(
          // Locks the rows in the order in which `claim` does.
          sql<Pick<OffsetRow, "partition">>`
            with mine as (
              select partition from result_offsets
              where topic = ${topic} and reader = ${reader} and partition = any(${[...offsets.keys()]}::int[])
              order by partition for update
            )
            update result_offsets o set next_offset = moved.next_offset
            from mine join unnest(${[...offsets.keys()]}::int[], ${[...offsets.values()]}::bigint[])
              as moved (partition, next_offset) using (partition)
            where o.topic = ${topic} and o.partition = mine.partition
            returning o.partition`,
          (rows) => new Set(rows.map(({ partition }) => partition))
        )
    }
  })
}) {}
