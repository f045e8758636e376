/** Finds what a new thing repeats: another of the same workspace that watches, shows or receives the same. */
import { SqlClient, type Statement } from "@effect/sql"
import { Effect, Option } from "effect"
import type { WorkspaceId } from "../../schema/Ids.ts"

export interface Duplicate {
  readonly id: string
  readonly name: string
}

/** By an index of the migrations. A heartbeat or a script has no address, so its name counts. */
const address = (table: "o" | "n") => `md5(coalesce(${table}.target->>'url', ${table}.target->>'host', lower(${table}.name)))`

const sameName = "lower(o.name) = lower(n.name)"

/**
 * The table of each noun, and when the row `o` repeats the new row `n`. Monitors are found by their address; the others are few in a
 * workspace, or on a page.
 */
const tables = {
  monitor: [
    "monitors",
    `o.kind = n.kind and ${address("o")} = ${address("n")} and o.target->'port' is not distinct from n.target->'port'
     and o.target->'recordType' is not distinct from n.target->'recordType'`
  ],
  page: ["pages", sameName],
  component: ["components", `o.page_id = n.page_id and ${sameName}`],
  // Channels without anything sealed have no hash.
  channel: [
    "channels",
    `o.type = n.type and (o.target_hash = n.target_hash or o.target_hash is null and n.target_hash is null
       and o.url is not distinct from n.url and o.settings = n.settings and o.header_names = n.header_names)`
  ],
  schedule: ["oncall_schedules", sameName],
  policy: ["escalation_policies", sameName],
  template: ["incident_templates", sameName]
} as const

export type DuplicateNoun = keyof typeof tables

export class Duplicates extends Effect.Service<Duplicates>()("belltower/Duplicates", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => {
    const select = (noun: DuplicateNoun): Statement.Fragment => {
      const [table, repeats] = tables[noun]
      return sql`
        select o.id, o.name from ${sql(table)} n
        join ${sql(table)} o on o.workspace_id = n.workspace_id and o.id <> n.id and ${sql.literal(repeats)}`
    }
    return {
      /** The oldest other one that the thing repeats. */
      find: (noun: DuplicateNoun, workspaceId: WorkspaceId, id: string): Effect.Effect<Option.Option<Duplicate>> =>
        Effect.orDie(Effect.map(
          sql<Duplicate>`${select(noun)} where n.workspace_id = ${workspaceId} and n.id = ${id} order by o.id limit 1`,
          ([row]) => Option.fromNullable(row)
        ))
    }
  })
}) {}
