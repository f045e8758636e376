/** The types of alert channel: the one registration of each. */
import type { ChannelType } from "../../../schema/alert/Channel.ts"
import type { ChannelKind } from "./ChannelKind.ts"
import { webhook } from "./channels/webhook.ts"

/** null where the specification has the type and this version does not yet. */
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
