/** Reads the report of a ping: the fields of its query and body, or its body as the message. */
import type { HttpServerRequest } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import type { BadRequest, PayloadTooLarge, ValidationFailed } from "../../../schema/Errors.ts"
import { HeartbeatInput, longestMessage } from "../../../schema/monitor/Heartbeat.ts"
import { fieldIssues, validationFailed } from "../request/FieldIssues.ts"
import { fieldTypes, fromTexts } from "../request/FieldTexts.ts"
import { hasManyPairs, jsonObject, lastPair, readStart, tooLarge } from "../request/RequestBody.ts"

type Fields = Readonly<Record<string, unknown>>
type Request = HttpServerRequest.HttpServerRequest

const types = fieldTypes(HeartbeatInput.ast)

const decode = Schema.decodeUnknown(HeartbeatInput, { errors: "all" })

/** Keeps the known fields that have a value; other fields are ignored. */
const known = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => types.has(name) && value !== null && value !== ""))

const fromPairs = (pairs: URLSearchParams): Fields =>
  known(Object.fromEntries([...pairs].map(([name, text]) => {
    const type = types.get(name)
    return [name, type === undefined ? text : fromTexts(text, type)]
  })))

/** Of a form with more pairs than are decoded, such as a log with many `&`, only the known fields are. */
const fromForm = (form: string): Fields =>
  fromPairs(
    new URLSearchParams(hasManyPairs(form) ? [...types.keys()].flatMap((name) => lastPair(form, name) ?? []).join("&") : form)
  )

/** Anything but a JSON object or a form with a known field is the message. (Specification: Short heartbeat forms.) */
const fromBody = Effect.fnUntraced(function*(text: string, type: string) {
  const trimmed = text.trim()
  if (trimmed === "") return {}
  const parsed = yield* jsonObject(trimmed)
  if (Option.isSome(parsed)) return known(parsed.value.fields)
  if (!type.includes("x-www-form-urlencoded")) return { message: trimmed }
  const form = fromForm(trimmed)
  return Object.keys(form).length > 0 ? form : { message: trimmed }
})

/** Accepts a truncated body only as a message: the missing part of a form or JSON object could change its fields. */
const fromStart = Effect.fnUntraced(function*(text: string, type: string) {
  if (text.trimStart().startsWith("{")) return yield* tooLarge
  const { message, ...others }: Fields = yield* fromBody(text, type)
  return message !== text.trim() || Object.keys(others).length > 0 ? yield* tooLarge : { message }
})

/** Truncates a long message instead of rejecting it. */
const withinLimit = (fields: Fields): Fields =>
  typeof fields["message"] === "string" ? { ...fields, message: fields["message"].slice(0, longestMessage) } : fields

const nothing: HeartbeatInput = {}

const hasBody = ({ headers, method }: Request): boolean =>
  method === "POST" && (headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0")

/** Merges query and body; the body takes precedence. Most pings have neither. */
export const reportOf = (request: Request): Effect.Effect<HeartbeatInput, BadRequest | PayloadTooLarge | ValidationFailed> => {
  const question = request.url.indexOf("?")
  if (question === -1 && !hasBody(request)) return Effect.succeed(nothing)
  const query = question === -1 ? {} : fromPairs(new URLSearchParams(request.url.slice(question + 1)))
  const body = hasBody(request)
    ? Effect.flatMap(readStart(request), ({ text, whole }) => {
      const type = (request.headers["content-type"] ?? "").toLowerCase()
      return whole ? fromBody(text, type) : fromStart(text, type)
    })
    : Effect.succeed({})
  return Effect.flatMap(body, (fields) => decode(withinLimit({ ...query, ...fields }))).pipe(
    Effect.catchTag("ParseError", (error) => Effect.fail(validationFailed(fieldIssues(error))))
  )
}
