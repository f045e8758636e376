/** Reads the numbers and bytes of Kafka's formats one after another. Behind the end everything is 0, and `isBroken` says so. */
const empty = Buffer.alloc(0)
/** A number of 64 bits takes at most so many bytes. */
const longestVarInt = 10

export class ByteReader {
  at = 0
  isBroken = false
  private readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Bytes that were not read yet. */
  get left(): number {
    return this.bytes.length - this.at
  }

  /** Moves behind the next bytes and returns where they begin; null if there are not as many. */
  private pass(count: number): number | null {
    if (count < 0 || count > this.left) {
      this.isBroken = true
      return null
    }
    this.at += count
    return this.at - count
  }

  skip(count: number): void {
    this.pass(count)
  }

  int8(): number {
    const at = this.pass(1)
    return at === null ? 0 : this.bytes.readInt8(at)
  }

  int16(): number {
    const at = this.pass(2)
    return at === null ? 0 : this.bytes.readInt16BE(at)
  }

  int32(): number {
    const at = this.pass(4)
    return at === null ? 0 : this.bytes.readInt32BE(at)
  }

  int64(): bigint {
    const at = this.pass(8)
    return at === null ? 0n : this.bytes.readBigInt64BE(at)
  }

  /** A signed number of variable length. */
  varInt(): number {
    let value = 0
    let scale = 1
    for (let read = 0; read < longestVarInt; read++) {
      const byte = this.bytes[this.at]
      if (byte === undefined) break
      this.at++
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
      scale *= 128
    }
    this.isBroken = true
    return 0
  }

  /** A part of the bytes, not a copy. */
  take(count: number): Buffer {
    const at = this.pass(count)
    return at === null ? empty : this.bytes.subarray(at, at + count)
  }

  /** Bytes after their length as a number of variable length; null if that is -1. */
  varBytes(): Buffer | null {
    const length = this.varInt()
    return length === -1 ? null : this.take(length)
  }
}
