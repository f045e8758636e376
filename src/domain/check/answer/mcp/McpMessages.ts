/** The messages of the Model Context Protocol (JSON-RPC 2.0), and how answers are found in bodies of JSON and in event streams. */
import { Either, Option, Predicate } from "effect"
import { jsonSize, parseJson } from "../../../tools/json/BoundedJson.ts"
import { cut } from "../../../tools/text/TrimText.ts"

/** The versions of the protocol that checks speak: those with Streamable HTTP. The first is offered. */
export const protocolVersions: ReadonlyArray<string> = ["2025-11-25", "2025-06-18", "2025-03-26"]

/** Levels of nesting in a message. Digests recurse. */
const deepest = 100

/** A member of an object; undefined for one that is missing or inherited, and for anything but an object. */
export const memberOf = (value: unknown, name: string): unknown =>
  Predicate.isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined

export const textIn = (value: unknown, name: string): string | null => {
  const member = memberOf(value, name)
  return typeof member === "string" ? member : null
}

export const listIn = (value: unknown, name: string): ReadonlyArray<unknown> => {
  const member = memberOf(value, name)
  return Array.isArray(member) ? member : []
}

/** A request has an id, a notification null. */
export const messageText = (id: number | null, method: string, params: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", ...(id === null ? {} : { id }), method, ...(params === undefined ? {} : { params }) })

export const initializeParams = {
  protocolVersion: protocolVersions[0],
  capabilities: {},
  clientInfo: { name: "Belltower", version: "1.0" }
}

/** The answer to a request: its result, or the error that the server reports. */
export type RpcAnswer = Either.Either<unknown, string>

const errorText = (error: unknown): string => {
  const code = memberOf(error, "code")
  const message = textIn(error, "message")
  return `error${typeof code === "number" ? ` ${code}` : ""}${message === null ? "" : `: ${cut(message, 300)}`}`
}

const answerIn = (message: unknown, id: number): RpcAnswer | null => {
  const answered = memberOf(message, "id")
  const error = memberOf(message, "error")
  // An error about a request that the server could not read has no id.
  if (answered !== id && !(error !== undefined && (answered === null || answered === undefined))) return null
  if (error !== undefined) return Either.left(errorText(error))
  const result = memberOf(message, "result")
  return result === undefined ? null : Either.right(result)
}

/** Null without an answer to the request; the left side says why the text is no message, such as "is not JSON". */
const readMessage = (text: string, id: number): Either.Either<RpcAnswer | null, string> => {
  if (jsonSize(text).depth > deepest) return Either.left(`nests more than ${deepest} levels`)
  return Option.match(parseJson(text), {
    onNone: () => Either.left("is not JSON"),
    onSome: (parsed) => {
      const messages: ReadonlyArray<unknown> = Array.isArray(parsed) ? parsed : [parsed]
      return Either.right(messages.map((one) => answerIn(one, id)).find((one) => one !== null) ?? null)
    }
  })
}

/** The data of the events in a stream (HTML standard, server-sent events). What follows the last empty line counts if the stream ended. */
const eventData = (text: string, ended: boolean): ReadonlyArray<string> => {
  const events: Array<string> = []
  let data: Array<string> = []
  const dispatch = (): void => {
    if (data.length > 0) events.push(data.join("\n"))
    data = []
  }
  const lines = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n").split("\n")
  // The last line has not ended.
  const last = ended ? "" : lines.pop()
  for (const line of lines) {
    if (line === "") dispatch()
    else if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5))
  }
  if (last === "" && ended) dispatch()
  return events
}

/** The answer in a stream; null if it has not come. Messages for others, such as progress, are skipped. */
const readStream = (text: string, id: number, ended: boolean): Either.Either<RpcAnswer | null, string> => {
  // An event without data only tells where to resume.
  for (const data of eventData(text, ended).filter((one) => one !== "")) {
    const read = readMessage(data, id)
    if (Either.isLeft(read) || read.right !== null) return read
  }
  return Either.right(null)
}

export type Medium = "json" | "stream"

export const mediumOf = (contentType: string | undefined): Medium | null => {
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? ""
  if (type === "text/event-stream") return "stream"
  return type === "application/json" || /^application\/[\w.-]+\+json$/.test(type) ? "json" : null
}

/** The answer to a request in a body, which may not have ended; null if it is not there. */
export const readAnswer = (medium: Medium, text: string, id: number, ended: boolean): Either.Either<RpcAnswer | null, string> =>
  medium === "stream" ? readStream(text, id, ended) : ended ? readMessage(text, id) : Either.right(null)
