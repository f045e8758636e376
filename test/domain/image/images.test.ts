/** Uploaded images: what is accepted, what is left of it, and where it is shown. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import fc from "fast-check"
import { deflateSync, inflateSync } from "node:zlib"
import { ImageId } from "../../../schema/Ids.ts"
import { imageName, readImageName, readImageUrl, withoutImageUrls } from "../../../src/domain/image/ImageName.ts"
import { cleanJpeg } from "../../../src/domain/image/JpegImage.ts"
import { type PngChunk, pngSignature, readChunks, writeChunk } from "../../../src/domain/image/PngChunks.ts"
import { markdownHtml } from "../../../src/domain/markdown/MarkdownHtml.ts"
import { markdownText } from "../../../src/domain/markdown/MarkdownText.ts"
import { readMarkdown } from "../../../src/domain/markdown/ReadMarkdown.ts"
import { withBrandingDefaults } from "../../../src/domain/page/PageDefaults.ts"
import { shownBranding, showsUploads, uploadSources } from "../../../src/domain/page/PageImages.ts"
import { maskUrls } from "../../../src/domain/secret/UrlSecrets.ts"
import { cleanImage } from "../../../src/operations/image/CleanImage.ts"

const header = (width: number, height: number, [depth, colour, interlaced]: readonly [number, number, number] = [8, 6, 0]) => {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([depth, colour, 0, 0, interlaced], 8)
  return { type: "IHDR", data }
}

const fileOf = (chunks: ReadonlyArray<PngChunk>) => Buffer.concat([pngSignature, ...chunks.map(writeChunk)])
const end = { type: "IEND", data: Buffer.alloc(0) }
const rows = (width: number, height: number, filter = 0) =>
  Buffer.concat(Array.from({ length: height }, () => Buffer.concat([Buffer.from([filter]), Buffer.alloc(width * 4, 0x5c)])))
const pixels = (data: Buffer) => ({ type: "IDAT", data: deflateSync(data) })

const plain = fileOf([header(3, 2), pixels(rows(3, 2)), end])

const clean = (file: Buffer) => Effect.runPromise(Effect.either(cleanImage(file)))
const refused = async (file: Buffer) => Either.isLeft(await clean(file))

/** Segments of a JPEG file: markers with their content, the scan with its data. */
const segment = (marker: number, content: ReadonlyArray<number> | string) => {
  const data = typeof content === "string" ? Buffer.from(content, "latin1") : Buffer.from(content)
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}
const frame = segment(0xc0, [8, 0, 2, 0, 3, 1, 1, 0x11, 0])
const scan = Buffer.concat([segment(0xda, [1, 1, 0, 0, 63, 0]), Buffer.from([1, 0xff, 0, 2, 0xff, 0xd3, 3])])
const jpeg = (...parts: ReadonlyArray<Buffer>) => Buffer.concat([Buffer.from([0xff, 0xd8]), ...parts, Buffer.from([0xff, 0xd9])])

