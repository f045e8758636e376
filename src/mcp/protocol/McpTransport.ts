/** The SDK's transport for one POST, with messages in the words of the protocol version that the client speaks. */
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import { ErrorCode, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { Option, Predicate } from "effect"
import { maxIssues } from "../../domain/input/FieldIssues.ts"
import type { Offer } from "./Offer.ts"
import { resourceNotFound } from "./ProtocolError.ts"

export type Words = (message: JSONRPCMessage) => JSONRPCMessage

const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const describeIssue = ({ message, path }: Readonly<Record<string, unknown>>) =>
  Array.isArray(path) && path.length > 0 ? `${path.join(".")}: ${String(message)}` : String(message)

/** The SDK reports validation issues as a JSON list in the error message; the first of them. */
const issuesOf = (message: string): ReadonlyArray<string> => {
  const issues = message.startsWith("[") ? Option.getOrNull(parseJson(message)) : null
  return Array.isArray(issues) ? issues.slice(0, maxIssues).filter(Predicate.isRecord).map(describeIssue) : []
}

/** Turns the internal error of the SDK for malformed params into Invalid params, so that clients do not retry. */
export const withParamIssues: Words = (message) => {
  if (!("error" in message) || message.error.code !== Number(ErrorCode.InternalError)) return message
  const issues = issuesOf(message.error.message)
  return issues.length === 0
    ? message
    : { ...message, error: { code: ErrorCode.InvalidParams, message: `Invalid params: ${issues.join("; ")}` } }
}

/** How long a list stays fresh, ms. What is read may change at any time. */
const freshness: Readonly<Record<string, number>> = {
  "server/discover": 300_000,
  "tools/list": 300_000,
  "prompts/list": 300_000,
  "resources/list": 300_000,
  "resources/templates/list": 300_000,
  "resources/read": 0
}

const identity = ({ server: { name, version } }: Offer) => ({ "io.modelcontextprotocol/serverInfo": { name, version } })

/** A result as the version without sessions has it. (MCP 2026-07-28, Overview: ResultType; Caching.) */
export const statelessResult = (offer: Offer, method: string, result: Readonly<Record<string, unknown>>) => {
  const _meta = { ...identity(offer), ...(Predicate.isRecord(result["_meta"]) ? result["_meta"] : {}) }
  const { inputRequests, requestState, resultType = "complete" } = result
  // The SDK adds an empty content to results of tools.
  if (resultType === "input_required") {
    return { resultType, inputRequests, ...(requestState === undefined ? {} : { requestState }), _meta }
  }
  const ttlMs = freshness[method]
  const hints = ttlMs === undefined
    ? {}
    : { ttlMs, cacheScope: offer.isPublic && method !== "resources/read" ? "public" : "private" }
  return { ...hints, ...result, resultType, _meta }
}

/** The words of the version without sessions for the answer to a request of this method. */
export const statelessWords = (offer: Offer, method: string): Words => (sent) => {
  const message = withParamIssues(sent)
  if ("result" in message) return { ...message, result: statelessResult(offer, method, message.result) }
  return "error" in message && message.error.code === resourceNotFound
    ? { ...message, error: { ...message.error, code: ErrorCode.InvalidParams } }
    : message
}

export class McpTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #words: Words
  /** The code of the last error. */
  refusedWith: number | null = null

  /** `streams` decides whether what is said before the result is sent, as a stream, or dropped. */
  constructor(words: Words, streams: boolean) {
    super({ enableJsonResponse: !streams })
    this.#words = words
  }

  override send(...[message, options]: Parameters<WebStandardStreamableHTTPServerTransport["send"]>): Promise<void> {
    const worded = this.#words(message)
    if ("error" in worded) this.refusedWith = worded.error.code
    return super.send(worded, options)
  }
}
