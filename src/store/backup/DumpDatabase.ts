/** Reads everything that a database holds, as it was at one moment. Writers go on meanwhile; migrations give way. */
import { DateTime, Schema } from "effect"
import type { Client } from "pg"
import { to as copyTo } from "pg-copy-streams"
import { programVersion } from "../../../schema/ProgramVersion.ts"
import { type BackupHead, type BackupRecord, makeTally, type TableCount } from "../../domain/backup/BackupRecords.ts"
import { setAsideTable } from "../postgres/SetAside.ts"

/** A table with its columns; PostgreSQL computes the generated ones again. */
const Tables = Schema.Array(Schema.Struct({ name: Schema.String, columns: Schema.Array(Schema.String) }))

const Found = Schema.Struct({
  takenAt: Schema.DateTimeUtcFromDate,
  migrations: Schema.Array(Schema.Struct({ name: Schema.String, checksum: Schema.String, appliedBy: Schema.String })),
  partitions: Schema.Array(Schema.Struct({ name: Schema.String, parent: Schema.String, bounds: Schema.String })),
  sequences: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String }))
})

const decodeFound = Schema.decodeUnknownSync(Found)
/** The rows of `tablesQuery`. */
export const decodeTables = Schema.decodeUnknownSync(Tables)

export const quoted = (name: string): string => `"${name.replaceAll("\"", "\"\"")}"`

/** The tables of the schema that is searched first, without partitions and what extensions made. */
export const tablesQuery = `
  select c.relname as name, array(
    select a.attname::text from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum
  ) as columns
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> '${setAsideTable}'
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by c.relname`

// Sequences are read after the snapshot was taken, so none is behind its table.
const factsQuery = `
  select now() as "takenAt",
    (select coalesce(json_agg(json_build_object(
        'name', lpad(migration_id::text, 4, '0') || '_' || name, 'checksum', checksum, 'appliedBy', applied_by
      ) order by migration_id), '[]') from migrations) as migrations,
    (select coalesce(json_agg(json_build_object(
        'name', c.relname, 'parent', p.relname, 'bounds', pg_get_expr(c.relpartbound, c.oid)) order by c.relname), '[]')
      from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
      where c.relispartition and p.relnamespace = current_schema()::regnamespace
        and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT') as partitions,
    (select coalesce(json_agg(json_build_object('name', sequencename, 'value', last_value::text) order by sequencename), '[]')
      from pg_sequences where schemaname = current_schema() and last_value is not null) as sequences`

const boundsPattern = /^FOR VALUES FROM \('([^']+)'\) TO \('([^']+)'\)$/

/** Like `2026-11-26 07:00:00+00`, which the session's settings make of it. */
const boundOf = (text = ""): DateTime.Utc => DateTime.unsafeMake(text.replace(" ", "T").replace(/\+00$/, "Z"))

export interface Dump {
  readonly head: BackupHead
  /** All records, once. `onRows` gets each piece of rows as well. */
  readonly records: (onRows: (bytes: Buffer) => void) => AsyncGenerator<BackupRecord>
}

async function* tableRecords(client: Client, table: (typeof Tables.Type)[number], onRows: (bytes: Buffer) => void) {
  const { columns, name } = table
  // A copy of a partitioned table must be one of a query.
  const stream = client.query(copyTo(`copy (select ${columns.map(quoted).join(", ")} from ${quoted(name)}) to stdout`))
  const tally = makeTally(name)
  for await (const bytes of stream) {
    tally.add(bytes)
    onRows(bytes)
    yield { _tag: "Rows", bytes } satisfies BackupRecord
  }
  // The stream of a server that failed or went away just ends; this statement then fails.
  await client.query("select 1")
  return tally.count()
}

/** Begins a transaction on the client, which sees one moment of the database until it ends with its client. */
export const beginDump = async (client: Client): Promise<Dump> => {
  await client.query(`
    set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = 'UTC'; set datestyle = 'ISO';
    set extra_float_digits = 1; set bytea_output = 'hex'; set intervalstyle = 'postgres'; set client_encoding = 'UTF8'`)
  await client.query("begin isolation level repeatable read read only")
  const { rows: [row] } = await client.query(factsQuery)
  const { partitions, ...found } = decodeFound(row)
  const head: BackupHead = {
    ...found,
    programVersion,
    partitions: partitions.map(({ bounds, name, parent }) => {
      const [, from, to] = boundsPattern.exec(bounds) ?? []
      return { name, parent, from: boundOf(from), to: boundOf(to) }
    })
  }
  const tables = decodeTables((await client.query(tablesQuery)).rows)
  return {
    head,
    records: async function*(onRows) {
      yield { _tag: "Head", head }
      const counts: Array<TableCount> = []
      for (const table of tables) {
        yield { _tag: "Table", table }
        counts.push(yield* tableRecords(client, table, onRows))
      }
      yield { _tag: "End", end: { tables: counts } }
    }
  }
}
