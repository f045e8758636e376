/** Reads a request's body, whatever its form, into fields. */
import type { HttpServerRequest } from "@effect/platform"
import { Effect, Option, Predicate } from "effect"
import { IncomingMessage } from "node:http"
import { BadRequest, PayloadTooLarge } from "../../schema/Errors.ts"

/** Larger bodies are refused, in bytes. */
export const bodyLimit = 1024 * 1024

/** What a body holds. `Texts` are from a form, where everything is text; `Text` is neither JSON nor a form. */
export type Body =
  | { readonly _tag: "Fields"; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly _tag: "Texts"; readonly fields: Readonly<Record<string, string | ReadonlyArray<string>>> }
  | { readonly _tag: "Text"; readonly text: string }

const tooLarge = new PayloadTooLarge({ message: "The body is larger than 1 MiB" })

const endedEarly = new BadRequest({ message: "The body ended too early" })

export const notJson = (why: string) =>
  new BadRequest({ message: why, hint: "Send one JSON object, such as {\"name\": \"api\"}, with Content-Type: application/json" })

/** Once the limit is passed nothing is kept, but the rest is read away, so that the client gets to hear the answer. */
const readIncoming = (message: IncomingMessage) =>
  Effect.async<string, BadRequest | PayloadTooLarge>((resume) => {
    // What was read before, or broke off, tells nothing any more.
    if (message.readableEnded || message.destroyed) return resume(Effect.fail(endedEarly))
    const chunks: Array<Buffer> = []
    let size = 0
    message.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= bodyLimit) return void chunks.push(chunk)
      chunks.length = 0
      resume(Effect.fail(tooLarge))
    })
    message.once("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString("utf8"))))
    message.once("error", () => resume(Effect.fail(endedEarly)))
    message.once("close", () => resume(Effect.fail(endedEarly)))
  })

const declaredLength = (request: HttpServerRequest.HttpServerRequest) => Number(request.headers["content-length"] ?? 0)

/** The body as text, within the limit. */
export const readText = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, BadRequest | PayloadTooLarge> => {
  if (declaredLength(request) > bodyLimit) return Effect.fail(tooLarge)
  if (request.source instanceof IncomingMessage) return readIncoming(request.source)
  return Effect.mapError(request.text, () => new BadRequest({ message: "The body could not be read" }))
}

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
  Option.getOrElse(jsonObject(text.trim()), () =>
    text.includes("=") ? textsOf(new URLSearchParams(text)) : { _tag: "Text", text })

/**
 * The body as fields: with a JSON content type it must be a JSON object, with a form's it is the form's fields, otherwise a
 * JSON object or plain text. No body is no fields. (Specification: Errors, request parsing.)
 */
export const readBody = Effect.fn("RequestBody.read")(function*(request: HttpServerRequest.HttpServerRequest) {
  const text = yield* readText(request)
  if (text.trim() === "") return nothing
  const type = (request.headers["content-type"] ?? "").toLowerCase()
  if (/\bjson\b/.test(type)) return yield* fromJson(text)
  if (type.includes("x-www-form-urlencoded")) return fromForm(text)
  if (type.includes("multipart/")) {
    return yield* new BadRequest({ message: "Multipart bodies are not accepted", hint: "Send JSON or a URL-encoded form" })
  }
  return Option.getOrElse(jsonObject(text), (): Body => ({ _tag: "Text", text }))
})

/** The fields of plain text are its `message`, for the operations that have one. */
export const plainTextField = "message"

