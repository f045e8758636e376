/** Turns the SDK's internal error for malformed params into Invalid params, so that clients do not retry. */
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js"
import { Option, Predicate } from "effect"
import { maxIssues } from "../http/request/FieldIssues.ts"

const parsed = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const describeIssue = ({ message, path }: Readonly<Record<string, unknown>>) =>
  Array.isArray(path) && path.length > 0 ? `${path.join(".")}: ${String(message)}` : String(message)

/** The SDK reports validation issues as a JSON list in the error message; the first of them. */
const issuesOf = (message: unknown): ReadonlyArray<string> => {
  const issues = typeof message === "string" && message.startsWith("[") ? Option.getOrNull(parsed(message)) : null
  return Array.isArray(issues) ? issues.slice(0, maxIssues).filter(Predicate.isRecord).map(describeIssue) : []
}

const corrected = (message: unknown): unknown => {
  const error = Predicate.hasProperty(message, "error") && Predicate.isRecord(message.error) ? message.error : {}
  const issues = error["code"] === ErrorCode.InternalError ? issuesOf(error["message"]) : []
  return issues.length === 0 || !Predicate.isRecord(message)
    ? message
    : { ...message, error: { code: ErrorCode.InvalidParams, message: `Invalid params: ${issues.join("; ")}` } }
}

/** Corrects a response body that holds one message or a batch. */
export const withParamIssues = (body: string): string => {
  if (!body.includes(`"code":${ErrorCode.InternalError}`)) return body
  const messages = Option.getOrNull(parsed(body))
  return JSON.stringify(Array.isArray(messages) ? messages.map(corrected) : corrected(messages))
}
