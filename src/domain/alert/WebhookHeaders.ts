/** The request of a webhook channel: its body, and the custom headers that cannot break it or forge its signature. */
import { DateTime } from "effect"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { headerProblem, isFraming, repeatedNames, repeatedProblem } from "../check/answer/RequestHeaders.ts"

/** Headers that the delivery sets. */
const own = new Set(["host", "content-type", "content-encoding", "proxy-authorization", "user-agent"])

/** Each header that cannot be sent, with the reason. */
export const webhookHeaderProblems = (headers: Readonly<Record<string, string>>) => {
  const repeated = repeatedNames(headers)
  return Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    const message = isFraming(lower) || own.has(lower) || lower.startsWith("webhook-")
      ? `The header ${lower} is reserved: the delivery sets it`
      : repeated.has(name)
      ? repeatedProblem(name)
      : headerProblem(name, value)
    return message === null ? [] : [{ name, message }]
  })
}

/** The exact text that every attempt sends and signs. (Specification: Events, Team payload.) */
export const teamPayload = ({ at, data, id, type, workspaceId }: WorkspaceEvent): string =>
  JSON.stringify({ id, type, timestamp: DateTime.formatIso(at), workspaceId, data })
