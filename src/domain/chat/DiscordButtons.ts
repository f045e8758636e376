/** The buttons of Discord messages (https://docs.discord.com/developers/components/reference#button). */
import { fieldsOf } from "../alert/answers/ServiceAnswer.ts"
import { type Loose, recordsOf, textAt } from "../import/Loose.ts"
import { discordText } from "../markdown/ChatDialects.ts"
import { cut } from "../tools/TrimText.ts"
import { actionLabels } from "./ChatActions.ts"

const [row, button] = [1, 2]
const [primary, link] = [1, 5]
const mentionsNobody = { parse: [] }

/** Begins the id of the button that acknowledges; the token of the message's link follows. */
export const acknowledgePrefix = "acknowledge."

const linkTo = (url: string): Loose => ({ type: row, components: [{ type: button, style: link, label: "Open", url }] })

/** A message that `discordMessage` made, with buttons if its link acknowledges an incident. */
export const withDiscordButtons = (body: string): string => {
  const message = fieldsOf({ statusCode: 200, body })
  const url = textAt(recordsOf(message["embeds"])[0] ?? {}, "url")
  const [, token] = /\/ack\/([A-Za-z0-9_-]+)$/.exec(url ?? "") ?? []
  if (url === null || token === undefined) return body
  const acknowledge = {
    type: button,
    style: primary,
    label: actionLabels.acknowledge,
    custom_id: `${acknowledgePrefix}${token}`
  }
  return JSON.stringify({
    ...message,
    components: [{ type: row, components: [acknowledge, ...recordsOf(linkTo(url)["components"])] }]
  })
}

/** The answer that shows in the message how its incident stands, in the place of the button (interaction callback type 7). */
export const discordStanding = (message: Loose, line: string): Loose => {
  const embeds = recordsOf(message["embeds"])
  const url = textAt(embeds[0] ?? {}, "url")
  return {
    type: 7,
    data: {
      content: discordText(cut(line, 500)),
      embeds,
      components: url === null ? [] : [linkTo(url)],
      allowed_mentions: mentionsNobody
    }
  }
}

/** An answer that only the presser sees (type 4, flag 1 << 6). */
export const discordWhisper = (text: string): Loose => ({
  type: 4,
  data: { content: discordText(cut(text, 1000)), flags: 64, allowed_mentions: mentionsNobody }
})

/** The answer to Discord's question whether the address works. */
export const discordPong: Loose = { type: 1 }
