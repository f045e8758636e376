/** Decodes response bodies to text: their encodings, up to a limit (which stops decompression bombs), and their charset. */
import { Effect } from "effect"
import type { Transform } from "node:stream"
import * as zlib from "node:zlib"
import { bodyText } from "../domain/check/answer/BodyText.ts"
import type { ResponseHead } from "../domain/check/answer/ResponseHead.ts"
import type { Exchange } from "./HttpExchange.ts"

/** `message` completes "The body ". */
interface DecodingProblem {
  readonly message: string
  /** The body is not what its Content-Encoding says; otherwise it cannot be decoded here. */
  readonly isBroken: boolean
}

export interface DecodedBody {
  readonly text: string
  /** False if the text was cut at the limit. */
  readonly complete: boolean
  /** Why the text is not, or not all of, what the body says; else null. */
  readonly problem: DecodingProblem | null
  /** An encoding that nobody knows, which browsers ignore; else null. */
  readonly unknown: string | null
}

const { BROTLI_OPERATION_FLUSH, ZSTD_e_flush, Z_SYNC_FLUSH } = zlib.constants

// Decodes the available part of a truncated body instead of failing.
const lenient = { finishFlush: Z_SYNC_FLUSH }

/** `deflate` bodies have a zlib header (RFC 1950), but some servers omit it. */
const inflateFor = (raw: Buffer): Transform =>
  ((raw[0] ?? 0) & 0x0f) === 8 && (((raw[0] ?? 0) << 8) + (raw[1] ?? 0)) % 31 === 0
    ? zlib.createInflate(lenient)
    : zlib.createInflateRaw(lenient)

const gunzip = (): Transform => zlib.createGunzip(lenient)

/** The compressed data of gzip's first member and what follows it (RFC 1952, section 2.3). */
const firstMember = (raw: Buffer): Buffer => {
  const flags = raw[3] ?? 0
  const extra = (flags & 4) === 0 ? 10 : 12 + (raw[10] ?? 0) + ((raw[11] ?? 0) << 8)
  const named = (flags & 8) === 0 ? extra : raw.indexOf(0, extra) + 1
  const commented = (flags & 16) === 0 ? named : raw.indexOf(0, named) + 1
  return raw.subarray((flags & 2) === 0 ? commented : commented + 2)
}

/** True if the data is gzip, but no other member follows the last one: browsers ignore such bytes, zlib looks for a header in them. */
const hasTrailingBytes = (raw: Buffer, { message }: Error): boolean =>
  raw[0] === 0x1f && raw[1] === 0x8b && raw[2] === 8 &&
  (message === "incorrect header check" || message === "unknown compression method")

/** The encodings of IANA's registry; null for those that cannot be decoded here. */
const decoders: Readonly<Record<string, ((raw: Buffer) => Transform) | null>> = {
  gzip: gunzip,
  "x-gzip": gunzip,
  deflate: inflateFor,
  br: () => zlib.createBrotliDecompress({ finishFlush: BROTLI_OPERATION_FLUSH }),
  // Node 20 has none.
  zstd: "createZstdDecompress" in zlib ? () => zlib.createZstdDecompress({ finishFlush: ZSTD_e_flush }) : null,
  aes128gcm: null,
  compress: null,
  dcb: null,
  dcz: null,
  exi: null,
  "pack200-gzip": null,
  "x-compress": null
}

/** More are an attack. */
const mostEncodings = 5

/** The encodings of a body in the order in which they are undone. */
const encodingsOf = (headers: ResponseHead["headers"]): ReadonlyArray<string> =>
  `${headers["content-encoding"] ?? ""},${headers["transfer-encoding"] ?? ""}`
    .split(",")
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== "" && one !== "identity" && one !== "chunked")
    .reverse()

type End = "whole" | "cut" | "broken"

const inflate = (decoder: Transform, raw: Buffer, limit: number, done: (bytes: Buffer, end: End) => void): () => void => {
  const chunks: Array<Buffer> = []
  let size = 0
  let open = true
  const stop = (): void => {
    open = false
    decoder.destroy()
  }
  let abandon = stop
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
  decoder.on("error", (error) => {
    if (!open || !hasTrailingBytes(raw, error)) return finish("broken")
    stop()
    abandon = inflate(zlib.createInflateRaw(lenient), firstMember(raw), limit, done)
  })
  decoder.end(raw)
  return () => abandon()
}

type Body = Pick<Exchange, "bodyComplete" | "chunks" | "response">

/** A body while its encodings are undone. */
interface Layer {
  readonly bytes: Buffer
  readonly complete: boolean
  readonly problem: DecodingProblem | null
}

/** Undoes one encoding after the other. Calls back once, synchronously without an encoding. Returns a function that cancels. */
const undo = (encodings: ReadonlyArray<string>, limit: number, layer: Layer, done: (layer: Layer) => void): () => void => {
  const [encoding, ...others] = encodings
  let stop = (): void => {}
  if (encoding === undefined || layer.bytes.length === 0) done(layer)
  else {
    const decoder = decoders[encoding]?.(layer.bytes)
    if (decoder === undefined) {
      done({ ...layer, problem: { message: `is encoded as ${encoding}, which cannot be decoded here`, isBroken: false } })
    } else {
      stop = inflate(decoder, layer.bytes, limit, (bytes, end) => {
        const complete = layer.complete && end !== "cut"
        if (end !== "broken") stop = undo(others, limit, { bytes, complete, problem: null }, done)
        else done({ bytes, complete, problem: { message: `is not valid ${encoding} data`, isBroken: true } })
      })
    }
  }
  return () => stop()
}

/** Decodes at most `limit` bytes to text. Calls back once, synchronously without an encoding. Returns a function that cancels. */
export const decodeBody = (
  { bodyComplete, chunks, response }: Body,
  limit: number,
  done: (body: DecodedBody) => void
): () => void => {
  const headers = response?.headers ?? {}
  const raw = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
  const named = encodingsOf(headers).slice(0, mostEncodings)
  const unknown = named.find((one) => !Object.hasOwn(decoders, one)) ?? null
  const known = named.filter((one) => Object.hasOwn(decoders, one))
  return undo(known, limit, { bytes: raw, complete: bodyComplete, problem: null }, (layer) => {
    const complete = layer.complete && layer.bytes.length <= limit
    const text = bodyText(layer.bytes.subarray(0, limit), headers["content-type"], complete)
    done({ text, complete, problem: layer.problem, unknown })
  })
}

export const decodedBody = (body: Body, limit: number): Effect.Effect<DecodedBody> =>
  Effect.async((resume) => Effect.sync(decodeBody(body, limit, (decoded) => resume(Effect.succeed(decoded)))))
