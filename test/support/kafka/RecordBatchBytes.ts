/** Bytes of Kafka's record batches (message format 2), as good or as hostile as a test wants them. */
import { Buffer } from "node:buffer"

export const varInt = (value: number): Buffer => {
  const bytes: Array<number> = []
  let rest = value < 0 ? -2 * value - 1 : 2 * value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

const varBytes = (bytes: Buffer | null): Buffer => bytes === null ? varInt(-1) : Buffer.concat([varInt(bytes.length), bytes])

interface RecordShape {
  readonly delta: number
  readonly key?: string | null
  readonly value?: string | null
  readonly headers?: ReadonlyArray<readonly [string, string]>
}

export const recordBytes = ({ delta, headers = [], key = null, value = null }: RecordShape): Buffer => {
  const body = Buffer.concat([
    Buffer.from([0]),
    varInt(delta),
    varInt(delta),
    varBytes(key === null ? null : Buffer.from(key)),
    varBytes(value === null ? null : Buffer.from(value)),
    varInt(headers.length),
    ...headers.flatMap(([name, text]) => [varBytes(Buffer.from(name)), varBytes(Buffer.from(text))])
  ])
  return Buffer.concat([varInt(body.length), body])
}

interface BatchShape {
  readonly base: number
  readonly records: ReadonlyArray<Buffer>
  /** The records as they are sent; default: as they are. */
  readonly body?: Buffer
  readonly attributes?: number
  readonly lastDelta?: number
  readonly count?: number
  readonly length?: number
  readonly magic?: number
}

export const batchBytes = ({ attributes = 0, base, records, ...shape }: BatchShape): Buffer => {
  const { body = Buffer.concat(records), count = records.length, lastDelta = records.length - 1, magic = 2 } = shape
  const header = Buffer.alloc(61)
  header.writeBigInt64BE(BigInt(base), 0)
  header.writeInt32BE(shape.length ?? 49 + body.length, 8)
  header.writeInt8(magic, 16)
  header.writeInt16BE(attributes, 21)
  header.writeInt32BE(lastDelta, 23)
  header.writeBigInt64BE(1_795_000_000_000n, 27)
  header.writeBigInt64BE(1_795_000_000_000n, 35)
  header.writeBigInt64BE(-1n, 43)
  header.writeInt32BE(count, 57)
  return Buffer.concat([header, body])
}
