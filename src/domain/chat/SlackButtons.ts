/** The buttons of Slack messages (https://docs.slack.dev/reference/block-kit/block-elements/button-element). */
import { fieldsOf } from "../alert/answers/ServiceAnswer.ts"
import { type Loose, recordsOf, textAt } from "../import/Loose.ts"
import { slackText } from "../markdown/ChatDialects.ts"
import { cut } from "../tools/text/TrimText.ts"
import { actionLabels, actionsLeft, type ChatAction, everyAction } from "./ChatActions.ts"

type Incident = Parameters<typeof actionsLeft>[0] & { readonly id: string }

/** The block of an incident's link has its id, so that buttons can take its place. */
const incidentOf = (block: Loose): string | null => {
  const id = textAt(block, "block_id") ?? ""
  return id.startsWith("inc_") ? id : null
}

const buttons = (actions: ReadonlyArray<ChatAction>, incidentId: string): ReadonlyArray<Loose> =>
  actions.map((action, index) => ({
    type: "button",
    action_id: action,
    text: { type: "plain_text", text: actionLabels[action] },
    value: incidentId,
    ...(index === 0 ? { style: "primary" } : {})
  }))

const linksOf = (block: Loose): ReadonlyArray<Loose> => recordsOf(block["elements"]).filter((one) => textAt(one, "url") !== null)

const withButtons = (block: Loose): ReadonlyArray<Loose> => {
  const incidentId = incidentOf(block)
  if (incidentId === null) return [block]
  // The buttons say what the link said.
  const links = linksOf(block).map((link) => ({ ...link, action_id: "open", text: { type: "plain_text", text: "Open" } }))
  return [{ ...block, elements: [...buttons(everyAction, incidentId), ...links] }]
}

const mapped = (attachments: unknown, change: (block: Loose) => ReadonlyArray<Loose>): ReadonlyArray<Loose> =>
  recordsOf(attachments).map((one) => ({ ...one, blocks: recordsOf(one["blocks"]).flatMap(change) }))

/** A message that `slackMessage` made, with buttons in the place of its link if an incident can be answered. */
export const withSlackButtons = (body: string): string => {
  if (!body.includes("\"block_id\":\"inc_")) return body
  const { attachments, ...message } = fieldsOf({ statusCode: 200, body })
  return JSON.stringify({ ...message, attachments: mapped(attachments, withButtons) })
}

const standing = "standing"

/** The message with `line`, which says how its incident stands, and the buttons that are left. */
export const slackStanding = (message: Loose, incident: Incident, line: string): Loose => {
  const said = { type: "context", block_id: standing, elements: [{ type: "mrkdwn", text: slackText(cut(line, 500)) }] }
  const change = (block: Loose): ReadonlyArray<Loose> => {
    if (block["block_id"] === standing) return []
    if (incidentOf(block) !== incident.id) return [block]
    const elements = [...buttons(actionsLeft(incident), incident.id), ...linksOf(block)]
    return elements.length === 0 ? [said] : [said, { ...block, elements }]
  }
  return {
    replace_original: true,
    text: textAt(message, "text") ?? "",
    attachments: mapped(message["attachments"], change)
  }
}

/** An answer that only the presser sees. */
export const slackWhisper = (text: string): Loose => ({
  response_type: "ephemeral",
  replace_original: false,
  text: slackText(cut(text, 1000))
})
