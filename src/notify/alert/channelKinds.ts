/** The registry of alert channel types. */
import { Schema } from "effect"
import { ChannelType } from "../../../schema/alert/Channel.ts"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { teamPayload } from "../../domain/alert/WebhookHeaders.ts"
import type { ChannelKind } from "./ChannelKind.ts"
import { discord } from "./channels/discord.ts"
import { email } from "./channels/email.ts"
import { ntfy } from "./channels/ntfy.ts"
import { opsgenie } from "./channels/opsgenie.ts"
import { pagerduty } from "./channels/pagerduty.ts"
import { slack } from "./channels/slack.ts"
import { teams } from "./channels/teams.ts"
import { telegram } from "./channels/telegram.ts"
import { webhook } from "./channels/webhook.ts"

export const channelKinds = {
  email,
  webhook,
  slack,
  discord,
  telegram,
  teams,
  pagerduty,
  opsgenie,
  ntfy
} satisfies Record<ChannelType, ChannelKind>

const isChannelType = Schema.is(ChannelType)

/** Renders an event for channels of a type; the team payload for a type that only a newer version knows. */
export const renderFor = (
  type: string,
  event: WorkspaceEvent,
  acknowledge: string | null = null,
  alertKey?: string
): string => isChannelType(type) ? channelKinds[type].render(event, acknowledge, alertKey) : teamPayload(event)