describe("a PNG image", () => {
  it("is the same picture afterwards, without anything that does not draw it", async () => {
    const place = { type: "tEXt", data: Buffer.from("Location\0Here") }
    const script = { type: "zzZz", data: Buffer.from("<script>alert(1)</script>") }
    const [first, last] = [rows(3, 2).subarray(0, 5), rows(3, 2).subarray(5)]
    const whole = deflateSync(Buffer.concat([first, last]))
    const split = [{ type: "IDAT", data: whole.subarray(0, 4) }, { type: "IDAT", data: whole.subarray(4) }]
    const image = Either.getOrThrow(await clean(fileOf([header(3, 2), place, script, ...split, place, end])))
    const { file, ...about } = image
    expect(about).toEqual({ type: "png", width: 3, height: 2 })
    const chunks = readChunks(file) ?? []
    expect(chunks.map(({ type }) => type)).toEqual(["IHDR", "IDAT", "IEND"])
    expect(inflateSync(chunks[1]?.data ?? Buffer.alloc(0))).toEqual(rows(3, 2))
  })

  it("keeps its palette", async () => {
    const colours = [{ type: "PLTE", data: Buffer.from([1, 2, 3]) }, { type: "tRNS", data: Buffer.from([9]) }]
    const { file } = Either.getOrThrow(
      await clean(fileOf([header(8, 1, [1, 3, 0]), ...colours, pixels(Buffer.from([0, 0xaa])), end]))
    )
    expect((readChunks(file) ?? []).map(({ type }) => type)).toEqual(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"])
  })

  it.each([
    ["with something behind its end", Buffer.concat([plain, Buffer.from("PK")])],
    ["without an end", plain.subarray(0, -12)],
    ["with a wrong checksum", Buffer.concat([plain.subarray(0, 30), Buffer.from([0]), plain.subarray(31)])],
    ["with fewer rows than it says", fileOf([header(3, 3), pixels(rows(3, 2)), end])],
    ["with more rows than it says", fileOf([header(3, 1), pixels(rows(3, 2)), end])],
    ["with a filter that does not exist", fileOf([header(3, 2), pixels(rows(3, 2, 5)), end])],
    [
      "with a part that a reader must know",
      fileOf([header(3, 2), { type: "HIDE", data: Buffer.alloc(1) }, pixels(rows(3, 2)), end])
    ],
    ["with two headers", fileOf([header(3, 2), header(3, 2), pixels(rows(3, 2)), end])],
    ["that is interlaced", fileOf([header(3, 2, [8, 6, 1]), pixels(rows(3, 2)), end])],
    ["of 16 bits", fileOf([header(3, 2, [16, 6, 0]), pixels(rows(6, 2)), end])],
    ["without a size", fileOf([header(0, 2), pixels(rows(0, 2)), end])],
    ["of too many pixels", fileOf([header(4096, 4096), pixels(rows(1, 1)), end])],
    ["of one side that is too long", fileOf([header(5000, 1), pixels(rows(5000, 1)), end])],
    ["that unpacks to far more than it shows", fileOf([header(3, 2), pixels(Buffer.alloc(50_000_000)), end])]
  ])("is refused %s", async (_, file) => {
    expect(await refused(file)).toBe(true)
  })
})

describe("a JPEG image", () => {
  it("keeps what draws it, and no comment, place or profile", () => {
    const aside = [segment(0xe0, "JFIF\0"), segment(0xe1, "Exif\0\0GPS"), segment(0xfe, "secret")]
    const adobe = segment(0xee, "Adobe\0dddddd")
    const tables = segment(0xdb, [0, ...Array.from({ length: 64 }, () => 1)])
    const file = Buffer.concat([jpeg(...aside, adobe, tables, frame, segment(0xfe, "x"), scan), Buffer.from("<script>")])
    const image = Either.getOrThrow(cleanJpeg(file))
    expect([image.width, image.height]).toEqual([3, 2])
    expect(image.file).toEqual(jpeg(adobe, tables, frame, scan))
    expect(image.file.toString("latin1")).not.toMatch(/Exif|secret|script/)
  })

  it("keeps how the camera was held, and nothing else of what it wrote, so that a photo is not on its side", () => {
    /** One entry of another tag, then the orientation, then a place. */
    const photo = (little: boolean, orientation: number) => {
      const tiff = Buffer.alloc(60)
      const short = (value: number, at: number) => little ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at)
      const long = (value: number, at: number) => little ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at)
      tiff.write(little ? "II" : "MM", "latin1")
      short(42, 2)
      long(10, 4)
      short(2, 10)
      for (const [entry, tag, value] of [[0, 0x0100, 3], [1, 0x0112, orientation]] as const) {
        short(tag, 12 + entry * 12)
        short(3, 14 + entry * 12)
        long(1, 16 + entry * 12)
        short(value, 20 + entry * 12)
      }
      tiff.write("Berlin", 40)
      return jpeg(segment(0xe1, `Exif\0\0${tiff.toString("latin1")}`), frame, scan)
    }
    for (const little of [true, false]) {
      for (const orientation of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
        const { file, height, width } = Either.getOrThrow(cleanJpeg(photo(little, orientation)))
        expect([width, height]).toEqual(orientation >= 5 && orientation <= 8 ? [2, 3] : [3, 2])
        expect(file.includes("Berlin")).toBe(false)
        const isTurned = orientation >= 2 && orientation <= 8
        expect(file.length).toBe(jpeg(frame, scan).length + (isTurned ? 36 : 0))
        // Read again, it is the same.
        expect(Either.getOrThrow(cleanJpeg(file))).toEqual({ file, height, width })
      }
    }
  })

  it("may be drawn in several scans", () => {
    expect(Either.getOrThrow(cleanJpeg(jpeg(frame, scan, segment(0xc4, [0]), scan))).file).toEqual(
      jpeg(frame, scan, segment(0xc4, [0]), scan)
    )
  })

  it.each([
    ["without a scan", jpeg(frame)],
    ["with a scan before its size", jpeg(scan, frame)],
    ["with two sizes", jpeg(frame, frame, scan)],
    ["that ends early", jpeg(frame, scan).subarray(0, -2)],
    ["of an arithmetic coder, which browsers do not draw", jpeg(segment(0xc9, [8, 0, 2, 0, 3, 1, 1, 0x11, 0]), scan)],
    ["with a segment longer than the file", Buffer.from([0xff, 0xd8, 0xff, 0xdb, 0xff, 0xff, 0])],
    ["of too many pixels", jpeg(segment(0xc0, [8, 0x10, 0, 0x10, 0, 1, 1, 0x11, 0]), scan)]
  ])("is refused %s", (_, file) => {
    expect(Either.isLeft(cleanJpeg(file))).toBe(true)
  })
})

