/** The icon of the installed dashboard: a white bell on the brand's colour, drawn as a PNG of any size. */
import { deflateSync } from "node:zlib"

type Point = readonly [x: number, y: number]

/** The bits of the checksum of PNG (CRC-32, ISO 3309). */
const checksum = (bytes: Uint8Array): number => {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  }
  return (sum ^ 0xffffffff) >>> 0
}

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(checksum(body))
  return Buffer.concat([length, body, sum])
}

/** Within the bell, in a square from -1 to 1 whose middle 60 % every mask of a launcher shows. */
const isBell = ([x, y]: Point): boolean => {
  const wide = Math.abs(x)
  const dome = y >= -0.5 && y < 0 && wide * wide + y * y <= 0.09 + 0.16 * Math.max(0, 1 - Math.abs(y) * 2) && wide <= 0.32
  const body = y >= 0 && y <= 0.28 && wide <= 0.32 + 0.12 * (y / 0.28)
  const rim = y > 0.28 && y <= 0.36 && wide <= 0.48
  const clapper = y > 0.38 && x * x + (y - 0.38) * (y - 0.38) <= 0.0121
  const knob = x * x + (y + 0.42) * (y + 0.42) <= 0.0049
  return dome || body || rim || clapper || knob
}

const blue: ReadonlyArray<number> = [29, 78, 216, 255]
const white: ReadonlyArray<number> = [255, 255, 255, 255]

const header = (size: number): Buffer => {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(size, 0)
  data.writeUInt32BE(size, 4)
  // 8 bits of red, green, blue and alpha.
  data.set([8, 6, 0, 0, 0], 8)
  return chunk("IHDR", data)
}

/** A PNG of `size` pixels square. */
export const appIcon = (size: number): Uint8Array => {
  const rows = Buffer.alloc(size * (1 + size * 4))
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const at: Point = [((x + 0.5) * 2) / size - 1, ((y + 0.5) * 2) / size - 1]
      rows.set(isBell(at) ? white : blue, y * (1 + size * 4) + 1 + x * 4)
    }
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, header(size), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))])
}
