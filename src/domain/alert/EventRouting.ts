/** Who hears of an event: the specification's Events table, as far as alert channels are concerned. */
import type { EventType } from "../../../schema/event/Event.ts"
import { type ChannelAudience, events } from "../../../schema/event/EventData.ts"
import type { ChannelId } from "../../../schema/Ids.ts"

/** An event, with what decides who hears of it. */
export interface Occasion {
  readonly type: EventType
  /** Brought about by a monitor and not by a person. */
  readonly automatic: boolean
  /** The channels attached to its monitor. */
  readonly attached: ReadonlySet<ChannelId>
  /** The channels that were told of its incident before. */
  readonly alerted: ReadonlySet<ChannelId>
  /** The channels that it names. */
  readonly named: ReadonlySet<ChannelId>
}

/** A channel, as far as it chooses what it hears. */
export interface Listener {
  readonly id: ChannelId
  readonly enabled: boolean
  /** Types, prefixes such as `component.*`, or `*`; null for the default types. */
  readonly events: ReadonlyArray<string> | null
}

/** Which channels must be known before an event of this type can be routed. */
export const audienceOf = (type: EventType): ChannelAudience => events[type].audience.channels

const matches = (type: EventType) => (pattern: string): boolean =>
  pattern === "*" || pattern === type || (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1)))

const listens = (listener: Listener, type: EventType): boolean =>
  listener.events === null ? events[type].audience.byDefault : listener.events.some(matches(type))

/** Whether a channel hears of an event. */
export const hears = (listener: Listener, occasion: Occasion): boolean => {
  if (!listener.enabled) return false
  switch (audienceOf(occasion.type)) {
    case "none":
      return false
    case "workspace":
      return listens(listener, occasion.type)
    case "workspace-if-manual":
      return !occasion.automatic && listens(listener, occasion.type)
    case "attached":
      return occasion.attached.has(listener.id) && listens(listener, occasion.type)
    case "alerted":
      return occasion.alerted.has(listener.id) && listens(listener, occasion.type)
    case "named":
      return occasion.named.has(listener.id)
  }
}
