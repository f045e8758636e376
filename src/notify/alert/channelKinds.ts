/** The types of alert channel: the one registration of each. */
import { Schema } from "effect"
import { ChannelType } from "../../../schema/alert/Channel.ts"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { teamPayload } from "../../domain/alert/WebhookPayload.ts"
import type { ChannelKind } from "./ChannelKind.ts"
import { webhook } from "./channels/webhook.ts"

/** null for a type of the specification that this version does not have yet. */
export const channelKinds: Record<ChannelType, ChannelKind | null> = {
  email: null,
  webhook,
  slack: null,
  discord: null,
  telegram: null
} satisfies Record<ChannelType, ChannelKind | null>

/** The types that can be created, as a sentence lists them. */
export const availableTypes: string = Object.entries(channelKinds)
  .flatMap(([type, kind]) => (kind === null ? [] : [type]))
  .join(", ")

const isChannelType = Schema.is(ChannelType)

/**
 * The body of an event's message to channels of a type. A newer version may have created the channel: when this version has
 * no kind for it, the body is the team payload, so that the delivery exists and its failure shows.
 */
export const renderFor = (type: string, event: WorkspaceEvent): string =>
  ((isChannelType(type) ? channelKinds[type] : null)?.render ?? teamPayload)(event)
