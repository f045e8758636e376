/** Reads the report of a ping from its query and body. Fails for nothing that a job may send. */
import { Effect, Option } from "effect"
import { isUtf8 } from "node:buffer"
import { type PingReport, readPing } from "../../domain/monitor/job/JobSignal.ts"
import { isPingField, type PingBody, pingFieldNames, type PingFields } from "../../domain/monitor/job/PingFields.ts"
import { jsonMembers } from "../../domain/tools/json/JsonMembers.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import { hasManyPairs, jsonObject, lastPair, textOf } from "../request/RequestBody.ts"

/** The pairs of a form. If it has more than are decoded, such as a log with many `&`, only the known fields. */
const formFields = (form: string): PingFields => [
  ...new URLSearchParams(hasManyPairs(form) ? pingFieldNames.flatMap((name) => lastPair(form, name) ?? []).join("&") : form)
]

/** Without the last pair where the form is cut in it, unless that is the message. */
const withoutCutPair = (form: string): string => {
  const last = form.lastIndexOf("&") + 1
  return /^message=/i.test(form.slice(last)) ? form : form.slice(0, last)
}

const isMultipart = (type: string): boolean => /^multipart\/form-data\b/i.test(type)

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

const withPingFields = (fields: PingFields): PingFields | null => (fields.some(([name]) => isPingField(name)) ? fields : null)

/** The fields of a form, null where it has none of a ping's. */
const formIn = (text: string, whole: boolean, type: string): PingFields | null =>
  /x-www-form-urlencoded/i.test(type) ? withPingFields(formFields(whole ? text : withoutCutPair(text))) : null

/** The fields of an object, which count whatever is in it; none for another text. */
const objectIn = Effect.fnUntraced(function*(text: string, whole: boolean) {
  // Text that is cut or too large for the parser still tells its status.
  const members = Effect.map(overTurns(jsonMembers(text, pingFieldNames)), (found): PingFields => [...found, ["", text]])
  const parsed = whole
    ? Effect.map(jsonObject(text), Option.map(({ fields }): PingFields => Object.entries(fields)))
    : Effect.asSome(members)
  return yield* Effect.orElse(parsed, () => Effect.asSome(members))
})

/** The fields of a text that takes turns to read; null where it has none of a ping's. */
const fieldsIn = Effect.fnUntraced(function*(text: string, whole: boolean, type: string) {
  const object = text.startsWith("{") ? yield* objectIn(text, whole) : Option.none()
  if (Option.isSome(object)) return object.value
  return isMultipart(type) ? withPingFields(yield* multipartFields(text, type)) : formIn(text, whole, type)
})

const nothing: PingBody = { fields: null, text: "" }

/** The body as far as it was read: `whole` says that this is all of it. */
export interface PingBytes {
  readonly bytes: Buffer
  readonly whole: boolean
  readonly type: string
  readonly encoding: string
}

const bodyOf = ({ bytes, encoding, type, whole }: PingBytes): PingBody | Effect.Effect<PingBody> => {
  // Compressed output is not read.
  if (!/^\s*(?:identity\s*)?$/i.test(encoding)) return nothing
  const text = decoded(bytes, type).trim()
  return text.startsWith("{") || isMultipart(type)
    ? Effect.map(fieldsIn(text, whole, type), (fields) => ({ fields, text }))
    : { fields: formIn(text, whole, type), text }
}

/** `suffix`: the path after the token. The report itself where reading it takes no turns, as of output. */
export const reportOf = (
  suffix: string | null,
  query: string | null,
  body: PingBytes | null
): PingReport | Effect.Effect<PingReport> => {
  const fields = query === null || query === "" ? [] : [...new URLSearchParams(query)]
  const read = body === null ? nothing : bodyOf(body)
  return Effect.isEffect(read)
    ? Effect.map(read, (found) => readPing(suffix, fields, found))
    : readPing(suffix, fields, read)
}
