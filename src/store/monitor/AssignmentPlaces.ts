/** The number of partitions by which all assignments were last published. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { write } from "../postgres/Queries.ts"

export class AssignmentPlaces extends Effect.Service<AssignmentPlaces>()("belltower/AssignmentPlaces", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Null if they were never published. */
      partitions: Effect.orDie(Effect.map(
        sql<{ readonly partitions: number }>`select partitions from assignment_places`,
        ([row]) => row?.partitions ?? null
      )),
      /** Records that all assignments are published by this number of partitions, and that older places are empty. */
      record: (partitions: number) =>
        write(sql`
          insert into assignment_places (partitions) values (${partitions})
          on conflict (only_row) do update set partitions = excluded.partitions`)
    }
  })
}) {}
