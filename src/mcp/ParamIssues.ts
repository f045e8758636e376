/** Has params of the wrong shape answered as the client's mistake: the SDK calls them a fault of ours, which is tried again. */
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js"
import { Option, Predicate } from "effect"

const parsed = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const inWords = ({ message, path }: Readonly<Record<string, unknown>>) =>
  Array.isArray(path) && path.length > 0 ? `${path.join(".")}: ${String(message)}` : String(message)

/** The SDK's checker tells what is wrong with a message as a list in JSON. */
const issuesOf = (said: unknown): ReadonlyArray<string> => {
  const issues = typeof said === "string" && said.startsWith("[") ? Option.getOrNull(parsed(said)) : null
  return Array.isArray(issues) ? issues.filter(Predicate.isRecord).map(inWords) : []
}

const corrected = (message: unknown): unknown => {
  const error = Predicate.hasProperty(message, "error") && Predicate.isRecord(message.error) ? message.error : {}
  const issues = error["code"] === ErrorCode.InternalError ? issuesOf(error["message"]) : []
  return issues.length === 0 || !Predicate.isRecord(message)
    ? message
    : { ...message, error: { code: ErrorCode.InvalidParams, message: `Invalid params: ${issues.join("; ")}` } }
}

/** The body of an answer, one message or a batch. */
export const withParamIssues = (body: string): string => {
  if (!body.includes(`"code":${ErrorCode.InternalError}`)) return body
  const messages = Option.getOrNull(parsed(body))
  return JSON.stringify(Array.isArray(messages) ? messages.map(corrected) : corrected(messages))
}
