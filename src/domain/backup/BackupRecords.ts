/** The content of a backup: its head, the rows of each table as PostgreSQL's COPY writes them, and the counts and checksums. */
import { Schema } from "effect"
import { createHash } from "node:crypto"

const Head = Schema.Struct({
  programVersion: Schema.String,
  /** When the snapshot was taken, by the database's clock. */
  takenAt: Schema.DateTimeUtc,
  migrations: Schema.Array(Schema.Struct({ name: Schema.String, checksum: Schema.String, appliedBy: Schema.String })),
  /** Partitions of a range of times, without the default ones, which migrations make. */
  partitions: Schema.Array(
    Schema.Struct({
      name: Schema.String.pipe(Schema.pattern(/^[a-z0-9_]{1,63}$/)),
      parent: Schema.String.pipe(Schema.pattern(/^[a-z0-9_]{1,63}$/)),
      from: Schema.DateTimeUtc,
      to: Schema.DateTimeUtc
    })
  ),
  /** The last value of each sequence that was used. */
  sequences: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String.pipe(Schema.pattern(/^\d{1,19}$/)) }))
})
export type BackupHead = typeof Head.Type

const TableCount = Schema.Struct({
  name: Schema.String,
  rows: Schema.Int,
  /** Of the rows as COPY writes them. */
  bytes: Schema.Int,
  sha256: Schema.String
})
export type TableCount = typeof TableCount.Type

const Table = Schema.Struct({ name: Schema.String, columns: Schema.Array(Schema.String) })
const End = Schema.Struct({ tables: Schema.Array(TableCount) })

export type BackupRecord =
  | { readonly _tag: "Head"; readonly head: BackupHead }
  /** The rows that follow are of this table. */
  | { readonly _tag: "Table"; readonly table: typeof Table.Type }
  | { readonly _tag: "Rows"; readonly bytes: Buffer }
  | { readonly _tag: "End"; readonly end: typeof End.Type }

const kinds = { Head: 1, Table: 2, Rows: 3, End: 4 } satisfies Record<BackupRecord["_tag"], number>

/** A kind, a length and the content. */
const prefixLength = 5
/** COPY writes a row at a time, and PostgreSQL has no longer one. */
const longest = 2 ** 30

const encodeHead = Schema.encodeSync(Schema.parseJson(Head))
const encodeTable = Schema.encodeSync(Schema.parseJson(Table))
const encodeEnd = Schema.encodeSync(Schema.parseJson(End))
const decodeHead = Schema.decodeUnknownSync(Schema.parseJson(Head))
const decodeTable = Schema.decodeUnknownSync(Schema.parseJson(Table))
const decodeEnd = Schema.decodeUnknownSync(Schema.parseJson(End))

const contentOf = (record: BackupRecord): Buffer => {
  switch (record._tag) {
    case "Head":
      return Buffer.from(encodeHead(record.head))
    case "Table":
      return Buffer.from(encodeTable(record.table))
    case "Rows":
      return record.bytes
    case "End":
      return Buffer.from(encodeEnd(record.end))
  }
}

/** The prefix and the content of a record. */
export const encodeRecord = (record: BackupRecord): readonly [Buffer, Buffer] => {
  const content = contentOf(record)
  const prefix = Buffer.alloc(prefixLength)
  prefix.writeUInt8(kinds[record._tag])
  prefix.writeUInt32BE(content.length, 1)
  return [prefix, content]
}

/** A backup whose bytes are intact, but not as this version writes them. */
export class UnknownContent extends Error {
  constructor(what: string) {
    super(`It holds ${what} that this version does not know; restore it with the version that made it, or a newer one`)
  }
}

const decodeRecord = (kind: number | undefined, content: Buffer): BackupRecord => {
  switch (kind) {
    case kinds.Head:
      return { _tag: "Head", head: decodeHead(content.toString("utf8")) }
    case kinds.Table:
      return { _tag: "Table", table: decodeTable(content.toString("utf8")) }
    case kinds.Rows:
      return { _tag: "Rows", bytes: content }
    case kinds.End:
      return { _tag: "End", end: decodeEnd(content.toString("utf8")) }
    default:
      throw new UnknownContent("a kind of record")
  }
}

/** The records in a stream of bytes. Throws on bytes that are no records. */
export async function* recordsOf(source: AsyncIterable<Buffer>): AsyncGenerator<BackupRecord> {
  let parts: Array<Buffer> = []
  let size = 0
  let wanted = prefixLength
  for await (const bytes of source) {
    parts.push(bytes)
    size += bytes.length
    while (size >= wanted) {
      const all = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
      const length = all.readUInt32BE(1)
      if (length > longest) throw new UnknownContent("a record of a length")
      wanted = prefixLength + length
      if (size < wanted) {
        parts = [all]
        break
      }
      yield decodeRecord(all[0], all.subarray(prefixLength, wanted))
      const rest = all.subarray(wanted)
      parts = rest.length === 0 ? [] : [rest]
      size = rest.length
      wanted = prefixLength
    }
  }
  if (size > 0) throw new UnknownContent("half a record")
}

const lineBreak = 0x0a

/** Counts the rows of a table: COPY ends each with a line break, and writes those in values in another way. */
export const makeTally = (name: string) => {
  const hash = createHash("sha256")
  let rows = 0
  let size = 0
  return {
    add: (bytes: Buffer): void => {
      hash.update(bytes)
      size += bytes.length
      for (let at = bytes.indexOf(lineBreak); at >= 0; at = bytes.indexOf(lineBreak, at + 1)) rows++
    },
    count: (): TableCount => ({ name, rows, bytes: size, sha256: hash.digest("hex") })
  }
}
export type Tally = ReturnType<typeof makeTally>

/** The first table whose counts differ, in words; null if all agree. */
export const differenceOf = (expected: ReadonlyArray<TableCount>, found: ReadonlyArray<TableCount>): string | null => {
  const counts = new Map(found.map((one) => [one.name, one]))
  for (const { name, rows, sha256 } of expected) {
    const own = counts.get(name)
    if (own === undefined) return `the table ${name} is missing`
    if (own.rows !== rows) return `the table ${name} has ${own.rows} rows, not ${rows}`
    if (own.sha256 !== sha256) return `the rows of the table ${name} have another checksum`
  }
  return expected.length === found.length ? null : "it has tables that its end does not name"
}
