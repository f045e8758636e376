/** Encodes an image with a palette as PNG (W3C Portable Network Graphics, third edition). */
import { crc32, deflateSync } from "node:zlib"

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

export interface Raster {
  readonly width: number
  readonly height: number
  /** `#rrggbb`, at most 256. */
  readonly palette: ReadonlyArray<string>
  /** One byte a pixel, row by row: an index into the palette. */
  readonly pixels: Buffer
}

export const png = ({ height, palette, pixels, width }: Raster): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits a pixel, colour type 3 (palette), and the only compression, filter and interlace methods needed.
  header.set([8, 3, 0, 0, 0], 8)
  // Each row begins with its filter type, 0.
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) pixels.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width)
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.map((colour) => colour.slice(1)).join(""), "hex")),
    chunk("IDAT", deflateSync(rows, { level: 6 })),
    chunk("IEND", Buffer.alloc(0))
  ])
}
