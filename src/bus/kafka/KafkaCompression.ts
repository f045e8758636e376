/** Compression of what is sent to Kafka: by gzip, which kafkajs and every broker can read without a native module. */
import { Option } from "effect"
import { CompressionCodecs, CompressionTypes, type Message } from "kafkajs"
import { AsyncLocalStorage } from "node:async_hooks"
import { promisify } from "node:util"
import { gunzip, gunzipSync, gzip, gzipSync } from "node:zlib"
import { maxMessageBytes, maxRequest } from "./KafkaBounds.ts"
import type { Encoder } from "./KafkajsInternals.ts"

/** Higher levels take more time and save little: most of a result's bytes are its names, which repeat, and random ids. */
const options = { level: 1 }
/** Waking another thread costs more than compressing up to this many bytes. */
const smallBatch = 64 * 1024
/** The same for reading: as many bytes, compressed, that become as many at most. */
const small = { compressed: 16 * 1024, read: 256 * 1024 }
const [compressApart, readApart] = [promisify(gzip), promisify(gunzip)]

/** The most that a batch holds, in bytes and messages: twice what the largest of ours does. A megabyte on the wire can hold a thousand. */
const largestBatch = 2 * maxMessageBytes
const mostMessages = 2 * maxRequest.messages
/** Messages of ours have three: the id of the probe, its signature and the trace. */
const mostHeaders = 8

/** About what a message takes in memory beside its bytes. */
const messageWeight = 300 + mostHeaders * 150

/** Memory that the batches of one answer may still take, bytes, estimated. */
interface Budget {
  left: number
}

/** A whole answer of ordinary results takes a third. */
const answerBudget = 64 * 1024 * 1024
const budgets = new AsyncLocalStorage<Budget>()

/** Whether what is read now has room for another batch of any size. */
export const hasRoom = (): boolean => (budgets.getStore()?.left ?? answerBudget) >= largestBatch

/** Reads the batches of one answer within its budget: fails where they are too many or too large. */
export const withinBudget = <A>(read: () => Promise<A>): Promise<A> => budgets.run({ left: answerBudget }, read)

/** Reads an integer of variable length (zigzag); NaN behind the end. */
const varIntsOf = (bytes: Buffer, at: { next: number }) => (): number => {
  let value = 0
  for (let scale = 1;; scale *= 128) {
    const byte = bytes[at.next++]
    if (byte === undefined) return Number.NaN
    value += (byte & 127) * scale
    if (byte < 128) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
}

/** The messages of a batch (Kafka: message format 2); infinite if they, or the headers of one, are more than any sender of ours writes. */
const countMessages = (bytes: Buffer): number => {
  const at = { next: 0 }
  const varInt = varIntsOf(bytes, at)
  const skipField = () => {
    const length = varInt()
    at.next += Math.max(0, length)
  }
  let count = 0
  while (at.next < bytes.length && count <= mostMessages) {
    const length = varInt()
    const end = at.next + length
    at.next++
    // The timestamp and the offset, then the key and the value.
    varInt()
    varInt()
    skipField()
    skipField()
    if (varInt() > mostHeaders) return Number.POSITIVE_INFINITY
    at.next = Math.max(end, at.next)
    count++
  }
  return count > mostMessages ? Number.POSITIVE_INFINITY : count
}

const readSmall = Option.liftThrowable((bytes: Buffer): Buffer => gunzipSync(bytes, { maxOutputLength: small.read }))

const decompress = async (bytes: Buffer): Promise<Buffer> => {
  const budget = budgets.getStore() ?? { left: answerBudget }
  const most = Math.min(largestBatch, budget.left)
  if (most <= 0) throw new RangeError("The batches of the answer are too large together")
  const read = Option.getOrNull(bytes.length <= small.compressed ? readSmall(bytes) : Option.none()) ??
    await readApart(bytes, { maxOutputLength: most })
  const messages = countMessages(read)
  if (messages === Number.POSITIVE_INFINITY) throw new RangeError("The batch has too many messages or headers")
  budget.left -= read.length + messages * messageWeight
  return read
}

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
