/** Fills the tables of a database of the same migrations from a backup, in one transaction. */
import { DateTime, Schema } from "effect"
import { once } from "node:events"
import { finished } from "node:stream/promises"
import type { Client } from "pg"
import { from as copyFrom } from "pg-copy-streams"
import { type BackupHead, type BackupRecord, type TableCount, UnknownContent } from "../../domain/backup/BackupRecords.ts"
import { decodeTables, quoted, tablesQuery } from "./DumpDatabase.ts"

const Constraints = Schema.Array(
  Schema.Struct({ table: Schema.String, name: Schema.String, definition: Schema.String })
)
const decodeConstraints = Schema.decodeUnknownSync(Constraints)

const constraintsQuery = `
  select c.relname as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where k.contype = 'f' and k.conparentid = 0 and c.relnamespace = current_schema()::regnamespace order by c.relname, k.conname`

/** New checks only come and go, see `CheckPartitions`. */
const storageOf = (parent: string): string => parent === "checks" ? " with (autovacuum_enabled = false)" : ""

const time = (at: DateTime.Utc): string => `'${DateTime.formatIso(at)}'`

const makePartitions = async (client: Client, { partitions }: BackupHead): Promise<void> => {
  for (const { from, name, parent, to } of partitions) {
    await client.query(
      `create table ${quoted(name)} partition of ${quoted(parent)} for values from (${time(from)}) to (${time(to)})` +
        storageOf(parent)
    )
  }
}

/** Fills one table at a time; returns when the server has taken its rows. */
const makeFiller = (client: Client, onRows: (bytes: Buffer) => void) => {
  let open: { readonly name: string; readonly stream: ReturnType<typeof copyFrom>; readonly done: Promise<unknown> } | null = null
  let hasFailed = false
  const rows = new Map<string, number>()

  const end = async (): Promise<void> => {
    if (open === null) return
    const { done, name, stream } = open
    open = null
    stream.end()
    await done
    rows.set(name, stream.rowCount)
  }
  return {
    begin: async (name: string, columns: ReadonlyArray<string>): Promise<void> => {
      await end()
      const stream = client.query(copyFrom(`copy ${quoted(name)} (${columns.map(quoted).join(", ")}) from stdin`))
      const done = finished(stream)
      // The next write fails with its error.
      done.catch(() => {
        hasFailed = true
      })
      open = { name, stream, done }
    },
    add: async (bytes: Buffer): Promise<void> => {
      if (open === null) throw new UnknownContent("rows of no table")
      const { done, stream } = open
      onRows(bytes)
      // A stream that failed reports nothing more.
      if (hasFailed) await done
      if (!stream.write(bytes)) await once(stream, "drain")
    },
    end,
    rows
  }
}

/** PostgreSQL counted the rows that it took, so a trigger or rule that drops some does not go unnoticed. */
const compare = (tables: ReadonlyArray<TableCount>, rows: ReadonlyMap<string, number>): void => {
  const wrong = tables.find((one) => rows.get(one.name) !== one.rows)
  if (wrong !== undefined) {
    throw new Error(`the table ${wrong.name} took ${rows.get(wrong.name) ?? 0} rows, not ${wrong.rows}`)
  }
}

const fill = async (client: Client, head: BackupHead, records: AsyncIterable<BackupRecord>, onRows: (bytes: Buffer) => void) => {
  const tables = new Map(
    decodeTables((await client.query(tablesQuery)).rows).map(({ columns, name }) => [name, new Set(columns)])
  )
  const filler = makeFiller(client, onRows)
  let counts: ReadonlyArray<TableCount> = []
  for await (const record of records) {
    if (record._tag === "Table") {
      const { columns, name } = record.table
      const known = tables.get(name)
      if (known === undefined) throw new UnknownContent(`the table ${name}`)
      const unknown = columns.find((column) => !known.has(column))
      if (unknown !== undefined) throw new UnknownContent(`the column ${name}.${unknown}`)
      await filler.begin(name, columns)
    }
    if (record._tag === "Rows") await filler.add(record.bytes)
    if (record._tag === "End") {
      await filler.end()
      counts = record.end.tables
    }
  }
  compare(counts, filler.rows)
  for (const { name, value } of head.sequences) {
    await client.query("select setval($1::regclass, $2::bigint)", [quoted(name), value])
  }
  return counts
}

/**
 * Loads the records of a backup into tables of the migrations that its head names, whose rows are replaced. Triggers stay silent, and
 * references are checked once all rows are there, which takes no memory for each row. Rejects without a change.
 */
export const loadRecords = async (
  client: Client,
  head: BackupHead,
  records: AsyncIterable<BackupRecord>,
  onRows: (bytes: Buffer) => void
): Promise<ReadonlyArray<TableCount>> => {
  await client.query(`
    set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = 0; set timezone = 'UTC';
    set datestyle = 'ISO'; set intervalstyle = 'postgres'; set client_encoding = 'UTF8'`)
  await client.query("begin")
  const names = decodeTables((await client.query(tablesQuery)).rows).map(({ name }) => name)
  const constraints = decodeConstraints((await client.query(constraintsQuery)).rows)
  for (const { name, table } of constraints) await client.query(`alter table ${quoted(table)} drop constraint ${quoted(name)}`)
  await client.query(`truncate ${names.map(quoted).join(", ")}`)
  for (const name of names) await client.query(`alter table ${quoted(name)} disable trigger user`)
  await makePartitions(client, head)
  const counts = await fill(client, head, records, onRows)
  for (const { definition, name, table } of constraints) {
    await client.query(`alter table ${quoted(table)} add constraint ${quoted(name)} ${definition}`)
  }
  for (const name of names) await client.query(`alter table ${quoted(name)} enable trigger user`)
  await client.query("commit")
  // Plans follow from statistics, which are not part of a backup.
  await client.query("analyze")
  return counts
}
