/** Writes and reads the file of a backup. Memory stays the same however large it is, and a file without its end has another name. */
import { Data, Effect, Option, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { link, open, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import {
  type ChunkCodec,
  chunkFrame,
  chunkSize,
  type Cover,
  headLength,
  headOf,
  plainChunks,
  readFrame,
  readHead,
  sealedChunks
} from "../../domain/backup/BackupChunks.ts"
import {
  type BackupHead,
  type BackupRecord,
  differenceOf,
  encodeRecord,
  makeTally,
  recordsOf,
  type TableCount,
  type Tally,
  UnknownContent
} from "../../domain/backup/BackupRecords.ts"
import { syncFolder } from "../PrivateFile.ts"

/** `message` is one line for the operator. */
export class BackupFailed extends Data.TaggedError("BackupFailed")<{ readonly message: string; readonly cause?: unknown }> {}

/** The operator's key for backups; without one, they are in the clear. */
export type BackupKey = Option.Option<Redacted.Redacted>

/** A file that is not what it should be. Thrown inside of streams, and shown to the operator. */
class Damaged extends Error {}

const saltLength = 32
const nonceLength = 12
const frameLength = 4
/** Level 6 costs three times the CPU for a tenth of the size. */
const level = 3

const codecOf = (cover: Cover, key: BackupKey, salt: Uint8Array): ChunkCodec =>
  Option.match(cover === "sealed" ? key : Option.none(), {
    onNone: () => plainChunks(salt),
    onSome: (given) => sealedChunks(Redacted.value(given), salt)
  })

async function* encoded(records: AsyncIterable<BackupRecord>): AsyncGenerator<Buffer> {
  for await (const record of records) yield* encodeRecord(record)
}

/** Cuts compressed bytes into chunks behind the file's head. */
const packed = (cover: Cover, key: BackupKey) =>
  async function*(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const salt = randomBytes(saltLength)
    const codec = codecOf(cover, key, salt)
    const frame = (index: number, body: Buffer, isLast: boolean) =>
      chunkFrame(codec.pack({ index, isLast }, randomBytes(nonceLength), body), isLast)
    yield headOf(cover, salt)
    let index = 0
    let parts: Array<Buffer> = []
    let size = 0
    for await (const bytes of source) {
      parts.push(bytes)
      size += bytes.length
      // More than a chunk, so that something is left for the last one.
      while (size > chunkSize) {
        const all = Buffer.concat(parts)
        yield frame(index++, all.subarray(0, chunkSize), false)
        parts = [all.subarray(chunkSize)]
        size -= chunkSize
      }
    }
    yield frame(index, Buffer.concat(parts), true)
  }

const notABackup = "It is not a backup of Belltower"
const cut = "It ends in the middle: the backup was not complete, or the file was cut"
const changed = (isSealed: boolean) =>
  isSealed
    ? "It was changed, or BELLTOWER_BACKUP_KEY is not the key that it was made with"
    : "It was changed: its checksums do not fit"

/** Reads so many bytes at a time; the rest of the stream stays. */
const makeBytes = (source: AsyncIterable<Buffer>) => {
  const iterator = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  return async (length: number): Promise<Buffer | null> => {
    const parts = [held]
    let size = held.length
    while (size < length) {
      const next = await iterator.next()
      if (next.done === true) break
      parts.push(next.value)
      size += next.value.length
    }
    const all = parts.length === 1 ? held : Buffer.concat(parts)
    held = all.subarray(Math.min(length, size))
    return size < length ? null : all.subarray(0, length)
  }
}

/** Opens the chunks of a file. Throws `Damaged` at the first that is not as it was written, and unless the last one is there. */
const unpacked = (key: BackupKey, allowsPlain: boolean) =>
  async function*(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const take = makeBytes(source)
    const head = readHead((await take(headLength)) ?? Buffer.alloc(0))
    if (head === null) throw new Damaged(notABackup)
    const isSealed = head.cover === "sealed"
    if (isSealed && Option.isNone(key)) {
      throw new Damaged("It is encrypted: set BELLTOWER_BACKUP_KEY to the key that it was made with")
    }
    if (!isSealed && !allowsPlain) {
      throw new Damaged(
        "It is not encrypted, so anybody may have written it. Add --plain if it comes from a place that you trust"
      )
    }
    const codec = codecOf(head.cover, key, head.salt)
    for (let index = 0;; index++) {
      const frame = await take(frameLength)
      if (frame === null) throw new Damaged(cut)
      const found = readFrame(frame.readUInt32BE())
      if (found === null) throw new Damaged(changed(isSealed))
      const body = await take(found.length)
      if (body === null) throw new Damaged(cut)
      const chunk = codec.unpack({ index, isLast: found.isLast }, body)
      if (chunk === null) throw new Damaged(changed(isSealed))
      yield chunk
      if (!found.isLast) continue
      if ((await take(1)) !== null) throw new Damaged("It has bytes behind its end")
      return
    }
  }

const messageOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

interface Target {
  readonly path: string
  /** The name until it is complete. */
  readonly part: string
}

const write = async (
  { part, path }: Target,
  key: BackupKey,
  records: AsyncIterable<BackupRecord>,
  signal: AbortSignal
): Promise<void> => {
  await pipeline(
    encoded(records),
    createGzip({ level }),
    packed(Option.isSome(key) ? "sealed" : "plain", key),
    createWriteStream(part, { flags: "wx", mode: 0o600 }),
    { signal }
  )
  const file = await open(part, "r")
  await file.sync().finally(() => file.close())
  // A link refuses to replace a backup that exists, where a rename would not.
  await link(part, path)
  await rm(part)
  await syncFolder(dirname(path))
}

/** Writes a file that has its name only once it is complete and on the disk. Fails if there is one of that name. */
export const writeBackup = (path: string, key: BackupKey, records: AsyncIterable<BackupRecord>) =>
  Effect.suspend(() => {
    // A name of its own, because another backup may be writing to the same name.
    const part = `${path}.${randomBytes(4).toString("hex")}.part`
    return Effect.tryPromise({
      try: (signal) => write({ path, part }, key, records, signal),
      catch: (cause) => new BackupFailed({ message: `The backup failed: ${messageOf(cause)}`, cause })
    }).pipe(Effect.onError(() => Effect.ignore(Effect.tryPromise(() => rm(part, { force: true })))))
  })

/** The description that a backup has of itself. */
export interface BackupContent {
  readonly head: BackupHead
  readonly tables: ReadonlyArray<TableCount>
}

/** Passes the records of a backup on, and throws if they are not those that its end counts. */
export async function* counted(records: AsyncIterable<BackupRecord>): AsyncGenerator<BackupRecord> {
  const tables: Array<TableCount> = []
  let tally: Tally | null = null
  let isComplete = false
  for await (const record of records) {
    if (record._tag === "Table" || record._tag === "End") {
      if (tally !== null) tables.push(tally.count())
      tally = record._tag === "Table" ? makeTally(record.table.name) : null
    }
    if (record._tag === "Rows") {
      if (tally === null) throw new UnknownContent("rows of no table")
      tally.add(record.bytes)
    }
    if (record._tag === "End") {
      const difference = differenceOf(record.end.tables, tables)
      if (difference !== null) throw new Damaged(`It is not complete: ${difference}`)
      isComplete = true
    }
    yield record
  }
  if (!isComplete) throw new Damaged(cut)
}

export interface BackupSource {
  readonly path: string
  readonly key: BackupKey
  /** Whether a backup that is not encrypted is read. */
  readonly allowsPlain: boolean
}

/** Reads a whole backup. `use` gets its records as they are read, and must not rely on them until all have been. */
export const readBackup = <A>(
  { allowsPlain, key, path }: BackupSource,
  use: (records: AsyncIterable<BackupRecord>) => Promise<A>
) =>
  Effect.tryPromise({
    try: (signal) =>
      pipeline(
        createReadStream(path, { highWaterMark: chunkSize }),
        unpacked(key, allowsPlain),
        createGunzip(),
        (source: AsyncIterable<Buffer>) => use(counted(recordsOf(source))),
        { signal }
      ),
    catch: (cause) => new BackupFailed({ message: `The backup ${path} cannot be used. ${messageOf(cause)}`, cause })
  })

/** Reads a backup to its end and compares every count and checksum. */
export const verifyBackup = (source: BackupSource) =>
  readBackup(source, async (records) => {
    let head: BackupHead | null = null
    let tables: ReadonlyArray<TableCount> = []
    for await (const record of records) {
      if (record._tag === "Head") head = record.head
      if (record._tag === "End") tables = record.end.tables
    }
    if (head === null) throw new Damaged("It has no head")
    const content: BackupContent = { head, tables }
    return content
  })
