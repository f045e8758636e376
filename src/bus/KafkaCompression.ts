/** Compression of what is sent to Kafka: by gzip, which kafkajs and every broker can read without a native module. */
import { CompressionCodecs, CompressionTypes, type Message } from "kafkajs"
import { promisify } from "node:util"
import { gunzip, gunzipSync, gzip, gzipSync } from "node:zlib"
import type { Encoder } from "./KafkajsInternals.ts"

/** Higher levels take more time and save little: most of a result's bytes are its names, which repeat, and random ids. */
const options = { level: 1 }
/** Waking another thread costs more than compressing up to this many bytes. */
const smallBatch = 64 * 1024
/** The same for reading: as many bytes, compressed. */
const smallCompressed = 16 * 1024
const [compressApart, readApart] = [promisify(gzip), promisify(gunzip)]

/** kafkajs compresses at level 6, and each batch on another thread. What they write, every release reads. */
const codec = {
  compress: async ({ buffer }: Encoder): Promise<Buffer> =>
    buffer.length <= smallBatch ? gzipSync(buffer, options) : compressApart(buffer, options),
  decompress: async (buffer: Buffer): Promise<Buffer> => buffer.length <= smallCompressed ? gunzipSync(buffer) : readApart(buffer)
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
