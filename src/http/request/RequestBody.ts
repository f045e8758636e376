/** Reads a request's body, whatever its form, into fields. */
import type { HttpServerRequest } from "@effect/platform"
import { Effect, Option, Predicate } from "effect"
import { isUtf8 } from "node:buffer"
import { IncomingMessage } from "node:http"
import { BadRequest, PayloadTooLarge } from "../../../schema/Errors.ts"

/** Larger bodies are refused, in bytes. */
const bodyLimit = 1024 * 1024

/** What a body holds. `Texts` are from a form, where everything is text; `Text` is neither JSON nor a form. */
export type Body =
  | { readonly _tag: "Fields"; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly _tag: "Texts"; readonly fields: Readonly<Record<string, string | ReadonlyArray<string>>> }
  | { readonly _tag: "Text"; readonly text: string }

export const tooLarge = new PayloadTooLarge({ message: "The body is larger than 1 MiB" })

const endedEarly = new BadRequest({ message: "The body ended too early" })

export const notJson = (why: string) =>
  new BadRequest({ message: why, hint: "Send one JSON object, such as {\"name\": \"api\"}, with Content-Type: application/json" })

/** Programs that do not know that they send it, such as shells, would have nothing but garbage stored. */
const notUtf8 = new BadRequest({ message: "The JSON body is not in UTF-8", hint: "JSON is always UTF-8 (RFC 8259)" })

const compressed = (encoding: string) =>
  new BadRequest({
    message: `Bodies with Content-Encoding: ${encoding.slice(0, 40)} are not accepted`,
    hint: "Send it uncompressed: at most 1 MiB is taken anyway"
  })

/** What was read of a body, and whether that is all of it. */
interface Read {
  readonly bytes: Buffer
  readonly whole: boolean
}

/** Once the limit is passed nothing more is kept, but the rest is read away, so that the client gets to hear the answer. */
const readIncoming = (message: IncomingMessage) =>
  Effect.async<Read, BadRequest>((resume) => {
    // What was read before, or broke off, tells nothing any more.
    if (message.readableEnded || message.destroyed) return resume(Effect.fail(endedEarly))
    const chunks: Array<Buffer> = []
    let size = 0
    const done = (whole: boolean) => resume(Effect.succeed({ bytes: Buffer.concat(chunks.splice(0)), whole }))
    message.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= bodyLimit) return void chunks.push(chunk)
      done(false)
    })
    message.once("end", () => done(true))
    message.once("error", () => resume(Effect.fail(endedEarly)))
    message.once("close", () => resume(Effect.fail(endedEarly)))
  })

const declaredLength = (request: HttpServerRequest.HttpServerRequest) => Number(request.headers["content-length"] ?? 0)

const read = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Read, BadRequest> =>
  request.source instanceof IncomingMessage
    ? readIncoming(request.source)
    : Effect.mapBoth(request.text, {
      onFailure: () => new BadRequest({ message: "The body could not be read" }),
      onSuccess: (text) => ({ bytes: Buffer.from(text, "utf8"), whole: true })
    })

const readBytes = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Buffer, BadRequest | PayloadTooLarge> =>
  declaredLength(request) > bodyLimit
    ? Effect.fail(tooLarge)
    : Effect.flatMap(read(request), ({ bytes, whole }) => whole ? Effect.succeed(bytes) : Effect.fail(tooLarge))

/** A byte order mark is no part of what was said. */
const textOf = (bytes: Buffer): string => bytes.toString("utf8").replace(/^\uFEFF/, "")

/** The body as text, within the limit. */
export const readText = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, BadRequest | PayloadTooLarge> =>
  Effect.map(readBytes(request), textOf)

/** The beginning of the body as text, up to the limit, and whether that is all of it. */
export const readStart = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(read(request), ({ bytes, whole }) => ({ text: textOf(bytes), whole }))

const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isRecord(value) && !Array.isArray(value)

const jsonObject = (text: string): Option.Option<Body> =>
  Option.map(Option.filter(parseJson(text), isObject), (fields) => ({ _tag: "Fields", fields }))

const nothing: Body = { _tag: "Fields", fields: {} }

const fromJson = (text: string): Effect.Effect<Body, BadRequest> =>
  Option.match(parseJson(text), {
    onNone: () => Effect.fail(notJson("The body is not valid JSON")),
    onSome: (value) =>
      isObject(value) ? Effect.succeed({ _tag: "Fields", fields: value }) : Effect.fail(notJson("The JSON body is not an object"))
  })

/** Repeated names become lists. */
const textsOf = (entries: Iterable<[string, string]>): Body => {
  const fields = new Map<string, string | ReadonlyArray<string>>()
  for (const [name, text] of entries) {
    const before = fields.get(name)
    fields.set(name, before === undefined ? text : typeof before === "string" ? [before, text] : [...before, text])
  }
  return { _tag: "Texts", fields: Object.fromEntries(fields) }
}

/** curl -d sends this type whatever the data: JSON is taken as JSON, and what has no field as plain text. */
const fromForm = (text: string): Body =>
  Option.getOrElse(
    jsonObject(text.trim()),
    () => text.includes("=") ? textsOf(new URLSearchParams(text)) : { _tag: "Text", text }
  )

/**
 * The body as fields: with a JSON content type it must be a JSON object, with a form's it is the form's fields, otherwise a
 * JSON object or plain text. No body is no fields. (Specification: Errors, request parsing.)
 */
export const readBody = Effect.fn("RequestBody.read")(function*(request: HttpServerRequest.HttpServerRequest) {
  const bytes = yield* readBytes(request)
  const text = textOf(bytes)
  if (text.trim() === "") return nothing
  const encoding = (request.headers["content-encoding"] ?? "").trim()
  if (!/^(?:identity)?$/i.test(encoding)) return yield* compressed(encoding)
  const type = (request.headers["content-type"] ?? "").toLowerCase()
  if (/\bjson\b/.test(type)) return isUtf8(bytes) ? yield* fromJson(text) : yield* notUtf8
  if (type.includes("x-www-form-urlencoded")) return fromForm(text)
  if (type.includes("multipart/")) {
    return yield* new BadRequest({ message: "Multipart bodies are not accepted", hint: "Send JSON or a URL-encoded form" })
  }
  return Option.getOrElse(jsonObject(text), (): Body => ({ _tag: "Text", text }))
})

/** The fields of plain text are its `message`, for the operations that have one. */
export const plainTextField = "message"
