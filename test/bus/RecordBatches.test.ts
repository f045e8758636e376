/** Reading record batches: what producers write, whole; anything else is skipped without a loss of what comes after it. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { gzipSync } from "node:zlib"
import { largestBatch } from "../../src/bus/KafkaCompression.ts"
import { makeBudget, readBatches } from "../../src/bus/RecordBatches.ts"
import { batchBytes, recordBytes } from "../support/RecordBatchBytes.ts"

const gzip = 1
const end = 1_000_000n

const valuesOf = (count: number): ReadonlyArray<Buffer> =>
  Array.from({ length: count }, (_, delta) => recordBytes({ delta, key: "k", value: `v${delta}`, headers: [["probe", "p"]] }))

const good = (base: number, count = 2): Buffer => batchBytes({ base, records: valuesOf(count) })

const zipped = (base: number, records: ReadonlyArray<Buffer>): Buffer =>
  batchBytes({ base, records, body: gzipSync(Buffer.concat(records)), attributes: gzip })

const read = (...batches: ReadonlyArray<Buffer>) => readBatches(Buffer.concat(batches), end, makeBudget())

/** The offsets of messages, then the skipped batches as first-last:fault. */
const found = async (...batches: ReadonlyArray<Buffer>) => {
  const { messages, skipped } = await read(...batches)
  return {
    offsets: messages.filter(({ isControlRecord }) => !isControlRecord).map(({ offset }) => Number(offset)),
    skipped: skipped.map(({ fault, first, last }) => `${first}-${last}:${fault}`),
    next: Number(messages.at(-1)?.offset ?? -1) + 1
  }
}

