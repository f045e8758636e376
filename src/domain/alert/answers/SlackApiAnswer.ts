/**
 * Answers of Slack's Web API: the status is 200, and `ok` says whether it worked
 * (https://docs.slack.dev/reference/methods/chat.postMessage#errors).
 */
import { entryOf, textAt } from "../../import/Loose.ts"
import { type Fate, fieldsOf, type ReadAnswer, type ServiceAnswer } from "./ServiceAnswer.ts"

const badToken = "Slack does not accept the bot token; install the app again and copy its token (xoxb-…)"
const unknownChannel =
  "Slack does not know the channel, or the app is no member of it; check chatId, and invite the app with /invite"
const forbidden = "An admin of the Slack workspace does not let the app post here"

const refusals: Readonly<Record<string, readonly [means: string, fate: Fate]>> = {
  invalid_auth: [badToken, "gone"],
  not_authed: [badToken, "gone"],
  account_inactive: [badToken, "gone"],
  token_revoked: [badToken, "gone"],
  token_expired: [badToken, "gone"],
  not_allowed_token_type: ["Slack needs the bot token of the app, which begins with xoxb-", "gone"],
  missing_scope: ["The Slack app lacks a scope: give it chat:write, and users:read.email to find people", "gone"],
  channel_not_found: [unknownChannel, "gone"],
  not_in_channel: [unknownChannel, "gone"],
  user_not_found: ["Slack does not know this member", "gone"],
  users_not_found: ["Slack knows nobody with this email address; give the member id", "gone"],
  user_disabled: ["The Slack account of this member is switched off", "gone"],
  is_archived: ["The Slack channel is archived; use another channel", "gone"],
  messages_tab_disabled: ["The Slack app takes no direct messages: switch on the Messages tab in its App Home", "gone"],
  restricted_action: [forbidden, "gone"],
  team_access_not_granted: [forbidden, "gone"],
  ratelimited: ["Slack limits how often the app may post", "retry"],
  rate_limited: ["Slack limits how often the app may post", "retry"],
  service_unavailable: ["Slack failed", "retry"],
  internal_error: ["Slack failed", "retry"],
  fatal_error: ["Slack failed", "retry"],
  request_timeout: ["Slack failed", "retry"]
}

const gonePeople: ReadonlyArray<string> = ["channel_not_found", "user_not_found", "user_disabled"]

/** Whether a direct message is refused because of its member, not of the app. A member that Slack does not know is an unknown channel. */
export const saysMemberIsGone = (answer: ServiceAnswer): boolean => gonePeople.includes(textAt(fieldsOf(answer), "error") ?? "")

/** A long answer, which repeats the message, is kept in part. */
const beginsWell = /^\s*\{\s*"ok"\s*:\s*true\b/

export const readSlackApi: ReadAnswer = (answer) => {
  if (answer.statusCode !== 200 || beginsWell.test(answer.body)) return {}
  const fields = fieldsOf(answer)
  if (fields["ok"] === true) return {}
  // Not by Slack, perhaps by a proxy on the way.
  if (fields["ok"] !== false) return { meaning: "The answer is not one of Slack's", fate: "retry" }
  const word = textAt(fields, "error")
  const [meaning = "Slack refuses the message", fate = "final"] = entryOf(refusals, word ?? "") ?? []
  return { meaning, words: word, fate }
}
