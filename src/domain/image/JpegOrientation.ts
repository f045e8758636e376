/**
 * How a camera was held (Exif 2.32, tag 0x0112): 1 to 8, of which 1 is upright. It is all of a photo's Exif data that draws it, so it is
 * read from a segment of any size and written as one that holds nothing else.
 */
const exif = Buffer.from("Exif\0\0", "latin1")
const orientationTag = 0x0112
const shortType = 3
const entryBytes = 12

export const upright = 1

/** The orientation that the content of an application's segment states; upright if that says nothing else. */
export const orientationOf = (content: Buffer): number => {
  if (!content.subarray(0, exif.length).equals(exif)) return upright
  const tiff = content.subarray(exif.length)
  const order = tiff.toString("latin1", 0, 2)
  if (tiff.length < 8 || (order !== "II" && order !== "MM")) return upright
  const isLittle = order === "II"
  const short = (at: number) => isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at)
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (directory + 2 > tiff.length) return upright
  const entries = short(directory)
  for (let index = 0; index < entries; index++) {
    const at = directory + 2 + index * entryBytes
    if (at + entryBytes > tiff.length) return upright
    if (short(at) === orientationTag && short(at + 2) === shortType) {
      const orientation = short(at + 8)
      return orientation >= 2 && orientation <= 8 ? orientation : upright
    }
  }
  return upright
}

/** A whole segment (APP1) that says the orientation alone. */
export const orientationSegment = (orientation: number): Buffer => {
  const tiff = Buffer.alloc(26)
  tiff.write("MM", "latin1")
  tiff.writeUInt16BE(42, 2)
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(1, 8)
  tiff.writeUInt16BE(orientationTag, 10)
  tiff.writeUInt16BE(shortType, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  const head = Buffer.from([0xff, 0xe1, 0, 2 + exif.length + tiff.length])
  return Buffer.concat([head, exif, tiff])
}

/** From this on, the picture lies on its side. */
export const isOnSide = (orientation: number): boolean => orientation >= 5
