/** Writes and reads compact binary records: whole numbers in as few bytes as they need, texts and raw bytes. */

export type ByteWriter = ReturnType<typeof makeByteWriter>

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const makeByteWriter = () => {
  let held = new Uint8Array(1024)
  let length = 0
  const room = (wanted: number): void => {
    if (length + wanted <= held.length) return
    const grown = new Uint8Array(Math.max(held.length * 2, length + wanted))
    grown.set(held)
    held = grown
  }
  const whole = (value: number): void => {
    if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) throw new RangeError(`${value} is no whole number from 0 to 2^53 - 1`)
    room(8)
    let rest = value
    for (; rest > 127; rest = Math.floor(rest / 128)) held[length++] = 128 + rest % 128
    held[length++] = rest
  }
  const raw = (value: Uint8Array): void => {
    room(value.length)
    held.set(value, length)
    length += value.length
  }
  return {
    /** A whole number from 0 to 2^53 - 1: seven bits a byte, least significant first. Throws a RangeError for any other. */
    whole,
    raw,
    /** A whole number of either sign; small ones take few bytes. */
    signed: (value: number): void => whole(value < 0 ? -2 * value - 1 : 2 * value),
    float: (value: number): void => raw(new Uint8Array(new Float64Array([value]).buffer)),
    text: (value: string): void => {
      const encoded = encoder.encode(value)
      whole(encoded.length)
      raw(encoded)
    },
    bytes: (): Uint8Array => held.slice(0, length)
  }
}

export type ByteReader = ReturnType<typeof makeByteReader>

/** Reads what a `ByteWriter` wrote, in the same order. Past the end every byte is 0. */
export const makeByteReader = (source: Uint8Array) => {
  let at = 0
  const whole = (): number => {
    let value = 0
    for (let factor = 1;; factor *= 128) {
      const byte = source[at++] ?? 0
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  const raw = (length: number): Uint8Array => source.subarray(at, at += length)
  return {
    whole,
    raw,
    signed: (): number => {
      const value = whole()
      return value % 2 === 1 ? -(value + 1) / 2 : value / 2
    },
    float: (): number => new Float64Array(raw(8).slice().buffer)[0] ?? 0,
    text: (): string => decoder.decode(raw(whole()))
  }
}
