/**
 * Reads the record batches of a partition (message format 2) within bounds. An enrolled probe may write what it likes: a batch that
 * is too large, or none, is skipped as a whole, and a mark at its last offset leads readers on.
 */
import { CompressionCodecs, CompressionTypes, type IHeaders, type KafkaMessage } from "kafkajs"
import { ByteReader } from "./ByteReader.ts"
import { maxRequest } from "./KafkaBounds.ts"
import { isTooLarge, largestBatch } from "./KafkaCompression.ts"

/** The largest batch of a producer of ours, twice. A record takes seven bytes, which gzip makes nothing of, and an object in memory. */
const mostRecords = 2 * maxRequest.messages
/** Ours have three: the id of the probe, its signature and the trace. */
const mostHeaders = 8

/** About what a record and a header take in memory beside their bytes. */
const recordWeight = 300
const headerWeight = 150

/** Why a batch is skipped. */
export type BatchFault = "oversized" | "compression" | "malformed"

export interface SkippedBatch {
  readonly first: string
  readonly last: string
  readonly fault: BatchFault
}

export type ReadMessage = KafkaMessage & {
  /** True for the marks of transactions, and for a mark of ours, which stands for everything up to its offset. */
  readonly isControlRecord: boolean
  readonly batchContext: { readonly producerId: string; readonly inTransaction: boolean }
}

/** What the partitions of one answer may still take in memory, about, in bytes. */
export interface Budget {
  left: number
}

/** A whole answer of ordinary results takes a third. */
const answerBudget = 64 * 1024 * 1024
export const makeBudget = (left = answerBudget): Budget => ({ left })

/** The bytes of a batch up to its records, and up to the end of its length. */
const headerBytes = 61
const lengthBytes = 12
const format = 2
const flags = { codec: 0x07, logAppendTime: 0x08, transactional: 0x10, control: 0x20 }
const codecs = { none: 0, gzip: 1 }

interface Header {
  readonly base: bigint
  /** The bytes of the batch after its length, as it says. */
  readonly length: number
  readonly format: number
  readonly attributes: number
  readonly lastDelta: number
  readonly firstTimestamp: bigint
  readonly maxTimestamp: bigint
  readonly producerId: bigint
  readonly records: number
}

const readHeader = (bytes: Buffer, at: number): Header => {
  const reader = new ByteReader(bytes.subarray(at, at + headerBytes))
  const base = reader.int64()
  const length = reader.int32()
  reader.skip(4)
  const magic = reader.int8()
  reader.skip(4)
  const attributes = reader.int16()
  const lastDelta = reader.int32()
  const firstTimestamp = reader.int64()
  const maxTimestamp = reader.int64()
  const producerId = reader.int64()
  reader.skip(6)
  return { base, length, format: magic, attributes, lastDelta, firstTimestamp, maxTimestamp, producerId, records: reader.int32() }
}

/** The end of a batch, if the bytes have all of it. */
const endOf = (bytes: Buffer, at: number, { length }: Header): number | null => {
  const end = at + lengthBytes + length
  return length >= headerBytes - lengthBytes && end <= bytes.length ? end : null
}

/**
 * The last offset of a batch. What its header says counts if it is neither below the first, nor behind the end of the partition, nor
 * in the batch that follows: else the batch ends where that begins, or has one offset.
 */
const lastOffset = ({ base, lastDelta }: Header, following: bigint | null, partitionEnd: bigint): bigint => {
  const said = base + BigInt(lastDelta)
  if (lastDelta >= 0 && said < (following ?? partitionEnd)) return said
  return following === null ? base : following - 1n
}

/** The offset of the batch that begins there, if it lies between these; null if the bytes do not have its start. */
const baseAt = (bytes: Buffer, at: number | null, behind: bigint, partitionEnd: bigint): bigint | null => {
  const base = at !== null && at + headerBytes <= bytes.length ? bytes.readBigInt64BE(at) : null
  return base !== null && base > behind && base < partitionEnd ? base : null
}

const recordsOf = async ({ attributes }: Header, bytes: Buffer): Promise<Buffer | BatchFault> => {
  const codec = attributes & flags.codec
  if (codec === codecs.none) return bytes.length > largestBatch ? "oversized" : bytes
  if (codec !== codecs.gzip) return "compression"
  const gzip: { readonly decompress: (bytes: Buffer) => Promise<Buffer> } = CompressionCodecs[CompressionTypes.GZIP]()
  return gzip.decompress(bytes).catch((error: unknown) => isTooLarge(error) ? "oversized" : "malformed")
}

