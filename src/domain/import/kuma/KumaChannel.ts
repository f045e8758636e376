/** A notification of Uptime Kuma as an alert channel. */
import { channelInput, cut, makeNotes, type Notes } from "../Carry.ts"
import type { FoundChannel } from "../Inventory.ts"
import { entryOf, flagAt, idOf, isOff, jsonAt, type Loose, recordOf, textAt } from "../Loose.ts"
import { headersIn } from "../MonitorParts.ts"
import { sayUnread } from "../Unread.ts"

/** The addresses of several fields; `Ops <ops@acme.example>` is one, too. */
const addresses = (...texts: ReadonlyArray<string | null>): ReadonlyArray<string> => [
  ...new Set(
    texts.flatMap((text) => text?.split(/[,;]/) ?? []).map((address) => (/<([^<>]+)>/.exec(address)?.[1] ?? address).trim())
      .filter((address) => address !== "")
  )
]

const opsgenieServers: Readonly<Record<string, string>> = { eu: "https://api.eu.opsgenie.com" }

/** The settings of each type by the names of its form. What is missing here cannot be carried. */
const settings: Readonly<Record<string, (config: Loose, notes: Notes) => Loose>> = {
  smtp: (config) => ({
    type: "email",
    emails: addresses(textAt(config, "smtpTo"), textAt(config, "smtpCC"), textAt(config, "smtpBCC"))
  }),
  webhook: (config, notes) => ({
    type: "webhook",
    url: textAt(config, "webhookURL"),
    headers: headersIn(notes, config, "webhookAdditionalHeaders")
  }),
  slack: (config) => ({ type: "slack", url: textAt(config, "slackwebhookURL") }),
  discord: (config) => ({ type: "discord", url: textAt(config, "discordWebhookUrl") }),
  teams: (config) => ({ type: "teams", url: textAt(config, "webhookUrl") }),
  telegram: (config) => ({
    type: "telegram",
    botToken: textAt(config, "telegramBotToken"),
    chatId: textAt(config, "telegramChatID")
  }),
  PagerDuty: (config) => ({ type: "pagerduty", token: textAt(config, "pagerdutyIntegrationKey") }),
  Opsgenie: (config) => ({
    type: "opsgenie",
    token: textAt(config, "opsgenieApiKey"),
    url: entryOf(opsgenieServers, textAt(config, "opsgenieRegion") ?? "")
  }),
  ntfy: (config) => ({
    type: "ntfy",
    url: textAt(config, "ntfyserverurl"),
    topic: textAt(config, "ntfytopic"),
    token: textAt(config, "ntfyaccesstoken")
  })
}

/** Notes on how our services differ. */
const uncarried: Readonly<Record<string, (config: Loose) => ReadonlyArray<string>>> = {
  smtp: () => ["Its mail server is not carried: mails come from this installation"],
  webhook: (config) => [
    "Its body changes: receivers get the payload and the signature of this service",
    ...(textAt(config, "httpMethod")?.toLowerCase() === "get" ? ["It is sent by POST"] : [])
  ],
  telegram: (config) =>
    textAt(config, "telegramMessageThreadID") === null ? [] : ["Its topic is not carried: messages go to the chat"],
  ntfy: (config) =>
    textAt(config, "ntfyusername") === null ? [] : ["Its user name and password are not carried: set an access token"]
}

export const kumaChannel = (notification: Loose, index: number): FoundChannel => {
  const notes = makeNotes()
  const config = recordOf(jsonAt(notification, "config"))
  const named = textAt(notification, "name")
  const id = idOf(notification, named, index)
  const name = named ?? id
  sayUnread(notes, notification, { texts: ["name"], flags: ["is_default", "isDefault"] })
  const type = textAt(config, "type") ?? ""
  const found = { ref: `channel:${id}`, name }
  const of = entryOf(settings, type)
  if (of === undefined) return { ...found, notes: [`Notifications of type "${type}" are not supported`], input: null }
  for (const note of entryOf(uncarried, type)?.(config) ?? []) notes.say(note)
  const input = channelInput(notes, {
    name: cut(notes, "The name", name, 80),
    ...of(config, notes),
    isDefault: flagAt(notification, "is_default") || flagAt(notification, "isDefault"),
    enabled: isOff(notification, "active") ? false : null
  })
  return { ...found, notes: notes.all, input }
}
