/**
 * Answers of Teams: workflows answer 202, or an error in JSON; older connectors answer 200 with what went wrong in the text
 * (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using).
 */
import { recordOf, textAt } from "../../import/Loose.ts"
import { fieldsOf, type ReadAnswer, type Refusal, refusalIn, type ServiceReading } from "./ServiceAnswer.ts"

const ofWorkflows: ReadonlyArray<Refusal> = [
  { says: /NotEnabled|Disabled|Suspended/i, means: "The workflow is switched off; turn it on", fate: "gone" },
  { says: /NotFound/i, means: "Teams does not know this workflow; create a new one", fate: "gone" },
  {
    says: /AuthorizationRequired|MisconfiguredAuthorization|InvalidAuthorization/i,
    means: "The workflow takes messages only from people who are signed in; let anyone trigger it",
    fate: "gone"
  },
  {
    says: /AuthorizationFailed|AuthenticationFailed|Unauthorized|Signature/i,
    means: "The signature in the URL is not valid; copy the URL of the workflow again",
    fate: "gone"
  },
  { says: /Throttl|TooManyRequests/i, means: "Microsoft limits how often the workflow may run", fate: "retry" },
  {
    says: /Schema|InvalidRequestContent|InvalidTemplate|Trigger/i,
    means: "Teams refuses the message; check that the workflow starts with \"When a Teams webhook request is received\"",
    fate: "final"
  }
]

/** A connector that could not pass the message on quotes the status that it got. */
const ofConnector = (status: number, words: string): ServiceReading =>
  status === 429
    ? { meaning: "Teams limits how often this webhook may post", words, fate: "retry" }
    : status === 403 || status === 404 || status === 410
    ? { meaning: "The Teams channel or its webhook was removed; create a workflow", words, fate: "gone" }
    : { meaning: "Teams did not deliver the message", words, fate: status >= 500 ? "retry" : "final" }

const failed = /webhook message delivery failed with error/i
const badPayload = /bad payload received|summary or text is required|invalid webhook|webhook bad request/i

export const readTeams: ReadAnswer = (answer) => {
  const { body, statusCode } = answer
  if (failed.test(body)) return ofConnector(Number(/HTTP error (\d{3})/i.exec(body)?.[1] ?? 502), body)
  if (badPayload.test(body)) return { meaning: "Teams refuses the message", words: body, fate: "final" }
  if (statusCode < 400) return {}
  const error = recordOf(fieldsOf(answer)["error"])
  const code = textAt(error, "code")
  const words = code === null ? null : [code, ...(textAt(error, "message") ?? "").split("\n", 1)].filter(Boolean).join(": ")
  const byCode = code === null ? null : refusalIn(ofWorkflows, code)
  if (byCode !== null) return { ...byCode, words }
  return [401, 403, 404, 410].includes(statusCode) ? { words, fate: "gone" } : { words }
}
