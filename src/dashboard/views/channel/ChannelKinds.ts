/** Describes each kind of alert channel: its purpose, its settings, and where to find them. */
import { Struct } from "effect"
import type { ChannelType } from "../../../../schema/alert/Channel.ts"

export type Setting = "emails" | "url" | "headers" | "botToken" | "chatId" | "appSecret" | "buttons" | "token" | "topic"

interface Kind {
  readonly name: string
  readonly what: string
  readonly steps: ReadonlyArray<string>
  readonly settings: Readonly<
    Partial<Record<Setting, { readonly label: string; readonly hint?: string; readonly optional?: true }>>
  >
}

export const channelKinds: Readonly<Record<ChannelType, Kind>> = {
  email: {
    name: "Email",
    what: "An email to each recipient",
    steps: ["Each recipient can leave the channel by a link in the mail."],
    settings: { emails: { label: "Recipients", hint: "One address per line, at most 20" } }
  },
  slack: {
    name: "Slack",
    what: "A message in a channel",
    steps: [
      "In Slack, open Apps, then Incoming Webhooks, and add one to the channel.",
      "Copy its webhook URL. Anyone who knows it can post, so Belltower hides it after you save.",
      "To page people in Slack, make an app of your own at api.slack.com/apps, with Incoming Webhooks and the scopes chat:write and " +
      "users:read.email. Install it, and copy its bot token.",
      "For buttons, copy the app's signing secret. This channel's page says what to enter under Interactivity."
    ],
    settings: {
      url: { label: "Webhook URL", hint: "Starts with https://hooks.slack.com/services/" },
      botToken: { label: "Bot token of the app", hint: "For direct messages to people on call: xoxb-…", optional: true },
      chatId: {
        label: "Channel id",
        hint: "For example C012AB3CD. Messages are then posted with the bot token instead of the webhook",
        optional: true
      },
      appSecret: {
        label: "Signing secret of the app",
        hint: "Adds the buttons Acknowledge, Resolve and Escalate to messages",
        optional: true
      }
    }
  },
  webhook: {
    name: "Webhook",
    what: "A signed POST to your own service",
    steps: [
      "Belltower signs each delivery (Standard Webhooks). You see the signing secret once, after you create the channel.",
      "Answer with a status from 200 to 299 within 10 seconds. Anything else is tried again."
    ],
    settings: {
      url: { label: "URL", hint: "Receives each alert as a signed POST" },
      headers: {
        label: "Headers",
        hint: "One per line, for example authorization: Bearer …. Stored values are masked.",
        optional: true
      }
    }
  },
  teams: {
    name: "Microsoft Teams",
    what: "A card in a channel",
    steps: [
      "In Teams, open the channel's menu, then Workflows.",
      "Choose \"Post to a channel when a webhook request is received\" and copy the URL that it gives you."
    ],
    settings: { url: { label: "Workflow URL" } }
  },
  discord: {
    name: "Discord",
    what: "A message in a channel",
    steps: [
      "In Discord, open the channel's settings, then Integrations and Webhooks.",
      "Create a webhook and copy its URL.",
      "For buttons, make an application of your own at discord.com/developers, in place of the webhook. Invite its bot with the " +
      "permissions View Channel, Send Messages and Embed Links, and copy its bot token and public key. This channel's page says " +
      "which Interactions Endpoint URL to enter."
    ],
    settings: {
      url: { label: "Webhook URL", hint: "Starts with https://discord.com/api/webhooks/", optional: true },
      botToken: { label: "Bot token of the application", optional: true },
      chatId: { label: "Channel id", hint: "Messages are then posted with the bot token instead of the webhook", optional: true },
      appSecret: {
        label: "Public key of the application",
        hint: "Adds buttons to messages: Acknowledge for everybody who sees the channel, Resolve and Escalate for linked members",
        optional: true
      }
    }
  },
  telegram: {
    name: "Telegram",
    what: "A message from your bot",
    steps: [
      "Write to @BotFather to create a bot, and copy its token.",
      "Add the bot to the chat. The id of a group begins with a minus sign.",
      "With buttons, the bot reports to this server only, which needs a public https address."
    ],
    settings: {
      botToken: { label: "Bot token", hint: "For example 123456:ABC-DEF…" },
      chatId: { label: "Chat id" },
      buttons: {
        label: "Buttons",
        hint: "Acknowledge, Resolve and Escalate below messages, and links by which people add their chat"
      }
    }
  },
  pagerduty: {
    name: "PagerDuty",
    what: "Alerts that open, are acknowledged and resolve",
    steps: ["In PagerDuty, open the service, then Integrations, and add Events API v2.", "Copy the integration key."],
    settings: {
      token: { label: "Integration key" },
      url: { label: "Server", hint: "Only for accounts in the EU: https://events.eu.pagerduty.com", optional: true }
    }
  },
  opsgenie: {
    name: "Opsgenie",
    what: "Alerts that open, are acknowledged and close",
    steps: ["In Opsgenie, open the team's Integrations and add API.", "Copy the API key."],
    settings: {
      token: { label: "API key" },
      url: { label: "Server", hint: "Only for accounts in the EU: https://api.eu.opsgenie.com", optional: true }
    }
  },
  ntfy: {
    name: "ntfy",
    what: "A push notification on phones that follow a topic",
    steps: ["Choose a topic that is hard to guess, and subscribe to it in the ntfy app."],
    settings: {
      topic: { label: "Topic" },
      token: { label: "Access token", hint: "Only for a protected topic", optional: true },
      url: { label: "Server", hint: "Default: https://ntfy.sh", optional: true }
    }
  }
}

/** In the order in which people choose among them. */
export const channelTypes = Struct.keys(channelKinds)

export const channelTypeOf = (given: string | null): ChannelType | null => channelTypes.find((type) => type === given) ?? null

/** The settings of a kind, in the order of its form. */
export const settingsOf = (type: ChannelType): ReadonlyArray<Setting> => Struct.keys(channelKinds[type].settings)
