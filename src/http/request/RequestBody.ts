/** Reads the body of a request, in any accepted format, into fields. */
import type { HttpServerRequest } from "@effect/platform"
import { Effect, Either, Option, Predicate } from "effect"
import { isUtf8 } from "node:buffer"
import { IncomingMessage } from "node:http"
import { BadRequest, PayloadTooLarge, ValidationFailed } from "../../../schema/Errors.ts"
import { gather } from "../../domain/tools/Gather.ts"
import { type JsonRefusal, requestLimits } from "../../domain/tools/json/BoundedJson.ts"
import { boundedJsonInSteps } from "../../domain/tools/json/JsonInSteps.ts"
import { overTurns } from "../../loops/OverTurns.ts"

/** The maximum size of a body, in bytes, unless its operation says otherwise. */
export const bodyLimit = 1024 * 1024

/** A parsed body. `Texts` is a form, whose values are all strings; `Text` is neither JSON nor a form. */
export type Body =
  | { readonly _tag: "Fields"; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly _tag: "Texts"; readonly fields: Readonly<Record<string, string | ReadonlyArray<string>>> }
  | { readonly _tag: "Text"; readonly text: string }

const largerThan = (limit: number) => new PayloadTooLarge({ message: `The body is larger than ${limit / 1024 / 1024} MiB` })

const endedEarly = new BadRequest({ message: "The body is incomplete" })

export const notJson = (why: string) =>
  new BadRequest({ message: why, hint: "Send a JSON object, such as {\"name\": \"api\"}, with Content-Type: application/json" })

/** Rejected, because decoding would store replacement characters. Shells with another encoding send such bodies. */
const notUtf8 = new BadRequest({ message: "The JSON body is not valid UTF-8", hint: "Encode JSON as UTF-8 (RFC 8259)" })

const compressed = (encoding: string) =>
  new BadRequest({
    message: `Bodies with Content-Encoding: ${encoding.slice(0, 40)} are not accepted`,
    hint: "Send the body uncompressed, up to 1 MiB"
  })

/** The bytes read; `fault` says why they are not the whole body. */
export interface Read {
  readonly bytes: Buffer
  readonly fault: BadRequest | PayloadTooLarge | null
}

const noBytes = Buffer.alloc(0)

/** Above the limit, the rest is read and discarded; otherwise the client would not receive the response. Calls `done` once. */
export const readIncoming = (message: IncomingMessage, limit: number, done: (read: Read) => void): void => {
  const chunks: Array<Buffer> = []
  let size = 0
  let isDone = false
  const end = (fault: Read["fault"]): void => {
    if (isDone) return
    isDone = true
    const [first = noBytes] = chunks
    done({ bytes: chunks.length > 1 ? Buffer.concat(chunks) : first, fault })
  }
  const endEarly = () => end(endedEarly)
  // A stream that was already read or destroyed emits no more events.
  if (message.readableEnded || message.destroyed) return endEarly()
  message.on("data", (chunk: Buffer) => {
    const room = limit - size
    size += chunk.length
    if (!isDone && room > 0) chunks.push(chunk.length <= room ? chunk : chunk.subarray(0, room))
    if (size > limit) end(largerThan(limit))
  })
  message.on("end", () => end(null))
  message.on("error", endEarly)
  message.on("close", endEarly)
}

const readMessage = (message: IncomingMessage, limit: number) =>
  Effect.async<Read>((resume) => readIncoming(message, limit, (found) => resume(Effect.succeed(found))))

const declaredLength = (request: HttpServerRequest.HttpServerRequest) => Number(request.headers["content-length"] ?? 0)

/** The bytes of bodies that were read, by the connection's message or the web request. */
const readLengths = new WeakMap<object, number>()

export const bytesRead = ({ source }: HttpServerRequest.HttpServerRequest): number =>
  Predicate.isObject(source) ? readLengths.get(source) ?? 0 : 0

const unread = new BadRequest({ message: "The body could not be read" })

const read = (request: HttpServerRequest.HttpServerRequest, limit: number): Effect.Effect<Read> =>
  (request.source instanceof IncomingMessage
    ? readMessage(request.source, limit)
    : Effect.match(request.text, {
      onFailure: () => ({ bytes: Buffer.alloc(0), fault: unread }),
      onSuccess: (text) => ({ bytes: Buffer.from(text, "utf8"), fault: null })
    })).pipe(
      Effect.tap(({ bytes }) =>
        Effect.sync(() => {
          if (Predicate.isObject(request.source)) readLengths.set(request.source, bytes.length)
        })
      )
    )

const readBytes = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<Buffer, BadRequest | PayloadTooLarge> =>
  declaredLength(request) > limit
    ? Effect.fail(largerThan(limit))
    : Effect.flatMap(read(request, limit), ({ bytes, fault }) => fault === null ? Effect.succeed(bytes) : Effect.fail(fault))

export const textOf = (bytes: Buffer): string => bytes.toString("utf8").replace(/^\uFEFF/, "")

/** The body as text; fails above the limit, in bytes. */
export const readText = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number | null = null
): Effect.Effect<string, BadRequest | PayloadTooLarge> => Effect.map(readBytes(request, limit ?? bodyLimit), textOf)

const refusals = {
  invalid: () => notJson("The body is not valid JSON"),
  "too many entries": () =>
    new ValidationFailed({
      message: `The body holds more than ${requestLimits.entries} fields and list items together`,
      hint: "Send less in one request. A document may also be sent as one text"
    }),
  "too deep": () => new ValidationFailed({ message: `The body is nested more than ${requestLimits.depth} levels deep` })
} satisfies Record<JsonRefusal, () => BadRequest | ValidationFailed>

