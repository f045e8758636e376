/** Compression of what is sent to Kafka: by gzip, which kafkajs and every broker can read without a native module. */
import { Option } from "effect"
import { CompressionCodecs, CompressionTypes, type Message } from "kafkajs"
import { promisify } from "node:util"
import { gunzip, gunzipSync, gzip, gzipSync } from "node:zlib"
import { maxMessageBytes } from "./KafkaBounds.ts"
import type { Encoder } from "./KafkajsInternals.ts"

/** Higher levels take more time and save little: most of a result's bytes are its names, which repeat, and random ids. */
const options = { level: 1 }
/** Waking another thread costs more than compressing up to this many bytes. */
const smallBatch = 64 * 1024
/** The same for reading: as many bytes, compressed, that become as many at most. */
const small = { compressed: 16 * 1024, read: 256 * 1024 }
const [compressApart, readApart] = [promisify(gzip), promisify(gunzip)]

/**
 * The most that a batch may hold once it is decompressed: the largest that a producer of ours sends has one message of
 * `maxMessageBytes`, and this is twice as much. A megabyte on the wire can hold a thousand.
 */
export const largestBatch = 2 * maxMessageBytes

const readSmall = Option.liftThrowable((bytes: Buffer): Buffer => gunzipSync(bytes, { maxOutputLength: small.read }))

/** Fails if the bytes are not compressed by gzip, or hold more than `largestBatch`; no more than that is ever in memory. */
const decompress = async (bytes: Buffer): Promise<Buffer> =>
  Option.getOrNull(bytes.length <= small.compressed ? readSmall(bytes) : Option.none()) ??
    readApart(bytes, { maxOutputLength: largestBatch })

/** Whether `decompress` failed because of the size. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"

/** kafkajs compresses at level 6, and each batch on another thread. What they write, every release reads. */
const codec = {
  compress: async ({ buffer }: Encoder): Promise<Buffer> =>
    buffer.length <= smallBatch ? gzipSync(buffer, options) : compressApart(buffer, options),
  decompress
}

/**
 * The messages of one request for the same partition become a batch, and each batch is compressed by itself: below this many on
 * average, that takes as long as it takes to make the messages, and saves less than half.
 */
const fewest = 3

/** How to send messages that name their partitions. */
export const compressionOf = (messages: ReadonlyArray<Pick<Message, "partition">>): CompressionTypes =>
  messages.length >= fewest * new Set(messages.map(({ partition }) => partition)).size
    ? CompressionTypes.GZIP
    : CompressionTypes.None

CompressionCodecs[CompressionTypes.GZIP] = () => codec
