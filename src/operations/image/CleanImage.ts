/** Makes a file that holds only an image from one that somebody uploaded. */
import { Effect, Either } from "effect"
import { deflate, inflate } from "node:zlib"
import type { ImageType } from "../../../schema/image/Image.ts"
import { damagedImage, type ImageSize, notAnImage } from "../../domain/image/ImageLimits.ts"
import { cleanJpeg, jpegStart } from "../../domain/image/JpegImage.ts"
import { pngSignature } from "../../domain/image/PngChunks.ts"
import { areRows, type PngImage, readPng, writePng } from "../../domain/image/PngImage.ts"

interface CleanImage extends ImageSize {
  readonly type: ImageType
  readonly file: Buffer
}

/** Rows of at most as many bytes as the image has; another thread decompresses them. */
const rowsOf = ({ compressed, height, rowBytes }: PngImage) =>
  Effect.async<Buffer, string>((resume) =>
    inflate(
      compressed,
      { maxOutputLength: rowBytes * height },
      (error, rows) => resume(error === null ? Effect.succeed(rows) : Effect.fail(damagedImage))
    )
  )

const compressedAgain = (rows: Buffer) =>
  Effect.async<Buffer>((resume) =>
    deflate(rows, { level: 6 }, (error, compressed) => resume(error === null ? Effect.succeed(compressed) : Effect.die(error)))
  )

const cleanPng = Effect.fn("cleanPng")(function*(file: Buffer) {
  const image = yield* readPng(file)
  const rows = yield* rowsOf(image)
  if (!areRows(rows, image)) return yield* Effect.fail(damagedImage)
  const { height, width } = image
  return { type: "png", width, height, file: writePng(image, yield* compressedAgain(rows)) } satisfies CleanImage
})

/** Fails with what is wrong with the file. */
export const cleanImage = (file: Buffer): Effect.Effect<CleanImage, string> =>
  file.subarray(0, pngSignature.length).equals(pngSignature)
    ? cleanPng(file)
    : file.subarray(0, jpegStart.length).equals(jpegStart)
    ? Either.map(cleanJpeg(file), (image): CleanImage => ({ type: "jpeg", ...image }))
    : Effect.fail(notAnImage)