describe("any file", () => {
  it("is refused unless it is a PNG or JPEG image", async () => {
    for (const text of ["", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "GIF89a", "RIFF0000WEBPVP8 "]) {
      expect(await refused(Buffer.from(text))).toBe(true)
    }
  })

  it("never fails in another way, and grows by little", async () => {
    const start = fc.constantFrom(plain, jpeg(frame, scan))
    const changed = fc.tuple(start, fc.array(fc.tuple(fc.nat(80), fc.nat(255)), { maxLength: 4 })).map(([file, changes]) => {
      const copy = Buffer.from(file)
      for (const [at, byte] of changes) if (at < copy.length) copy[at] = byte
      return copy
    })
    await fc.assert(fc.asyncProperty(changed, async (file) => {
      const image = await clean(file)
      if (Either.isRight(image)) expect(image.right.file.length).toBeLessThanOrEqual(file.length + 64)
    }))
  })
})

const service = "https://belltower.test"
const name = imageName({ id: ImageId.make("img_01k9x2m4q8e7s9v3bthn5wza6c"), type: "png", width: 1200, height: 800 })
const url = `${service}/images/${name}`
const html = (source: string, images?: string) => markdownHtml(readMarkdown(source), { heading: 3, images })

describe("an uploaded image in a text", () => {
  it("is shown with its size and its description, and leads to itself", () => {
    expect(html(`![A "graph"](${url})`, service)).toBe(
      `<p dir="auto"><a href="${url}" rel="nofollow noopener"><img src="${url}" alt="A &quot;graph&quot;" width="1200" height="800" loading="lazy"></a></p>`
    )
  })

  it("is a link where images are not shown, and as a link of its writer; so is an image elsewhere", () => {
    const others = [
      `https://evil.test/images/${name}`,
      `${service}/images/${name}?x=1`,
      `${service}/images/../hb/x`,
      `${service}/hb/x`
    ]
    const shown = [
      html(`![a](${url})`),
      html(`[a](${url})`, service),
      ...others.map((one) => html(`![a](${one})`, service))
    ]
    for (const one of shown) {
      expect(one).not.toContain("<img")
      expect(one).toContain(">a</a>")
    }
    expect(markdownText(`![a](${url})`)).toContain(url)
  })

  it("keeps its address where secrets of addresses are hidden", () => {
    expect(maskUrls(`See ![a](${url}).`)).toBe(`See ![a](${url}).`)
    expect(maskUrls(`https://a.test/images/${name.replace(".png", "")}`)).not.toContain(name.slice(0, 20))
  })

  it("is no host name that readers must not see, while anything else at the service is", () => {
    expect(withoutImageUrls(`a ![b](${url}) c`, service)).toBe("a ![b]() c")
    for (const text of [`${service}/images/x`, `${service}/hb/x`, "none"]) expect(withoutImageUrls(text, service)).toBe(text)
  })

  it("says its size in its name, and nothing else is such a name", () => {
    expect(readImageName(name)).toEqual({ id: "img_01k9x2m4q8e7s9v3bthn5wza6c", width: 1200, height: 800 })
    expect(readImageUrl(url, service)).not.toBeNull()
    for (const other of [`../${name}`, `${name}/`, name.replace("png", "svg"), name.toUpperCase(), `x${name}`]) {
      expect(readImageName(other)).toBeNull()
    }
  })
})

describe("the images of a page", () => {
  const elsewhere = "https://cdn.acme.test/icon.png"
  const branding = (more: Parameters<typeof withBrandingDefaults>[0]) => withBrandingDefaults(more)

  it("are those that were uploaded or those elsewhere, never both: one elsewhere could lead to any path of the service", () => {
    const mixed = branding({ logoUrl: url, logoDarkUrl: elsewhere, faviconUrl: "data:image/png;base64,AA" })
    const shown = shownBranding(mixed, service)
    expect([shown.logoUrl, shown.logoDarkUrl, shown.faviconUrl]).toEqual([url, null, mixed.faviconUrl])
    expect(uploadSources(mixed, service)).toEqual([])
    expect(uploadSources(shown, service)).toEqual([`${service}/images/`])
  })

  it("include those in its texts, unless its logo is elsewhere", () => {
    const texts = [`![a](${url})`]
    expect(uploadSources(branding({}), service, texts)).toEqual([`${service}/images/`])
    expect(uploadSources(branding({}), service, ["No image."])).toEqual([])
    expect(uploadSources(branding({ logoUrl: elsewhere }), service, texts)).toEqual([])
    expect(showsUploads(branding({ logoUrl: elsewhere }), service)).toBe(false)
    expect(shownBranding(branding({ logoUrl: elsewhere }), service).logoUrl).toBe(elsewhere)
  })
})
