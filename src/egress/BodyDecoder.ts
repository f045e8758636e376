/** Bodies as text: content encodings undone within a limit (a bomb stops at it), and the charset applied. */
import { Effect } from "effect"
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"
import type { Transform } from "node:stream"

export interface DecodedBody {
  readonly text: string
  /** false when the text was cut at the limit. */
  readonly complete: boolean
  /** The body is not what its Content-Encoding says; the text goes as far as it could be decoded. */
  readonly broken: boolean
}

// A cut body is decoded as far as it goes instead of failing.
const lenient = { finishFlush: constants.Z_SYNC_FLUSH }

/** A zlib header (RFC 1950) or, as some servers send for `deflate`, none. */
const inflateFor = (raw: Buffer): Transform =>
  ((raw[0] ?? 0) & 0x0f) === 8 && (((raw[0] ?? 0) << 8) + (raw[1] ?? 0)) % 31 === 0 ? createInflate(lenient) : createInflateRaw(lenient)

const decoderOf = (encoding: string, raw: Buffer): Transform | null => {
  switch (encoding) {
    case "gzip":
    case "x-gzip": return createGunzip(lenient)
    case "deflate": return inflateFor(raw)
    case "br": return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
    default: return null
  }
}

const toText = (bytes: Buffer, contentType: string | undefined): string =>
  bytes.toString(/charset="?(iso-8859-1|latin-?1|windows-1252)/i.test(contentType ?? "") ? "latin1" : "utf8")

const inflate = (decoder: Transform, raw: Buffer, limit: number) =>
  Effect.async<{ readonly bytes: Buffer; readonly end: "whole" | "cut" | "broken" }>((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const finish = (end: "whole" | "cut" | "broken"): void => {
      decoder.destroy()
      resume(Effect.succeed({ bytes: Buffer.concat(chunks), end }))
    }
    decoder.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > limit) finish("cut")
    })
    decoder.on("end", () => finish("whole"))
    decoder.on("error", () => finish("broken"))
    decoder.end(raw)
    return Effect.sync(() => decoder.destroy())
  })

/** At most `limit` decoded bytes as text. An encoding it does not know is passed through. */
export const decodeBody = (
  chunks: ReadonlyArray<Buffer>,
  complete: boolean,
  headers: { readonly "content-encoding"?: string | undefined; readonly "content-type"?: string | undefined },
  limit: number
): Effect.Effect<DecodedBody> => {
  const raw = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
  const decoded = (bytes: Buffer, whole: boolean, broken: boolean): DecodedBody => ({
    text: toText(bytes.length > limit ? bytes.subarray(0, limit) : bytes, headers["content-type"]),
    complete: whole && bytes.length <= limit,
    broken
  })
  const decoder = raw.length === 0 ? null : decoderOf(headers["content-encoding"]?.trim().toLowerCase() ?? "", raw)
  return decoder === null
    ? Effect.succeed(decoded(raw, complete, false))
    : Effect.map(inflate(decoder, raw, limit), ({ bytes, end }) =>
      decoded(bytes, complete && end !== "cut", end === "broken"))
}
