/** Who hears of an event: the specification's Events table, as far as alert channels are concerned. */
import type { EventType } from "../../../schema/event/Event.ts"
import type { ChannelId } from "../../../schema/Ids.ts"

/** Which of a workspace's channels an event may reach at all. */
type Audience =
  /** None: the event stream only. */
  | "nobody"
  /** Every channel. */
  | "workspace"
  /** Every channel, where a person and not a monitor brought it about. */
  | "workspace-if-manual"
  /** The channels attached to the monitor. */
  | "attached"
  /** The channels that were told of the incident before. */
  | "alerted"
  /** The channels that the event itself names: they were chosen for it, so what they list does not matter. */
  | "named"

interface Route {
  readonly audience: Audience
  /** Whether a channel without a list of its own hears it. */
  readonly byDefault: boolean
}

const routes = {
  "monitor.down": { audience: "attached", byDefault: true },
  "monitor.up": { audience: "attached", byDefault: true },
  "monitor.degraded": { audience: "attached", byDefault: true },
  "monitor.reminder": { audience: "attached", byDefault: true },
  "incident.created": { audience: "workspace-if-manual", byDefault: true },
  "incident.updated": { audience: "workspace-if-manual", byDefault: true },
  "incident.resolved": { audience: "workspace-if-manual", byDefault: true },
  "maintenance.scheduled": { audience: "workspace", byDefault: true },
  "maintenance.started": { audience: "workspace", byDefault: true },
  "maintenance.updated": { audience: "workspace", byDefault: true },
  "maintenance.completed": { audience: "workspace", byDefault: true },
  "incident.acknowledged": { audience: "alerted", byDefault: true },
  "incident.escalated": { audience: "named", byDefault: false },
  "incident.unacknowledged": { audience: "nobody", byDefault: false },
  "component.status_changed": { audience: "workspace", byDefault: false },
  "monitor.created": { audience: "nobody", byDefault: false },
  "monitor.deleted": { audience: "nobody", byDefault: false },
  "deploy.created": { audience: "workspace", byDefault: false },
  "digest.weekly": { audience: "workspace", byDefault: false },
  "test.ping": { audience: "named", byDefault: false }
} as const satisfies Record<EventType, Route>

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
export const audienceOf = (type: EventType): Audience => routes[type].audience

const matches = (type: EventType) => (pattern: string): boolean =>
  pattern === "*" || pattern === type || (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1)))

const listens = ({ events }: Listener, type: EventType): boolean =>
  events === null ? routes[type].byDefault : events.some(matches(type))

/** Whether a channel hears of an event. */
export const hears = (listener: Listener, occasion: Occasion): boolean => {
  if (!listener.enabled) return false
  switch (audienceOf(occasion.type)) {
    case "nobody":
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
