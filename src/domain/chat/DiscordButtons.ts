/** The buttons of Discord messages (https://docs.discord.com/developers/components/reference#button). */
import { fieldsOf } from "../alert/answers/ServiceAnswer.ts"
import { type Loose, recordsOf, textAt } from "../import/Loose.ts"
import { discordText } from "../markdown/ChatDialects.ts"
import { cut } from "../tools/text/TrimText.ts"
import { actionLabels, actionsLeft, type ChatAction, everyAction } from "./ChatActions.ts"

const [row, button] = [1, 2]
const [primary, secondary, link] = [1, 2, 5]
const mentionsNobody = { parse: [] }

/** The id of a button, of at most 100 characters: its action, and the token of the message's link. */
const customId = (action: ChatAction, token: string): string => `${action}.${token}`

/** The buttons for actions on the incident that the link of a message acknowledges, and the link; none if it acknowledges none. */
const buttons = (actions: ReadonlyArray<ChatAction>, url: string): ReadonlyArray<Loose> => {
  const [, token] = /\/ack\/([A-Za-z0-9_-]+)$/.exec(url) ?? []
  if (token === undefined) return []
  const acting = actions.map((action, index) => ({
    type: button,
    style: index === 0 ? primary : secondary,
    label: actionLabels[action],
    custom_id: customId(action, token)
  }))
  return [{ type: row, components: [...acting, { type: button, style: link, label: "Open", url }] }]
}

const urlOf = (message: Loose): string => textAt(recordsOf(message["embeds"])[0] ?? {}, "url") ?? ""

/** A message that `discordMessage` made, with buttons if its link acknowledges an incident. */
export const withDiscordButtons = (body: string): string => {
  const message = fieldsOf({ statusCode: 200, body })
  const components = buttons(everyAction, urlOf(message))
  return components.length === 0 ? body : JSON.stringify({ ...message, components })
}

/** The answer that shows in the message how its incident stands, with the buttons that are left (interaction callback type 7). */
export const discordStanding = (message: Loose, incident: Parameters<typeof actionsLeft>[0], line: string): Loose => ({
  type: 7,
  data: {
    content: discordText(cut(line, 500)),
    embeds: recordsOf(message["embeds"]),
    components: buttons(actionsLeft(incident), urlOf(message)),
    allowed_mentions: mentionsNobody
  }
})

/** An answer that only the presser sees (type 4, flag 1 << 6). */
export const discordWhisper = (text: string): Loose => ({
  type: 4,
  data: { content: discordText(cut(text, 1000)), flags: 64, allowed_mentions: mentionsNobody }
})

/** The answer to Discord's question whether the address works. */
export const discordPong: Loose = { type: 1 }
