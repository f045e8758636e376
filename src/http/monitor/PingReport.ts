/** Reads the report of a ping from its query and body. Fails for nothing that a job may send. */
import type { HttpServerRequest } from "@effect/platform"
import { Effect, Option } from "effect"
import { isUtf8 } from "node:buffer"
import { type PingReport, readPing } from "../../domain/monitor/JobSignal.ts"
import { isPingField, type PingBody, pingFieldNames, type PingFields } from "../../domain/monitor/PingFields.ts"
import { jsonMembers } from "../../domain/tools/JsonMembers.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import { hasManyPairs, jsonObject, lastPair, readStart, textOf } from "../request/RequestBody.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Of more pairs than are decoded, such as a log with many `&`, only the known fields are. */
const formFields = (form: string): PingFields => [
  ...new URLSearchParams(hasManyPairs(form) ? pingFieldNames.flatMap((name) => lastPair(form, name) ?? []).join("&") : form)
]

/** Without the last pair where the form is cut in it, unless that is the message. */
const withoutCutPair = (form: string): string => {
  const last = form.lastIndexOf("&") + 1
  return /^message=/i.test(form.slice(last)) ? form : form.slice(0, last)
}

/** `curl -F` sends this type. Its files are kept in the text. */
const multipartFields = (text: string, type: string): Effect.Effect<PingFields> =>
  Effect.tryPromise(() => new Response(text, { headers: { "content-type": type } }).formData()).pipe(
    Effect.map((form) => {
      const fields: Array<PingFields[number]> = []
      form.forEach((value, name) => void fields.push(typeof value === "string" ? [name, value] : ["", name]))
      return fields
    }),
    Effect.orElseSucceed(() => [])
  )

const decoderFor = Option.liftThrowable((charset: string) => new TextDecoder(charset))

/** In the charset that its type names, where it cannot be UTF-8: a wrong name changes no ASCII. */
const decoded = (bytes: Buffer, type: string): string => {
  const charset = isUtf8(bytes) && !bytes.includes(0) ? undefined : /\bcharset="?([\w-]+)/i.exec(type)?.[1]
  return Option.match(Option.flatMap(Option.fromNullable(charset), decoderFor), {
    onNone: () => textOf(bytes),
    onSome: (decoder) => decoder.decode(bytes)
  })
}

/** The fields of a text; null where it has none of a ping's. An object counts whatever is in it. */
const fieldsIn = Effect.fnUntraced(function*(text: string, whole: boolean, type: string) {
  if (text.startsWith("{")) {
    // Text that is cut or too large for the parser still tells its status.
    const members = Effect.map(overTurns(jsonMembers(text, pingFieldNames)), (found): PingFields => [...found, ["", text]])
    const parsed = whole
      ? Effect.map(jsonObject(text), Option.map(({ fields }): PingFields => Object.entries(fields)))
      : Effect.asSome(members)
    const fields = yield* Effect.orElse(parsed, () => Effect.asSome(members))
    if (Option.isSome(fields)) return fields.value
  }
  const form = /x-www-form-urlencoded/i.test(type)
    ? formFields(whole ? text : withoutCutPair(text))
    : /^multipart\/form-data\b/i.test(type)
    ? yield* multipartFields(text, type)
    : []
  return form.some(([name]) => isPingField(name)) ? form : null
})

const nothing: PingBody = { fields: null, text: "" }

const bodyOf = Effect.fnUntraced(function*(request: Request, limit: number) {
  const { bytes, whole } = yield* readStart(request, limit)
  // Compressed output is not read.
  if (!/^\s*(?:identity\s*)?$/i.test(request.headers["content-encoding"] ?? "")) return nothing
  const type = request.headers["content-type"] ?? ""
  const text = decoded(bytes, type).trim()
  return { fields: yield* fieldsIn(text, whole, type), text } satisfies PingBody
})

export const hasBody = ({ headers }: Request): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

const silent: Effect.Effect<PingReport> = Effect.succeed({})

/** Reads up to `limit` bytes of the body. `suffix`: the path after the token. Most pings have none of the three. */
export const reportOf = (request: Request, limit: number, suffix: string | null): Effect.Effect<PingReport> => {
  const question = request.url.indexOf("?")
  if (question === -1 && suffix === null && !hasBody(request)) return silent
  const query = question === -1 ? [] : [...new URLSearchParams(request.url.slice(question + 1))]
  return Effect.map(hasBody(request) ? bodyOf(request, limit) : Effect.succeed(nothing), (body) => readPing(suffix, query, body))
}
