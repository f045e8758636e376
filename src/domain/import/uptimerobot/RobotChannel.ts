/** An alert contact or integration of UptimeRobot as an alert channel. */
import type { ChannelType } from "../../../../schema/alert/Channel.ts"
import { channelInput, cut, makeNotes } from "../Carry.ts"
import type { FoundChannel } from "../Inventory.ts"
import { entryOf, idOf, type Loose, textAt, unescaped } from "../Loose.ts"
import { sayUnread } from "../Unread.ts"

/** By the numbers of API v2 and the names of v3. What is missing here cannot be carried. */
const types: Readonly<Record<string, ChannelType>> = {
  "2": "email",
  "5": "webhook",
  "11": "slack",
  "23": "discord",
  email: "email",
  "e-mail": "email",
  webhook: "webhook",
  web_hook: "webhook",
  "web-hook": "webhook",
  slack: "slack",
  discord: "discord"
}

/** Contacts without readable credentials, or unlike any of our channels. */
const reasons: Readonly<Record<string, string>> = {
  "1": "SMS contacts are not supported",
  sms: "SMS contacts are not supported",
  "8": "SMS contacts are not supported",
  voice: "Voice calls are not supported",
  "14": "Voice calls are not supported",
  "18": "A Telegram channel needs its bot token, which UptimeRobot does not show",
  telegram: "A Telegram channel needs its bot token, which UptimeRobot does not show"
}

export const robotChannel = (contact: Loose, index: number): FoundChannel => {
  const notes = makeNotes()
  const said = (textAt(contact, "type") ?? "").toLowerCase()
  const value = textAt(contact, "value", "url", "email", "customValue")
  const named = textAt(contact, "friendlyName", "friendly_name", "name") ?? value
  const id = idOf(contact, named, index)
  const name = unescaped(named ?? id)
  sayUnread(notes, contact, { texts: ["friendlyName", "friendly_name"] })
  const found = { ref: `channel:${id}`, name }
  const type = entryOf(types, said)
  if (type === undefined) {
    return { ...found, notes: [entryOf(reasons, said) ?? `Alert contacts of type "${said}" are not supported`], input: null }
  }
  if (value === null) return { ...found, notes: ["UptimeRobot does not show its address"], input: null }
  const input = channelInput(notes, {
    name: cut(notes, "The name", name, 80),
    type,
    ...(type === "email" ? { emails: [value] } : { url: value }),
    isDefault: false
  })
  return { ...found, notes: notes.all, input }
}
