/**
 * Takes a JPEG image apart (ITU-T T.81, annex B), and puts it together again with nothing but what draws it: how the camera
 * was held, but no comments and no places where photos were taken, and nothing behind its end.
 */
import { Either } from "effect"
import { damagedImage, type ImageSize, isOfFairSize, tooManyPixels } from "./ImageLimits.ts"
import { isOnSide, orientationOf, orientationSegment, upright } from "./JpegOrientation.ts"

export const jpegStart = Buffer.from([0xff, 0xd8])
const end = 0xd9
const scan = 0xda

/** Baseline, extended and progressive frames; browsers draw no others. */
const frames = new Set([0xc0, 0xc1, 0xc2])

/** Segments that draw: frames, Huffman and quantization tables, restart intervals, scans. */
const drawing = new Set([...frames, 0xc4, 0xdb, 0xdd, scan])

/** Applications' segments and comments, which are left out. */
const isAside = (marker: number): boolean => (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe

/** Says how the colours are stored: without it, an image of Adobe's programs would have other ones. */
const isColourTransform = (marker: number, content: Buffer): boolean =>
  marker === 0xee && content.length === 12 && content.toString("latin1", 0, 5) === "Adobe"

/** Where the data of a scan ends: at the next marker that is neither a stuffed byte nor a restart. */
const scanEnd = (file: Buffer, from: number): number => {
  let at = file.indexOf(0xff, from)
  while (at !== -1) {
    const next = file[at + 1] ?? end
    if (next !== 0 && (next < 0xd0 || next > 0xd7) && next !== 0xff) return at
    at = file.indexOf(0xff, at + 1)
  }
  return file.length
}

interface JpegImage extends ImageSize {
  readonly file: Buffer
}

const sizeOf = (content: Buffer): ImageSize => ({ height: content.readUInt16BE(1), width: content.readUInt16BE(3) })

export const cleanJpeg = (file: Buffer): Either.Either<JpegImage, string> => {
  const parts: Array<Buffer> = []
  let size: ImageSize | null = null
  let orientation = upright
  let scans = 0
  let at = jpegStart.length
  while (at + 1 < file.length && file[at] === 0xff) {
    const marker = file[at + 1] ?? 0
    if (marker === end) {
      if (size === null || scans === 0) return Either.left(damagedImage)
      if (!isOfFairSize(size)) return Either.left(tooManyPixels)
      const held = orientation === upright ? [] : [orientationSegment(orientation)]
      const { height, width } = size
      return Either.right({
        ...(isOnSide(orientation) ? { height: width, width: height } : size),
        file: Buffer.concat([jpegStart, ...held, ...parts, Buffer.from([0xff, end])])
      })
    }
    const length = at + 4 <= file.length ? file.readUInt16BE(at + 2) : 0
    const after = at + 2 + length
    const content = file.subarray(at + 4, after)
    const draws = drawing.has(marker)
    if (length < 2 || after > file.length || !(draws || isAside(marker))) return Either.left(damagedImage)
    if (frames.has(marker)) {
      if (size !== null || content.length < 6) return Either.left(damagedImage)
      size = sizeOf(content)
    }
    if (marker === scan && size === null) return Either.left(damagedImage)
    const next = marker === scan ? scanEnd(file, after) : after
    if (marker === scan) scans += 1
    if (marker === 0xe1 && orientation === upright) orientation = orientationOf(content)
    if (draws || isColourTransform(marker, content)) parts.push(file.subarray(at, next))
    at = next
  }
  return Either.left(damagedImage)
}
