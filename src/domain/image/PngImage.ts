/**
 * Takes a PNG image apart, and puts it together again with nothing but what draws it: no texts, profiles or times, and nothing that
 * hides between or behind its parts.
 */
import { Either } from "effect"
import { damagedImage, type ImageSize, isOfFairSize, tooManyPixels } from "./ImageLimits.ts"
import { type PngChunk, pngSignature, readChunks, writeChunk } from "./PngChunks.ts"

/** Samples of a pixel by colour type: grey, colour, palette, grey with alpha, colour with alpha. */
const samples = new Map([[0, 1], [2, 3], [3, 1], [4, 2], [6, 4]])

/** Bits of a sample by colour type. Those of 16 bits are no image of a screen. */
const depths = new Map([[0, [1, 2, 4, 8]], [2, [8]], [3, [1, 2, 4, 8]], [4, [8]], [6, [8]]])

export interface PngImage extends ImageSize {
  readonly header: Buffer
  /** PLTE and tRNS, if it has them. */
  readonly colours: ReadonlyArray<PngChunk>
  /** Compressed rows. */
  readonly compressed: Buffer
  /** Bytes of a row with its filter type. */
  readonly rowBytes: number
}

const all = (chunks: ReadonlyArray<PngChunk>, type: string) => chunks.filter((one) => one.type === type)

/** Every part that draws the image, in their order. A part that a reader must know and that is none of these is refused. */
const isKnown = ({ type }: PngChunk): boolean =>
  ["IHDR", "PLTE", "IDAT", "IEND"].includes(type) || (type.charCodeAt(0) & 0x20) !== 0

const isPalette = ({ data }: PngChunk): boolean => data.length > 0 && data.length <= 768 && data.length % 3 === 0

export const readPng = (file: Buffer): Either.Either<PngImage, string> => {
  const chunks = readChunks(file)
  const [first] = chunks ?? []
  if (chunks === null || first?.type !== "IHDR" || first.data.length !== 13) return Either.left(damagedImage)
  const { data: header } = first
  const [depth = 0, colour = 0, ...methods] = header.subarray(8)
  const [size, palettes, alphas] = [
    { width: header.readUInt32BE(0), height: header.readUInt32BE(4) },
    all(chunks, "PLTE"),
    all(chunks, "tRNS")
  ]
  const isWhole = chunks.every(isKnown) && all(chunks, "IHDR").length === 1 && palettes.every(isPalette) &&
    palettes.length === (colour === 3 ? 1 : Math.min(palettes.length, 1)) && alphas.length <= 1 &&
    alphas.every(({ data }) => data.length <= 256) && depths.get(colour)?.includes(depth) === true &&
    // Deflate, adaptive filters, no interlacing.
    methods.every((method) => method === 0)
  if (!isWhole) return Either.left(damagedImage)
  if (!isOfFairSize(size)) return Either.left(tooManyPixels)
  return Either.right({
    ...size,
    header,
    colours: [...palettes, ...alphas],
    compressed: Buffer.concat(all(chunks, "IDAT").map(({ data }) => data)),
    rowBytes: 1 + Math.ceil(size.width * depth * (samples.get(colour) ?? 1) / 8)
  })
}

/** Whether decompressed rows are all of the image, each with one of the five filters. */
export const areRows = (rows: Buffer, { height, rowBytes }: PngImage): boolean => {
  if (rows.length !== rowBytes * height) return false
  for (let at = 0; at < rows.length; at += rowBytes) if ((rows[at] ?? 5) > 4) return false
  return true
}

/** The image with rows that were compressed again. */
export const writePng = ({ colours, header }: PngImage, compressed: Buffer): Buffer =>
  Buffer.concat([
    pngSignature,
    ...[{ type: "IHDR", data: header }, ...colours, { type: "IDAT", data: compressed }, { type: "IEND", data: Buffer.alloc(0) }]
      .map(writeChunk)
  ])