/** A JSON object where the text is one; none for other texts. Fails for one that is too large to be parsed. */
export const jsonObject = (
  text: string
): Effect.Effect<Option.Option<Extract<Body, { readonly _tag: "Fields" }>>, ValidationFailed> =>
  Effect.flatMap(
    overTurns(boundedJsonInSteps(text, requestLimits)),
    Either.match({
      onLeft: (refusal) =>
        refusal === "invalid" || !text.trimStart().startsWith("{") ? Effect.succeedNone : Effect.fail(refusals[refusal]()),
      onRight: (value) =>
        Effect.succeed(Predicate.isRecord(value) ? Option.some({ _tag: "Fields", fields: value }) : Option.none())
    })
  )

const nothing: Body = { _tag: "Fields", fields: {} }

type FieldNames = ReadonlyMap<string, unknown>

/** With `anyText`, anything but JSON is text. */
const fromJson = (text: string, anyText: boolean): Effect.Effect<Body, BadRequest | ValidationFailed> =>
  Effect.flatMap(
    overTurns(boundedJsonInSteps(text, requestLimits)),
    Either.match({
      onLeft: (refusal): Effect.Effect<Body, BadRequest | ValidationFailed> =>
        anyText && refusal === "invalid" ? Effect.succeed({ _tag: "Text", text }) : Effect.fail(refusals[refusal]()),
      onRight: (value) =>
        Predicate.isRecord(value)
          ? Effect.succeed({ _tag: "Fields", fields: value })
          : Effect.fail(notJson("The JSON body is not an object"))
    })
  )

/** Repeated names become arrays. */
const textsOf = (entries: Iterable<[string, string]>): Body => ({
  _tag: "Texts",
  fields: Object.fromEntries([...gather(entries)].map(([name, texts]) => [name, texts.length === 1 ? texts[0] ?? "" : texts]))
})

/** The number of pairs in a form, counted before they are decoded. */
const pairsIn = (text: string): number => text.split("&", requestLimits.entries + 2).length

export const hasManyPairs = (text: string): boolean => pairsIn(text) > requestLimits.entries

export const requireFewPairs = (text: string): Effect.Effect<void, ValidationFailed> =>
  hasManyPairs(text) ? Effect.fail(refusals["too many entries"]()) : Effect.void

/** The last pair of a form with this name, which stands there without escapes; null if there is none. Decodes nothing. */
export const lastPair = (text: string, name: string): string | null => {
  const form = `&${text}`
  const start = form.lastIndexOf(`&${name}=`)
  if (start === -1) return null
  const end = form.indexOf("&", start + 1)
  return form.slice(start + 1, end === -1 ? undefined : end)
}

/**
 * `curl -d` sends this type for any data, so JSON is parsed as JSON, and data without a field as plain text. Where any text will do, so
 * is what names none of the fields and holds more pairs than are decoded, or white space, which a form escapes. A short form of other
 * fields has misspelled one.
 */
const fromForm = (text: string, fields: FieldNames | null): Effect.Effect<Body, ValidationFailed> =>
  Effect.flatMap(
    jsonObject(text.trim()),
    Option.match({
      onSome: Effect.succeed,
      onNone: (): Effect.Effect<Body, ValidationFailed> => {
        const plain: Body = { _tag: "Text", text }
        if (!text.includes("=")) return Effect.succeed(plain)
        if (hasManyPairs(text)) {
          const isPlain = fields !== null && ![...fields.keys()].some((name) => lastPair(text, name) !== null)
          return isPlain ? Effect.succeed(plain) : Effect.fail(refusals["too many entries"]())
        }
        const pairs = new URLSearchParams(text)
        const isPlain = fields !== null && /\s/.test(text.trim()) && ![...pairs.keys()].some((name) => fields.has(name))
        return Effect.succeed(isPlain ? plain : textsOf(pairs))
      }
    })
  )

/**
 * The body as fields. With a JSON content type it must be a JSON object, or no JSON at all if any text will do. With that of a form, or
 * none, it is a JSON object, the fields of a form or plain text, and with any other type a JSON object or plain text. An empty
 * body has no fields. `limit` is in bytes. `fields` are those of an operation for which any text will do; null for others.
 * (Specification: Errors, Request parsing.)
 */
export const readBody = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  limit: number | null = null,
  fields: FieldNames | null = null
) {
  const anyText = fields !== null
  const bytes = yield* readBytes(request, limit ?? bodyLimit)
  const text = textOf(bytes)
  const type = (request.headers["content-type"] ?? "").toLowerCase()
  const isJson = /\bjson\b/.test(type)
  // White space alone is no JSON value.
  if (bytes.length === 0 || (anyText || !isJson) && text.trim() === "") return nothing
  const encoding = (request.headers["content-encoding"] ?? "").trim()
  if (!/^(?:identity)?$/i.test(encoding)) return yield* compressed(encoding)
  if (isJson) return anyText || isUtf8(bytes) ? yield* fromJson(text, anyText) : yield* notUtf8
  if (type === "" || type.includes("x-www-form-urlencoded")) return yield* fromForm(text, fields)
  if (type.includes("multipart/")) {
    return yield* new BadRequest({ message: "Multipart bodies are not accepted", hint: "Send JSON or a URL-encoded form" })
  }
  return Option.getOrElse(yield* jsonObject(text), (): Body => ({ _tag: "Text", text }))
})

/** The field that a plain text body sets, in operations that have it. */
export const plainTextField = "message"

/** The field that a plain text or YAML body sets, in operations that have it. */
export const documentTextField = "document"
