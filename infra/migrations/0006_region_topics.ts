/** The topics of assignments that each region has: what is left in those of regions that monitors leave, and their places. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // The regions that the monitor named before the edits of the line, which may have its assignment. Null in lines that the release
  // before writes, and where it is not known: it may be any region.
  `alter table assignment_outbox add column former_regions text[]`,
  // Written by `AssignmentPublisher`: the number of partitions by which the assignments of a region were last published, so that
  // more partitions leave no old copy behind. One row for each region. The release before uses `assignment_places`, which this one
  // does not.
  `create table region_places (
    region text primary key,
    partitions int not null
  )`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