const addHeader = (headers: Map<string, Buffer | Array<Buffer>>, name: string, value: Buffer): void => {
  const before = headers.get(name)
  headers.set(name, before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value])
}

const noHeaders = {}

/** Null if there are more than ours have, or fewer than they should be. */
const readHeaders = (reader: ByteReader): { readonly headers: IHeaders; readonly count: number } | null => {
  const count = reader.varInt()
  if (count === 0) return { headers: noHeaders, count }
  if (count < 0 || count > mostHeaders) return null
  const headers = new Map<string, Buffer | Array<Buffer>>()
  for (let read = 0; read < count; read++) {
    const name = reader.take(reader.varInt()).toString("utf8")
    addHeader(headers, name, reader.varBytes() ?? Buffer.alloc(0))
  }
  return { headers: Object.fromEntries(headers), count }
}

interface Read {
  readonly messages: ReadonlyArray<ReadMessage>
  readonly weight: number
}

const readRecords = (bytes: Buffer, header: Header, last: bigint): Read | BatchFault => {
  const { attributes, base, firstTimestamp, maxTimestamp, records } = header
  if (records < 0) return "malformed"
  if (records > mostRecords) return "oversized"
  const reader = new ByteReader(bytes)
  const batchContext = { producerId: String(header.producerId), inTransaction: (attributes & flags.transactional) !== 0 }
  const isControlRecord = (attributes & flags.control) !== 0
  const isDatedByBroker = (attributes & flags.logAppendTime) !== 0
  const most = Number(last - base)
  const messages: Array<ReadMessage> = []
  let before = -1
  let weight = bytes.length
  for (let read = 0; read < records; read++) {
    const length = reader.varInt()
    const end = reader.at + length
    const attributesOfRecord = reader.int8()
    const timestamp = isDatedByBroker ? maxTimestamp : firstTimestamp + BigInt(reader.varInt())
    if (isDatedByBroker) reader.varInt()
    const delta = reader.varInt()
    const key = reader.varBytes()
    const value = reader.varBytes()
    const found = readHeaders(reader)
    if (found === null || reader.isBroken || reader.at !== end || delta <= before || delta > most) return "malformed"
    before = delta
    weight += recordWeight + headerWeight * found.count
    messages.push({
      attributes: attributesOfRecord,
      timestamp: String(timestamp),
      offset: String(base + BigInt(delta)),
      key,
      value,
      headers: found.headers,
      isControlRecord,
      batchContext
    })
  }
  return { messages, weight }
}

/** Leads readers behind offsets without messages: of a skipped batch, or at the end of one that was compacted. */
const markAt = (offset: bigint): ReadMessage => ({
  attributes: 0,
  timestamp: "0",
  offset: String(offset),
  key: null,
  value: null,
  headers: noHeaders,
  isControlRecord: true,
  batchContext: { producerId: "-1", inTransaction: false }
})

const readBatch = async (header: Header, bytes: Buffer | null, last: bigint): Promise<Read | BatchFault> => {
  if (bytes === null || header.format !== format) return "malformed"
  const records = await recordsOf(header, bytes)
  return typeof records === "string" ? records : readRecords(records, header, last)
}

/**
 * The messages of whole batches. It stops before a batch for which the budget has nothing left: the next answer brings it again.
 * Kafka cuts the last batch of an answer, but never the first, so one that is cut there has a wrong length. Where the length of a
 * batch is wrong the next one cannot be found, and the next answer begins behind it.
 */
export const readBatches = async (bytes: Buffer, partitionEnd: bigint, budget: Budget) => {
  const messages: Array<ReadMessage> = []
  const skipped: Array<SkippedBatch> = []
  let at: number | null = 0
  let least = 0n
  while (at !== null && at + headerBytes <= bytes.length && budget.left > 0) {
    const said = readHeader(bytes, at)
    const isInPlace = said.base >= least && said.base < partitionEnd
    const header = isInPlace ? said : { ...said, base: least }
    const end = endOf(bytes, at, header)
    if (end === null && at > 0 && header.length >= headerBytes - lengthBytes) break
    const last = lastOffset(header, baseAt(bytes, end, header.base, partitionEnd), partitionEnd)
    const records = end === null || !isInPlace ? null : bytes.subarray(at + headerBytes, end)
    const found = await readBatch(header, records, last)
    if (typeof found === "string") skipped.push({ first: String(header.base), last: String(last), fault: found })
    else for (const message of found.messages) messages.push(message)
    budget.left -= typeof found === "string" ? largestBatch : found.weight
    if (messages.at(-1)?.offset !== String(last)) messages.push(markAt(last))
    least = last + 1n
    at = least < partitionEnd ? end : null
  }
  return { messages, skipped }
}
