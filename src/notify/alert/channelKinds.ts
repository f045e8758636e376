/** The registry of alert channel types. */
import { Schema } from "effect"
import { ChannelType } from "../../../schema/alert/Channel.ts"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { teamPayload } from "../../domain/alert/WebhookPayload.ts"
import type { ChannelKind } from "./ChannelKind.ts"
import { webhook } from "./channels/webhook.ts"

/** Null for types of the specification that are not implemented yet. */
export const channelKinds: Record<ChannelType, ChannelKind | null> = {
  email: null,
  webhook,
  slack: null,
  discord: null,
  telegram: null
} satisfies Record<ChannelType, ChannelKind | null>

/** The types that can be created, as a comma-separated list for messages. */
export const availableTypes: string = Object.entries(channelKinds)
  .flatMap(([type, kind]) => (kind === null ? [] : [type]))
  .join(", ")

const isChannelType = Schema.is(ChannelType)

/**
 * Renders an event for channels of a type. A newer version may have created the channel. If this version does not know the
 * type, the body is the team payload: the delivery is still recorded, and its failure is visible.
 */
export const renderFor = (type: string, event: WorkspaceEvent): string =>
  ((isChannelType(type) ? channelKinds[type] : null)?.render ?? teamPayload)(event)
