/** Reads PNG files into their chunks, and writes them (W3C Portable Network Graphics, third edition, section 5). */
import { crc32 } from "node:zlib"

export const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export interface PngChunk {
  /** Four letters. */
  readonly type: string
  readonly data: Buffer
}

export const writeChunk = ({ data, type }: PngChunk): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** The length, the type and the checksum. */
const around = 12

/** All chunks through IEND, which must end the file; null for anything else. */
export const readChunks = (file: Buffer): ReadonlyArray<PngChunk> | null => {
  if (!file.subarray(0, pngSignature.length).equals(pngSignature)) return null
  const chunks: Array<PngChunk> = []
  let at = pngSignature.length
  while (at + around <= file.length) {
    const length = file.readUInt32BE(at)
    const end = at + around + length
    if (end > file.length) return null
    const body = file.subarray(at + 4, end - 4)
    if (crc32(body) !== file.readUInt32BE(end - 4)) return null
    const type = body.toString("latin1", 0, 4)
    chunks.push({ type, data: body.subarray(4) })
    if (type === "IEND") return end === file.length ? chunks : null
    at = end
  }
  return null
}
