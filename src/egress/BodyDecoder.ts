/** Decodes response bodies to text: content encoding, up to a limit (which stops decompression bombs), and charset. */
import { Effect, Either } from "effect"
import type { Transform } from "node:stream"
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"
import type { Exchange } from "./HttpExchange.ts"

export interface DecodedBody {
  readonly text: string
  /** False if the text was cut at the limit. */
  readonly complete: boolean
  /** The body does not match its Content-Encoding; the text is the part that could be decoded. */
  readonly broken: boolean
}

// Decodes the available part of a truncated body instead of failing.
const lenient = { finishFlush: constants.Z_SYNC_FLUSH }

/** `deflate` bodies have a zlib header (RFC 1950), but some servers omit it. */
const inflateFor = (raw: Buffer): Transform =>
  ((raw[0] ?? 0) & 0x0f) === 8 && (((raw[0] ?? 0) << 8) + (raw[1] ?? 0)) % 31 === 0
    ? createInflate(lenient)
    : createInflateRaw(lenient)

const decoderOf = (encoding: string, raw: Buffer): Transform | null => {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip(lenient)
    case "deflate":
      return inflateFor(raw)
    case "br":
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
    default:
      return null
  }
}

const inHeader = /charset\s*=\s*"?([\w.:-]+)/i
const inPage = /<meta[^>]*\scharset\s*=\s*["']?([\w.:-]+)/i

/** The charset from the header, or else from the start of an HTML page (WHATWG HTML, section 13.2.3.2). */
const charsetOf = (bytes: Buffer, contentType: string): string | undefined => {
  const named = inHeader.exec(contentType) ??
    (/html/i.test(contentType) ? inPage.exec(bytes.subarray(0, 1024).toString("latin1")) : null)
  return named?.[1]?.toLowerCase()
}

/** UTF-16 by its byte order mark, which outranks the header (WHATWG Encoding, section 6). */
const marked = (bytes: Buffer): string | undefined => {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0)
  return mark === 0xfeff ? "utf-16be" : mark === 0xfffe ? "utf-16le" : undefined
}

/** Decodes with the declared charset; UTF-8 if it is missing or unknown. */
const toText = (bytes: Buffer, contentType = ""): string => {
  const charset = marked(bytes) ?? charsetOf(bytes, contentType)
  if (charset === undefined || charset === "utf-8" || charset === "utf8") return bytes.toString("utf8")
  return Either.match(Either.try(() => new TextDecoder(charset).decode(bytes)), {
    onLeft: () => bytes.toString("utf8"),
    onRight: (text) => text
  })
}

type End = "whole" | "cut" | "broken"

const inflate = (decoder: Transform, raw: Buffer, limit: number, done: (bytes: Buffer, end: End) => void): () => void => {
  const chunks: Array<Buffer> = []
  let size = 0
  let open = true
  const stop = (): void => {
    open = false
    decoder.destroy()
  }
  const finish = (end: End): void => {
    if (!open) return
    stop()
    done(Buffer.concat(chunks), end)
  }
  decoder.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size > limit) finish("cut")
  })
  decoder.on("end", () => finish("whole"))
  decoder.on("error", () => finish("broken"))
  decoder.end(raw)
  return stop
}

type Body = Pick<Exchange, "bodyComplete" | "chunks" | "response">

/** Decodes at most `limit` bytes to text. Calls back once, synchronously without an encoding. Returns a function that cancels. */
export const decodeBody = (
  { bodyComplete, chunks, response }: Body,
  limit: number,
  done: (body: DecodedBody) => void
): () => void => {
  const headers = response?.headers ?? {}
  const raw = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
  const decoded = (bytes: Buffer, whole: boolean, broken: boolean): DecodedBody => ({
    text: toText(bytes.length > limit ? bytes.subarray(0, limit) : bytes, headers["content-type"]),
    complete: whole && bytes.length <= limit,
    broken
  })
  const decoder = raw.length === 0 ? null : decoderOf(headers["content-encoding"]?.trim().toLowerCase() ?? "", raw)
  if (decoder !== null) {
    return inflate(decoder, raw, limit, (bytes, end) => done(decoded(bytes, bodyComplete && end !== "cut", end === "broken")))
  }
  done(decoded(raw, bodyComplete, false))
  return () => {}
}

export const decodedBody = (body: Body, limit: number): Effect.Effect<DecodedBody> =>
  Effect.async((resume) => Effect.sync(decodeBody(body, limit, (decoded) => resume(Effect.succeed(decoded)))))