describe("record batches", () => {
  it("are read with keys, values, headers, times and offsets, compressed or not", async () => {
    for (const batch of [good(40), zipped(40, valuesOf(2))]) {
      const { messages, skipped } = await read(batch)
      expect(skipped).toEqual([])
      expect(messages.map(({ key, offset, timestamp, value }) => [String(key), String(value), offset, timestamp])).toEqual([
        ["k", "v0", "40", "1795000000000"],
        ["k", "v1", "41", "1795000000001"]
      ])
      expect(messages[0]?.headers).toEqual({ probe: Buffer.from("p") })
    }
  })

  it("keep a header that comes twice as a list, and one that is named like a prototype as any other", async () => {
    const headers = [["a", "1"], ["a", "2"], ["__proto__", "3"]] as const
    const { messages } = await read(batchBytes({ base: 0, records: [recordBytes({ delta: 0, headers })] }))
    expect(Object.entries(messages[0]?.headers ?? {})).toEqual([
      ["a", [Buffer.from("1"), Buffer.from("2")]],
      ["__proto__", Buffer.from("3")]
    ])
  })

  it("that hold too much, too many messages or headers, or another compression, are skipped as a whole", async () => {
    const huge = recordBytes({ delta: 0, value: "0".repeat(largestBatch) })
    const headers = Array.from({ length: 9 }, (_, n) => [`h${n}`, ""] as const)
    const bad: ReadonlyArray<readonly [Buffer, string]> = [
      [zipped(2, [huge]), "2-2:oversized"],
      [batchBytes({ base: 2, records: [huge] }), "2-2:oversized"],
      [zipped(2, Array.from({ length: 4_001 }, (_, delta) => recordBytes({ delta }))), "2-4002:oversized"],
      [batchBytes({ base: 2, records: [recordBytes({ delta: 0, headers })] }), "2-2:malformed"],
      [batchBytes({ base: 2, records: valuesOf(3), attributes: 4 }), "2-4:compression"],
      [batchBytes({ base: 2, records: valuesOf(3), attributes: gzip }), "2-4:malformed"],
      [batchBytes({ base: 2, records: valuesOf(3), magic: 1 }), "2-4:malformed"]
    ]
    for (const [batch, skipped] of bad) {
      const last = Number(/-(\d+)/.exec(skipped)?.[1])
      expect(await found(good(0), batch, good(last + 1))).toEqual({
        offsets: [0, 1, last + 1, last + 2],
        skipped: [skipped],
        next: last + 3
      })
      expect(await found(batch)).toEqual({ offsets: [], skipped: [skipped], next: last + 1 })
    }
  })

  it("whose records do not fit them are skipped", async () => {
    const swapped = [recordBytes({ delta: 1 }), recordBytes({ delta: 0 })]
    const beyond = [recordBytes({ delta: 7 }), recordBytes({ delta: 8 })]
    for (const records of [swapped, beyond]) {
      expect(await found(batchBytes({ base: 0, records }), good(2))).toEqual({
        offsets: [2, 3],
        skipped: ["0-1:malformed"],
        next: 4
      })
    }
    for (const count of [-1, 3, 2 ** 31 - 1]) {
      expect((await found(batchBytes({ base: 0, records: valuesOf(2), count }), good(2))).offsets).toEqual([2, 3])
    }
  })

  it("whose header lies about the last offset lead on to the next batch, or by one offset", async () => {
    const bad = recordBytes({ delta: 0, headers: Array.from({ length: 9 }, () => ["h", ""] as const) })
    for (const lastDelta of [-1, -(2 ** 31), 2 ** 31 - 1, 50]) {
      const batch = batchBytes({ base: 5, records: [bad], lastDelta })
      expect(await found(batch, good(9))).toEqual({ offsets: [9, 10], skipped: ["5-8:malformed"], next: 11 })
      const alone = lastDelta === 50 ? 55 : 5
      expect(await found(batch)).toEqual({ offsets: [], skipped: [`5-${alone}:malformed`], next: alone + 1 })
    }
  })

  it("whose length is wrong are skipped, and the next answer begins behind them", async () => {
    for (const length of [-1, 0, 48, 2 ** 31 - 1]) {
      const batch = batchBytes({ base: 5, records: valuesOf(2), length })
      expect(await found(batch, good(7))).toEqual({ offsets: [], skipped: ["5-6:malformed"], next: 7 })
    }
  })

  it("of which an answer has only a part, at its end, are left to the next answer", async () => {
    for (const bytes of [1, 60, 61, 80]) {
      expect(await found(good(0), good(2).subarray(0, bytes))).toEqual({ offsets: [0, 1], skipped: [], next: 2 })
    }
  })

  it("that were compacted lead readers behind their end", async () => {
    const some = batchBytes({ base: 0, records: [recordBytes({ delta: 1 })], lastDelta: 4 })
    expect(await found(some)).toEqual({ offsets: [1], skipped: [], next: 5 })
    expect(await found(batchBytes({ base: 5, records: [], lastDelta: 4 }))).toEqual({ offsets: [], skipped: [], next: 10 })
  })

  it("wait for the next answer once this one takes much memory, and one always comes through", async () => {
    const budget = makeBudget(1)
    const first = await readBatches(Buffer.concat([good(0), good(2)]), end, budget)
    expect(first.messages.map(({ offset }) => offset)).toEqual(["0", "1"])
    expect(await readBatches(good(0), end, budget)).toEqual({ messages: [], skipped: [] })

    const bomb = zipped(0, [recordBytes({ delta: 0, value: "0".repeat(largestBatch) })])
    const bombs = await read(...Array.from({ length: 50 }, (_, n) => {
      const batch = Buffer.from(bomb)
      batch.writeBigInt64BE(BigInt(n), 0)
      return batch
    }))
    expect(bombs.skipped).toHaveLength(8)
    expect(bombs.messages.at(-1)?.offset).toBe("7")
  })

  it("never fail to be read, and never lead back or behind the partition, whatever their bytes are", async () => {
    const changes = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(changes, fc.boolean(), async (changed, compressed) => {
        const bytes = Buffer.concat([compressed ? zipped(0, valuesOf(3)) : good(0, 3), good(3), good(5)])
        for (const [at, value] of changed) if (at < bytes.length) bytes[at] = value
        const { messages } = await readBatches(bytes, 7n, makeBudget())
        const offsets = messages.map(({ offset }) => Number(offset))
        expect(offsets.length).toBeGreaterThan(0)
        expect(offsets).toEqual([...new Set(offsets)].sort((one, other) => one - other).filter((one) => one >= 0 && one < 7))
      }),
      { numRuns: 300 }
    )
  })
})
