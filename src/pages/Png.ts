/** Encodes an image with a palette as PNG (W3C Portable Network Graphics, third edition). */
import { deflateSync } from "node:zlib"
import { pngSignature, writeChunk } from "../domain/image/PngChunks.ts"

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
    pngSignature,
    writeChunk({ type: "IHDR", data: header }),
    writeChunk({ type: "PLTE", data: Buffer.from(palette.map((colour) => colour.slice(1)).join(""), "hex") }),
    writeChunk({ type: "IDAT", data: deflateSync(rows, { level: 6 }) }),
    writeChunk({ type: "IEND", data: Buffer.alloc(0) })
  ])
}
