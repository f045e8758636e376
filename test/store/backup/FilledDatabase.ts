/** A database in which every table has rows, whatever migrations add, and what tells whether two databases hold the same. */
import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect } from "effect"

/** All texts are one id, so that every reference leads somewhere. */
const id = "x"

const byType: Readonly<Record<string, string>> = {
  text: `'${id}'`,
  "character varying(50)": `'${id}'`,
  "character varying(255)": `'${id}'`,
  bytea: `'${id}'::bytea`,
  jsonb: "'{\"a\": [1, \"ü\\n\"]}'",
  json: "'{\"a\":  1}'",
  boolean: "true",
  "timestamp with time zone": "'2026-11-26T10:00:00.123456Z'",
  date: "'2026-11-26'",
  "text[]": "'{\"a b\",\"c,d\"}'",
  "timestamp with time zone[]": "'{2026-11-26T10:00:00Z}'"
}
const number = "1"

/** Where a check wants another value than that of the type. */
const wanted: Readonly<Record<string, string>> = {
  "deliveries.status": "'delivered'",
  "mails.status": "'sent'",
  "mails.priority": "1",
  "pagings.state": "'received'"
}

interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
}

const valueOf = ({ column, table, type }: Column): string =>
  wanted[`${table}.${column}`] ?? byType[type] ?? (type.endsWith("[]") ? "'{1,2}'" : number)

/** Inserts a row into each table that has none, without triggers and checks of references. */
export const fillEveryTable = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<Column>`
    select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attgenerated = '' and a.attidentity = ''
    order by c.relname, a.attnum`
  const tables = Object.entries(Arr.groupBy(columns, ({ table }) => table))
  yield* sql.withTransaction(Effect.gen(function*() {
    yield* sql`set local session_replication_role = replica`
    for (const [table, own] of tables) {
      const [row] = yield* sql<{ readonly count: number }>`select count(*)::int as count from ${sql(table)}`
      if ((row?.count ?? 0) > 0) continue
      const names = own.map(({ column }) => `"${column}"`).join(", ")
      yield* sql.unsafe(`insert into "${table}" (${names}) values (${own.map(valueOf).join(", ")})`)
    }
  }))
  return tables.length
})

interface Digest {
  readonly name: string
  readonly rows: number
  readonly md5: string | null
}

/** The rows of each table but those named, and what is around them. */
export const contentsOf = (except: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ readonly name: string }>`
      select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname <> all(${[...except]}::text[]) order by 1`
    const rows = yield* Effect.forEach(tables, ({ name }) =>
      Effect.map(
        sql<Digest>`
          select ${name} as name, count(*)::int as rows, md5(string_agg(t::text, '|' order by t::text collate "C")) as md5 from ${
          sql(name)
        } t`,
        ([row]) => row
      ))
    const schema = yield* sql<{ readonly text: string }>`
      select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) as text from pg_constraint
      where connamespace = current_schema()::regnamespace
      union all select indexdef from pg_indexes where schemaname = current_schema()
      union all select tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text from pg_trigger where not tgisinternal
      union all select c.relname || ' ' || coalesce(pg_get_expr(relpartbound, oid), '') from pg_class c where relispartition
      union all select sequencename || ' ' || coalesce(last_value::text, '') from pg_sequences where schemaname = current_schema()
      order by 1`
    return { rows, schema: schema.map(({ text }) => text) }
  })
