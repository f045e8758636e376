// Makes a PNG smaller: at most 256 colours, of which the most frequent stay exact, so that flat areas and text keep their look.
import { crc32, deflateSync, inflateSync } from "node:zlib"

const most = 256
/** Colours that are taken over as they are; the others share what is left of the palette. */
const exact = 96

const chunksOf = (file) => {
  const chunks = []
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at)
    chunks.push({ type: file.toString("latin1", at + 4, at + 8), data: file.subarray(at + 8, at + 8 + length) })
    at += length + 12
  }
  return chunks
}

/** The filters of the specification, section 9: each predicts a byte from its left, upper and upper left neighbours. */
const paeth = (left, up, corner) => {
  const guess = left + up - corner
  const [toLeft, toUp, toCorner] = [left, up, corner].map((one) => Math.abs(guess - one))
  return toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner
}
const filters = [() => 0, (left) => left, (_, up) => up, (left, up) => (left + up) >> 1, paeth]

/** The pixels of an RGB or RGBA picture with eight bits a channel, as browsers write them: 0xrrggbb. */
const decoded = (file) => {
  const chunks = chunksOf(file)
  const header = chunks[0].data
  const [width, height, depth, type] = [header.readUInt32BE(0), header.readUInt32BE(4), header[8], header[9]]
  if (depth !== 8 || (type !== 2 && type !== 6)) throw new Error(`Cannot read a PNG of depth ${depth} and colour type ${type}`)
  const bytes = type === 2 ? 3 : 4
  const stride = width * bytes
  const raw = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data)))
  const pixels = new Uint32Array(width * height)
  let above = new Uint8Array(stride)
  for (let y = 0; y < height; y++) {
    const from = y * (stride + 1)
    const predicted = filters[raw[from]]
    const row = new Uint8Array(stride)
    for (let x = 0; x < stride; x++) {
      const left = x < bytes ? 0 : row[x - bytes]
      const corner = x < bytes ? 0 : above[x - bytes]
      row[x] = raw[from + 1 + x] + predicted(left, above[x], corner)
    }
    for (let x = 0; x < width; x++) pixels[y * width + x] = row[x * bytes] << 16 | row[x * bytes + 1] << 8 | row[x * bytes + 2]
    above = row
  }
  return { width, height, pixels }
}

const channels = [(color) => color >> 16, (color) => color >> 8 & 255, (color) => color & 255]

const rangeOf = (box, channel) => {
  const values = box.map(([color]) => channel(color))
  return Math.max(...values) - Math.min(...values)
}

/** Median cut (Heckbert 1982): the box with the widest range, weighted by its pixels, is cut at its median until there are enough. */
const boxesOf = (counted, wanted) => {
  const measured = (box) => {
    const channel = channels.reduce((widest, one) => (rangeOf(box, one) > rangeOf(box, widest) ? one : widest))
    const pixels = box.reduce((sum, [, count]) => sum + count, 0)
    return { box, channel, pixels, weight: box.length < 2 ? 0 : rangeOf(box, channel) * Math.sqrt(pixels) }
  }
  const boxes = [measured(counted)]
  while (boxes.length < wanted) {
    const widest = boxes.reduce((best, one) => (one.weight > best.weight ? one : best))
    if (widest.weight === 0) break
    const sorted = [...widest.box].sort(([one], [other]) => widest.channel(one) - widest.channel(other))
    let at = 1
    for (let seen = sorted[0][1]; at < sorted.length - 1 && seen < widest.pixels / 2; at++) seen += sorted[at][1]
    boxes.splice(boxes.indexOf(widest), 1, measured(sorted.slice(0, at)), measured(sorted.slice(at)))
  }
  return boxes.map(({ box }) => box)
}

const meanOf = (box) => {
  const pixels = box.reduce((sum, [, count]) => sum + count, 0)
  const [red, green, blue] = channels.map((channel) =>
    Math.round(box.reduce((sum, [color, count]) => sum + channel(color) * count, 0) / pixels)
  )
  return red << 16 | green << 8 | blue
}

/** The palette, and the place in it for each colour. */
const paletteOf = (pixels) => {
  const counts = new Map()
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1)
  const byCount = [...counts].sort(([, one], [, other]) => other - one)
  const kept = byCount.slice(0, byCount.length <= most ? most : exact)
  const rest = byCount.slice(kept.length)
  const boxes = [...kept.map((one) => [one]), ...(rest.length === 0 ? [] : boxesOf(rest, most - kept.length))]
  const places = new Map(boxes.flatMap((box, place) => box.map(([color]) => [color, place])))
  return { palette: boxes.map(meanOf), places }
}

const chunk = (type, data) => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

export const palettePng = (file) => {
  const { height, pixels, width } = decoded(file)
  const { palette, places } = paletteOf(pixels)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits a pixel, colour type 3: an index into the palette.
  header.set([8, 3, 0, 0, 0], 8)
  // Each row begins with its filter, 0: neighbours in a palette have nothing in common.
  const rows = Buffer.alloc((width + 1) * height)
  for (const [at, color] of pixels.entries()) rows[at + Math.floor(at / width) + 1] = places.get(color)
  return Buffer.concat([
    file.subarray(0, 8),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap((color) => channels.map((channel) => channel(color))))),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0))
  ])
}
