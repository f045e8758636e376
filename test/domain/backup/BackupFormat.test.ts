/** The form of a backup file: records survive any cut of the stream, and no changed, moved or missing chunk is taken. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, FastCheck as fc } from "effect"
import {
  chunkFrame,
  chunkSize,
  headOf,
  plainChunks,
  readFrame,
  readHead,
  sealedChunks
} from "../../../src/domain/backup/BackupChunks.ts"
import { type BackupRecord, encodeRecord, makeTally, recordsOf } from "../../../src/domain/backup/BackupRecords.ts"

const salt = Buffer.alloc(32, 7)
const nonce = Buffer.alloc(12, 1)

const head = {
  programVersion: "1.0.0",
  takenAt: DateTime.unsafeMake("2026-11-26T10:00:00Z"),
  migrations: [{ name: "0001_initial", checksum: "a", appliedBy: "0001_initial" }],
  partitions: [],
  sequences: [{ name: "numbers", value: "9007199254740993" }]
}

const rows = fc.uint8Array({ maxLength: 300 }).map((bytes): BackupRecord => ({ _tag: "Rows", bytes: Buffer.from(bytes) }))
const records = fc.array(rows, { maxLength: 8 }).map((some): ReadonlyArray<BackupRecord> => [
  { _tag: "Head", head },
  { _tag: "Table", table: { name: "kept", columns: ["a", "b"] } },
  ...some,
  { _tag: "End", end: { tables: [{ name: "kept", rows: 1, bytes: 2, sha256: "x" }] } }
])

async function* pieces(bytes: Buffer, cuts: ReadonlyArray<number>): AsyncGenerator<Buffer> {
  let from = 0
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    if (cut <= from || cut >= bytes.length) continue
    yield bytes.subarray(from, cut)
    from = cut
  }
  yield bytes.subarray(from)
}

describe("the records of a backup", () => {
  it.effect("are the same wherever the stream of bytes is cut", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(records, fc.array(fc.nat(3000), { maxLength: 20 }), async (some, cuts) => {
          const bytes = Buffer.concat(some.flatMap(encodeRecord))
          const read: Array<BackupRecord> = []
          for await (const record of recordsOf(pieces(bytes, cuts))) read.push(record)
          expect(read).toEqual(some)
        }),
        { numRuns: 100 }
      )
    ))

  it.effect("end nowhere but behind a record", () =>
    Effect.promise(async () => {
      const bytes = Buffer.concat([...encodeRecord({ _tag: "Rows", bytes: Buffer.from("a\tb\n") })])
      const all = async () => {
        for await (const _ of recordsOf(pieces(bytes.subarray(0, -1), []))) continue
      }
      await expect(all()).rejects.toThrow("half a record")
    }))

  it("count rows by the line breaks that COPY writes", () => {
    const tally = makeTally("kept")
    for (const part of ["a\\nb\tc", "\nd\te\n", ""]) tally.add(Buffer.from(part))
    expect(tally.count()).toMatchObject({ name: "kept", rows: 2, bytes: 11 })
  })
})

describe.each([["sealed", sealedChunks("k".repeat(40), salt)], ["plain", plainChunks(salt)]] as const)(
  "a %s chunk",
  (cover, codec) => {
    const place = { index: 3, isLast: false }
    const body = Buffer.from("rows")
    const packed = codec.pack(place, nonce, body)

    it("opens in its place alone", () => {
      expect(codec.unpack(place, packed)).toEqual(body)
      for (const other of [{ ...place, index: 2 }, { ...place, isLast: true }]) expect(codec.unpack(other, packed)).toBeNull()
    })

    it("opens with none of its bits changed", () => {
      for (let at = 0; at < packed.length; at++) {
        const changed = Buffer.from(packed)
        changed[at] = (changed[at] ?? 0) ^ 1
        expect(codec.unpack(place, changed)).toBeNull()
      }
    })

    it("opens in its own file alone", () => {
      const other = cover === "sealed" ? sealedChunks("k".repeat(40), Buffer.alloc(32)) : plainChunks(Buffer.alloc(32))
      expect(other.unpack(place, packed)).toBeNull()
    })

    it("says behind which length it lies, and whether it is the last", () => {
      for (const isLast of [true, false]) {
        expect(readFrame(chunkFrame(packed, isLast).readUInt32BE())).toEqual({ length: packed.length, isLast })
      }
      expect(readFrame(4 * chunkSize)).toBeNull()
    })

    it("is of a file whose head says how it is covered", () => {
      expect(readHead(headOf(cover, salt))).toEqual({ cover, salt })
      expect(readHead(Buffer.concat([headOf(cover, salt), Buffer.of(0)]))).toBeNull()
    })
  }
)
