/** The head of a response: lines as lenient as browsers and curl read them, and framing that has one reading only. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { plainHead, readHead, textsOf } from "../../../../src/domain/check/answer/ResponseHead.ts"

const bytesOf = (text: string): string => Buffer.from(text).toString("latin1")

const read = (...lines: ReadonlyArray<string>) => Either.getOrThrow(readHead(["HTTP/1.1 200 OK", ...lines].join("\r\n")))

const refusal = (...lines: ReadonlyArray<string>) => Either.flip(readHead(["HTTP/1.1 200 OK", ...lines].join("\r\n")))

const headersOf = (...lines: ReadonlyArray<string>) => textsOf(read(...lines)).headers

describe("the head of a response", () => {
  it.each<[string, number, string]>([
    ["HTTP/1.1 200 OK", 200, "OK"],
    ["HTTP/1.1 200", 200, ""],
    ["HTTP/1.1 200 ", 200, ""],
    ["HTTP/1.0  404  Not Found", 404, "Not Found"],
    ["http/1.1 503 Busy", 503, "Busy"],
    ["HTTP/2 200", 200, ""],
    ["ICY 200 OK", 200, "OK"],
    [bytesOf("HTTP/1.1 200 Größe"), 200, "Größe"]
  ])(
    "may begin with %j",
    (line, statusCode, statusMessage) =>
      expect(textsOf(Either.getOrThrow(readHead(line)))).toMatchObject({ statusCode, statusMessage })
  )

  it.each(["HTTP/1.1 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000", "HTTP/1.1 099 Low", "HTTP/1.1200 OK"])(
    "may not begin with %j",
    (line) => expect(Either.isLeft(readHead(line))).toBe(true)
  )

  it("has the headers that browsers see in odd lines", () => {
    expect(headersOf("X-Space : a")).toEqual({ "x-space": "a" })
    expect(headersOf("no colon", "X: a")).toEqual({ x: "a" })
    expect(headersOf(": a", " : b", "X: a")).toEqual({ x: "a" })
    expect(headersOf("two words: a", "(x): b", "X: a")).toEqual({ x: "a" })
    expect(headersOf("X: a\rb")).toEqual({ x: "a b" })
    expect(headersOf("X: a", "\tb", " c")).toEqual({ x: "a b c" })
    expect(headersOf(" before: all", "X: a")).toEqual({ x: "a" })
    expect(headersOf("X: \t a \t ")).toEqual({ x: "a" })
    expect(headersOf("X:")).toEqual({ x: "" })
    expect(headersOf("X: \x01\x7f")).toEqual({ x: "\x01\x7f" })
    expect(headersOf("__proto__: a")).toEqual(Object.fromEntries([["__proto__", "a"]]))
  })

  it("joins repeated headers, except those that are said once, and keeps cookies apart", () => {
    expect(headersOf("X: a", "x: b", "Location: /a", "Location: /b", "Set-Cookie: a=1", "Set-Cookie: b=2")).toEqual({
      "x": "a, b",
      "location": "/a",
      "set-cookie": ["a=1", "b=2"]
    })
  })

  it("is read as UTF-8 where it is valid UTF-8, else as Latin-1; a location keeps its bytes", () => {
    expect(headersOf(bytesOf("X: Köln 日本"))).toEqual({ x: "Köln 日本" })
    expect(headersOf("X: K\xf6ln")).toEqual({ x: "Köln" })
    expect(headersOf(bytesOf("Location: /größe"))).toEqual({ location: "/größe" })
    expect(headersOf("Location: /gr\xf6\xdfe")).toEqual({ location: "/gr%F6%DFe" })
  })

  it.each<[ReadonlyArray<string>, "chunked" | number | null]>([
    [["Content-Length: 5"], 5],
    [["Content-Length: 5, 5"], 5],
    [["Content-Length: 5", "content-length : 5"], 5],
    [["Content-Length: 005"], 5],
    [["Content-Length:"], null],
    [["Content-Length: five"], null],
    [["Content-Length: -5"], null],
    [["Content-Length: \"5\""], null],
    [["Transfer-Encoding: chunked"], "chunked"],
    [["Transfer-Encoding:", " chunked"], "chunked"],
    [["Transfer-Encoding: Chunked", "Transfer-Encoding: chunked"], "chunked"],
    [["Transfer-Encoding: identity", "Content-Length: 5"], 5],
    [["Transfer-Encoding: gzip, chunked"], "chunked"],
    [["Transfer-Encoding: gzip"], null],
    [["Transfer-Encoding: chunked", "Content-Length: 5"], "chunked"],
    [[], null]
  ])("%j says where the body ends: %j", (lines, framing) => expect(read(...lines).framing).toBe(framing))

  it.each<[ReadonlyArray<string>, RegExp]>([
    [["Content-Length: 5", "Content-Length: 6"], /two lengths, Content-Length "5" and "6"/],
    [["Content-Length: 5, 6"], /two lengths/],
    [["Content-Length: 5, +5"], /two lengths/],
    [["Content-Length: 5,"], /two lengths/],
    [["Transfer-Encoding: chunked, gzip"], /chunked is not the last/],
    [["X: a\rContent-Length: 3", "Content-Length: 5"], /bare CR/],
    [["X: a\r transfer-encoding : chunked"], /bare CR/],
    [["X: a\0b"], /NUL/]
  ])("%j has two readings, or none", (lines, reason) => expect(Either.getOrThrow(refusal(...lines))).toMatch(reason))

  it("is given to strict parsers as it was understood", () =>
    expect(plainHead(read("no colon", "X : K\xf6ln", "Content-Length: 5, 5", "Set-Cookie: a", "Set-Cookie: b"))).toBe(
      "HTTP/1.1 200 OK\r\nx: K\xf6ln\r\nset-cookie: a\r\nset-cookie: b\r\ncontent-length: 5\r\n\r\n"
    ))
})
