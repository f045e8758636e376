/**
 * The requests of Slack to this server when somebody presses a button
 * (https://docs.slack.dev/reference/interaction-payloads/block_actions-payload).
 */
import { Option, Schema } from "effect"
import { createHmac } from "node:crypto"
import { fieldsOf } from "../alert/answers/ServiceAnswer.ts"
import { type Loose, recordOf, recordsOf, textAt } from "../import/Loose.ts"
import { isSameToken } from "../secret/SameToken.ts"
import { ChatAction } from "./ChatActions.ts"

/** A request is believed for so long before and after its time, in seconds. */
const toleranceSec = 300

export interface SlackSignature {
  /** Seconds since 1970, as the header has them. */
  readonly timestamp: string
  readonly signature: string
}

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
export const slackSignature = (secret: string, timestamp: string, body: string): string =>
  `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`, "utf8").digest("hex")}`

/** Whether the holder of one of the secrets signed the body, at most five minutes from `now` (ms). In constant time for each. */
export const isFromSlack = (
  secrets: ReadonlyArray<string>,
  { signature, timestamp }: SlackSignature,
  body: string,
  now: number
): boolean =>
  /^\d{1,15}$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= toleranceSec &&
  secrets.some((secret) => isSameToken(signature, slackSignature(secret, timestamp, body)))

export interface SlackPress {
  readonly action: ChatAction
  readonly incidentId: string
  readonly member: string
  /** Where the answer goes, for 30 minutes; null if the button's message takes none. */
  readonly answerAt: string | null
  /** The message that has the button, as Slack keeps it. */
  readonly message: Loose
}

const decodeAction = Schema.decodeUnknownOption(ChatAction)

/** The press in a body, which is a form; none for anything else, such as the press of a button that is a link. */
export const slackPress = (body: string): Option.Option<SlackPress> => {
  const payload = fieldsOf({ statusCode: 200, body: new URLSearchParams(body).get("payload") ?? "" })
  const [pressed = {}] = recordsOf(payload["actions"])
  const incidentId = textAt(pressed, "value")
  const member = textAt(recordOf(payload["user"]), "id")
  if (payload["type"] !== "block_actions" || incidentId === null || member === null) return Option.none()
  return Option.map(decodeAction(pressed["action_id"]), (action) => ({
    action,
    incidentId,
    member,
    answerAt: textAt(payload, "response_url"),
    message: recordOf(payload["message"])
  }))
}
