/** Reads the rows of an untrusted SQLite file (https://www.sqlite.org/fileformat2.html): each page once, and without running SQL. */
import { Either } from "effect"
import { columnsOf, type SqliteColumns } from "./SqliteColumns.ts"

/** A row by column; blobs are left out. */
type SqliteRow = Readonly<Record<string, string | number | null>>

const magic = "SQLite format 3\0"

const mostRows = 100_000

/** Bytes of one row, over all its pages. */
const longestRow = 1024 * 1024

const leaf = 0x0d
const interior = 0x05

interface Table extends SqliteColumns {
  readonly root: number
}

class Damaged extends Error {}

/** A number of 1 to 9 bytes, and where the next one begins. */
const varint = (bytes: Buffer, at: number): readonly [value: number, next: number] => {
  let value = 0
  for (let index = 0; index < 8; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) throw new Damaged()
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return [value, at + index + 1]
  }
  return [value * 256 + (bytes[at + 8] ?? 0), at + 9]
}

const integer = (bytes: Buffer, at: number, size: number): number =>
  size === 8 ? Number(bytes.readBigInt64BE(at)) : size === 0 ? 0 : bytes.readIntBE(at, size)

/** The sizes of the integers of serial types 1 to 6. */
const integerSizes = [0, 1, 2, 3, 4, 6, 8]

const sizeOf = (
  type: number
): number => (type < 7 ? integerSizes[type] ?? 0 : type === 7 ? 8 : type < 12 ? 0 : (type - (type % 2) - 12) / 2)

const valueOf = (bytes: Buffer, at: number, type: number): string | number | null => {
  if (type === 0) return null
  if (type < 7) return integer(bytes, at, sizeOf(type))
  if (type === 7) return bytes.readDoubleBE(at)
  if (type < 12) return type === 9 ? 1 : 0
  return type % 2 === 1 ? bytes.toString("utf8", at, at + sizeOf(type)) : null
}

const recordOf = (payload: Buffer): ReadonlyArray<string | number | null> => {
  const [headerSize, start] = varint(payload, 0)
  const values: Array<string | number | null> = []
  let body = headerSize
  for (let at = start; at < headerSize;) {
    const [type, next] = varint(payload, at)
    if (body + sizeOf(type) > payload.length) throw new Damaged()
    values.push(valueOf(payload, body, type))
    body += sizeOf(type)
    at = next
  }
  return values
}

const makePages = (bytes: Buffer) => {
  const said = bytes.readUInt16BE(16)
  const size = said === 1 ? 65_536 : said
  const usable = size - (bytes[20] ?? 0)
  if (size < 512 || usable < 480) throw new Damaged()
  const page = (number: number): Buffer => {
    const found = bytes.subarray((number - 1) * size, number * size)
    if (number < 1 || found.length < size) throw new Damaged()
    return found
  }

  /** The whole content of a cell, with what overflowed to other pages. */
  const payload = (of: Buffer, at: number, length: number, seen: Set<number>): Buffer => {
    if (length > longestRow) throw new Damaged()
    const most = usable - 35
    if (length <= most) return of.subarray(at, at + length)
    const least = Math.floor(((usable - 12) * 32) / 255) - 23
    const fitting = least + ((length - least) % (usable - 4))
    const local = fitting <= most ? fitting : least
    const parts = [of.subarray(at, at + local)]
    let next = of.readUInt32BE(at + local)
    for (let left = length - local; left > 0;) {
      if (seen.has(next)) throw new Damaged()
      seen.add(next)
      const overflow = page(next)
      parts.push(overflow.subarray(4, 4 + Math.min(left, usable - 4)))
      left -= usable - 4
      next = overflow.readUInt32BE(0)
    }
    return Buffer.concat(parts, length)
  }

  return { page, payload }
}

/** The rows below a page, each with its number. A page that comes again would lead round in a circle. */
const makeWalk = (bytes: Buffer) => {
  const { page, payload } = makePages(bytes)
  return (root: number): ReadonlyArray<readonly [number, ReadonlyArray<string | number | null>]> => {
    const seen = new Set<number>()
    const rows: Array<readonly [number, ReadonlyArray<string | number | null>]> = []
    const pending = [root]
    for (let number = pending.pop(); number !== undefined && rows.length < mostRows; number = pending.pop()) {
      if (seen.has(number)) throw new Damaged()
      seen.add(number)
      const found = page(number)
      const start = number === 1 ? 100 : 0
      const kind = found[start]
      const cells = found.readUInt16BE(start + 3)
      const cellAt = (index: number) => found.readUInt16BE(start + (kind === leaf ? 8 : 12) + 2 * index)
      if (kind === interior) {
        pending.push(found.readUInt32BE(start + 8))
        for (let index = cells - 1; index >= 0; index--) pending.push(found.readUInt32BE(cellAt(index)))
      } else if (kind === leaf) {
        for (let index = 0; index < cells && rows.length < mostRows; index++) {
          const [length, afterLength] = varint(found, cellAt(index))
          const [id, at] = varint(found, afterLength)
          rows.push([id, recordOf(payload(found, at, length, seen))])
        }
      } else throw new Damaged()
    }
    return rows
  }
}

const tablesOf = (walk: ReturnType<typeof makeWalk>): ReadonlyMap<string, Table> =>
  new Map(
    walk(1).flatMap(([, [type, name, , root, sql]]) =>
      type === "table" && typeof name === "string" && typeof root === "number" && typeof sql === "string"
        ? [[name, { root, ...columnsOf(sql) }] as const]
        : []
    )
  )

const rowOf =
  ({ columns, rowid }: Table) => ([id, values]: readonly [number, ReadonlyArray<string | number | null>]): SqliteRow =>
    Object.fromEntries(columns.map(({ initial, name }, index) => {
      const value = values[index]
      return [name, name === rowid ? id : value === undefined ? initial : value]
    }))

const damaged = "The file is not a complete SQLite database"

/** True if changes are written to a log beside the file first, and the file may be behind it. */
export const isLogged = (bytes: Buffer): boolean => bytes[18] === 2 || bytes[19] === 2

/** True if the bytes claim to be an SQLite file. */
export const isSqlite = (bytes: Buffer): boolean => bytes.toString("latin1", 0, magic.length) === magic

/** The tables that are wanted, each with its rows; or why the file cannot be read. */
export const sqliteTables = <Name extends string>(bytes: Buffer, wanted: ReadonlyArray<Name>) =>
  Either.try({
    try: () => {
      if (!isSqlite(bytes) || bytes.readUInt32BE(56) !== 1) throw new Damaged()
      const walk = makeWalk(bytes)
      const tables = tablesOf(walk)
      return new Map(wanted.map((name) => {
        const table = tables.get(name)
        return [name, table === undefined ? [] : walk(table.root).map(rowOf(table))]
      }))
    },
    catch: () => damaged
  })
