/** Web addresses in texts of status pages. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { linkParts } from "../../../src/domain/page/LinkParts.ts"

const urlsOf = (text: string) => linkParts(text).flatMap(({ url }) => url === null ? [] : [url])

describe("the links of a text", () => {
  const word = fc.constantFrom(
    "https://a.test/x",
    "http://b.test",
    "(",
    ")",
    ".",
    " ",
    "javascript:alert(1)",
    "<b>",
    "https://",
    "\n",
    "x"
  )

  it.prop("leave the text as it is, and lead only to web addresses", [
    fc.oneof(fc.array(word).map((words) => words.join("")), fc.string())
  ], ([text]) => {
    expect(linkParts(text).map((part) => part.text).join("")).toBe(text)
    for (const url of urlsOf(text)) expect(new URL(url).protocol).toMatch(/^https?:$/)
  })

  it("end where the sentence goes on", () => {
    expect(urlsOf("See https://a.test/x. Or (https://b.test/y), https://c.test/z_(1)! **https://d.test/**")).toEqual([
      "https://a.test/x",
      "https://b.test/y",
      "https://c.test/z_(1)",
      "https://d.test/"
    ])
  })
})
