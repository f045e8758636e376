/** Batches of results, as they are written and read: small ones as they are, others compressed in a way that every release reads. */
import { describe, expect, it } from "@effect/vitest"
import { CompressionCodecs, CompressionTypes } from "kafkajs"
import { randomBytes } from "node:crypto"
import { gunzipSync, gzipSync } from "node:zlib"
import { compressionOf } from "../../../src/bus/kafka/KafkaCompression.ts"
import { resultWire } from "../../../src/bus/Wire.ts"
import { recordBytes } from "../../support/kafka/RecordBatchBytes.ts"
import { monitor, result } from "../Fixtures.ts"

interface Codec {
  readonly compress: (encoder: { readonly buffer: Buffer }) => Promise<Buffer>
  readonly decompress: (buffer: Buffer) => Promise<Buffer>
}
const codec: Codec = CompressionCodecs[CompressionTypes.GZIP]()

/** The results of as many monitors; their ids and signatures are random. */
const batchOf = (count: number): Buffer =>
  Buffer.concat(
    Array.from(
      { length: count },
      (_, delta) =>
        recordBytes({
          delta,
          value: resultWire.encode(result(monitor(delta), delta)),
          headers: [["mac", randomBytes(32).toString("base64url")]]
        })
    )
  )

describe("the compression of results", () => {
  it("is for requests with three messages for a partition on average", () => {
    const to = (...partitions: ReadonlyArray<number>) => compressionOf(partitions.map((partition) => ({ partition })))
    expect([to(1), to(1, 1), to(1, 1, 2, 2, 3), to(1, 1, 1, 2, 2)]).toEqual(Array(4).fill(CompressionTypes.None))
    expect([to(1, 1, 1), to(1, 1, 1, 1, 1, 2)]).toEqual(Array(2).fill(CompressionTypes.GZIP))
  })

  // Releases before this one read with zlib's own defaults, and what they may write is at another level.
  it.each([[3], [40], [2_000]])("is read by any gzip, and reads any gzip: %i results", async (count) => {
    const batch = batchOf(count)
    const compressed = await codec.compress({ buffer: batch })
    expect(gunzipSync(compressed).equals(batch)).toBe(true)
    expect((await codec.decompress(compressed)).equals(batch)).toBe(true)
    expect((await codec.decompress(gzipSync(batch))).equals(batch)).toBe(true)
    expect(compressed.length).toBeLessThan(batch.length * (count < 10 ? 0.6 : 0.3))
  })

  it("fails for what is none, whatever its size", async () => {
    for (const size of [100, 100_000]) {
      await expect(codec.decompress(Buffer.alloc(size, 7))).rejects.toThrow("incorrect header")
    }
  })
})
