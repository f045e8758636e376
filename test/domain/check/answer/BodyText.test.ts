/** The charset of a body: the byte order mark, the header, and what pages, XML, JSON and style sheets say themselves. */
import { describe, expect, it } from "@effect/vitest"
import { bodyText } from "../../../../src/domain/check/answer/BodyText.ts"

const hex = (text: string): Buffer => Buffer.from(text, "hex")
const gbk = hex("d6d0cec4")
const after = (text: string, bytes: Buffer): Buffer => Buffer.concat([Buffer.from(text), bytes])

describe("the text of a body", () => {
  it.each<[string, string, Buffer, string]>([
    ["a header", "text/html; charset=GBK", gbk, "中文"],
    ["a header in quotes", "text/html;charset=\"gb2312\"", gbk, "中文"],
    ["the header of any type", "application/javascript; charset=gbk", gbk, "中文"],
    ["a label of the standard", "text/plain; charset=x-sjis", hex("93fa967b8cea"), "日本語"],
    ["Latin-1, which is Windows-1252 on the web", "text/plain; charset=iso-8859-1", hex("8093"), "€“"],
    ["what Node does not know", "text/plain; charset=iso-8859-16", hex("a4"), "€"],
    ["escape sequences", "text/plain; charset=iso-2022-jp", hex("1b2442467c4b5c386c1b2842"), "日本語"],
    ["a label that nobody knows", "text/plain; charset=klingon", Buffer.from("中文"), "中文"],
    ["nothing, if it is UTF-8", "text/plain", Buffer.from("Köln"), "Köln"],
    ["nothing, if it is not", "text/plain", Buffer.from("Köln", "latin1"), "Köln"],
    ["nothing, and no type", "", Buffer.from("Köln", "latin1"), "Köln"],
    ["a byte order mark, which is no part of the text", "text/plain", after("\uFEFF", Buffer.from("OK")), "OK"],
    ["a byte order mark, which outranks the header", "text/plain; charset=gbk", after("\uFEFF", Buffer.from("中")), "中"],
    ["UTF-16 with its mark", "text/html", Buffer.concat([hex("feff"), hex("4e2d6587")]), "中文"],
    ["JSON, which is UTF-8", "application/problem+json; charset=iso-8859-1", Buffer.from("\"Köln\""), "\"Köln\""],
    ["JSON that is not", "application/json; charset=iso-8859-1", Buffer.from("\"Köln\"", "latin1"), "\"Köln\""]
  ])("follows %s", (_, type, bytes, text) => expect(bodyText(bytes, type)).toBe(text))

  it.each([
    "<meta http-equiv=\"Content-Type\" content=\"text/html;charset=gbk\">",
    "<META CONTENT='text/html; charset = gbk' HTTP-EQUIV=content-type>",
    "<meta charset=gbk>",
    "<meta name=x/><meta\n charset=\" gbk \" >",
    "<!-- <meta charset=big5> --><meta charset=gbk>",
    `<!-- ${"x".repeat(3000)} --><meta charset=gbk>`,
    "<?xml version='1.0' encoding='gbk'?><html>"
  ])("follows the page %j", (page) => expect(bodyText(after(page, gbk), "text/html")).toBe(`${page}中文`))

  it("follows the declarations of XML and style sheets, and of no other text", () => {
    const xml = "<?xml version=\"1.0\" encoding=\"gbk\"?><a>"
    for (const type of ["application/xml", "text/xml", "application/rss+xml; v=2", "image/svg+xml"]) {
      expect([type, bodyText(after(xml, gbk), type)]).toEqual([type, `${xml}中文`])
    }
    expect(bodyText(after("@charset \"gbk\"; /* ", gbk), "text/css")).toBe("@charset \"gbk\"; /* 中文")
    expect(bodyText(Buffer.from("<\0?\0x\0", "latin1"), "text/xml")).toBe("<?x")
    expect(bodyText(Buffer.from("<meta charset=gbk>中文"), "text/plain")).toBe("<meta charset=gbk>中文")
  })

  it("keeps what was cut within its last character as UTF-8", () => {
    const bytes = Buffer.from("Köln 中")
    expect(bodyText(bytes.subarray(0, -1), "text/plain", false)).toMatch(/^Köln /)
    expect(bodyText(bytes.subarray(0, -1), "text/plain")).toMatch(/^KÃ¶ln /)
  })
})
