/** Routes events to alert channels: the column "Default channel". (Specification: Events, Event types.) */
import { type DateTime, Option, Schema } from "effect"
import type { EventType, WorkspaceEvent } from "../../../schema/event/Event.ts"
import { type ChannelAudience, events } from "../../../schema/event/EventData.ts"
import { ChannelId, IncidentId, MonitorId, MuteId, PagingId, UserId, WayId, type WorkspaceId } from "../../../schema/Ids.ts"

/** An event, with the facts that decide who receives it. */
export interface Occasion {
  readonly type: EventType
  /** True if a monitor caused it. A person may also change what a monitor opened: then it is false. */
  readonly automatic: boolean
  readonly attached: ReadonlySet<ChannelId>
  /** The channels that received an earlier event of its incident. */
  readonly alerted: ReadonlySet<ChannelId>
  readonly named: ReadonlySet<ChannelId>
}

/** The fields of a channel that select its events. */
export interface Listener {
  readonly id: ChannelId
  readonly enabled: boolean
  /** Types, prefixes such as `component.*`, or `*`; null for the default types. */
  readonly events: ReadonlyArray<string> | null
}

/** The kind of channels that routing must load before it can route an event of this type. */
export const audienceOf = (type: EventType): ChannelAudience => events[type].audience.channels

const matches = (type: EventType) => (pattern: string): boolean =>
  pattern === "*" || pattern === type || (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1)))

const listens = (listener: Listener, type: EventType): boolean =>
  listener.events === null ? events[type].audience.byDefault : listener.events.some(matches(type))

const includes: Readonly<Record<ChannelAudience, (id: ChannelId, occasion: Occasion) => boolean>> = {
  none: () => false,
  workspace: () => true,
  "workspace-if-manual": (_, { automatic }) => !automatic,
  attached: (id, { attached }) => attached.has(id),
  alerted: (id, { alerted }) => alerted.has(id),
  named: (id, { named }) => named.has(id),
  way: (id, { named }) => named.has(id)
}

/** True if a channel receives an event. */
export const hears = (listener: Listener, occasion: Occasion): boolean => {
  const audience = audienceOf(occasion.type)
  return listener.enabled && includes[audience](listener.id, occasion) &&
    (audience === "named" || audience === "way" || listens(listener, occasion.type))
}

/** The event data that routing reads. Another version may have written the event, so a missing field matches no channel. */
const Facts = Schema.Struct({
  monitor: Schema.optional(Schema.NullOr(Schema.Struct({ _id: MonitorId }))),
  incident: Schema.optional(Schema.NullOr(Schema.Struct({ id: IncidentId, automatic: Schema.optional(Schema.Boolean) }))),
  from: Schema.optional(Schema.String),
  manual: Schema.optional(Schema.Boolean),
  mute: Schema.optional(Schema.Struct({ id: MuteId })),
  channel: Schema.optional(Schema.Struct({ id: ChannelId })),
  notified: Schema.optional(Schema.Struct({ channelIds: Schema.Array(ChannelId) })),
  paging: Schema.optional(Schema.Struct({ id: PagingId, wayId: WayId })),
  user: Schema.optional(Schema.Struct({ id: UserId }))
})
type Facts = typeof Facts.Type

const factsOf = ({ data }: WorkspaceEvent): Facts => Option.getOrElse(Schema.decodeUnknownOption(Facts)(data), (): Facts => ({}))

/** The key into `ChannelLinks` for an event's channels; null if its audience needs none. */
export const linkKey = (event: WorkspaceEvent): MonitorId | IncidentId | null => {
  const audience = audienceOf(event.type)
  const { incident, monitor } = factsOf(event)
  return (audience === "attached" ? monitor?._id : audience === "alerted" ? incident?.id : null) ?? null
}

/** The incident that an event is about; null if there is none. Its channels count as alerted about it. */
export const incidentOf = (event: WorkspaceEvent): IncidentId | null => factsOf(event).incident?.id ?? null

/** The contact way that a page goes to, and its person; null for other events. */
export const wayOf = (event: WorkspaceEvent) => {
  const { paging, user } = factsOf(event)
  return event.type !== "incident.paged" || paging === undefined || user === undefined
    ? null
    : { pagingId: paging.id, wayId: paging.wayId, userId: user.id }
}

export const muteOf = (event: WorkspaceEvent): MuteId | null => factsOf(event).mute?.id ?? null

export const monitorOf = (event: WorkspaceEvent): MonitorId | null => factsOf(event).monitor?._id ?? null

const checkOf = Schema.decodeUnknownOption(Schema.Struct({ check: Schema.Struct({ at: Schema.DateTimeUtc }) }))

/** When the check was made that the event reports; null if it reports none. */
export const checkedAt = ({ data }: WorkspaceEvent): DateTime.Utc | null =>
  Option.getOrNull(Option.map(checkOf(data), ({ check }) => check.at))

/** The state that a monitor left; null if the event does not say. */
export const stateBefore = (event: WorkspaceEvent): string | null => factsOf(event).from ?? null

/** The events whose readers can take care of the incident. */
const callsToAct: ReadonlyArray<EventType> = [
  "monitor.down",
  "monitor.reminder",
  "monitor.flapping",
  "incident.created",
  "incident.escalated",
  "incident.paged"
]

/** The incident that the reader of an alert can acknowledge; null if there is none. */
export const acknowledgeable = (event: WorkspaceEvent): IncidentId | null =>
  callsToAct.includes(event.type) ? incidentOf(event) : null

/** Channels by the monitor they are attached to, or by the incident they were alerted about. */
export type ChannelLinks = ReadonlyMap<string, ReadonlySet<ChannelId>>

const noChannels: ReadonlySet<ChannelId> = new Set()

/** Deliveries name their target, a channel or a contact way, in one place. */
const targetOf = (wayId: WayId): ChannelId => ChannelId.make(wayId)

const occasionOf = (event: WorkspaceEvent, links: ChannelLinks): Occasion => {
  const { channel, incident, manual, notified } = factsOf(event)
  const way = wayOf(event)
  // `linkKey` follows the audience, and `hears` reads only the set of that audience.
  const linked = links.get(linkKey(event) ?? "") ?? noChannels
  return {
    type: event.type,
    // Events that are no change of the incident say only who opened it.
    automatic: manual === undefined ? incident?.automatic ?? false : !manual,
    attached: linked,
    alerted: linked,
    named: new Set([
      ...(channel === undefined ? [] : [channel.id]),
      ...(notified?.channelIds ?? []),
      ...(way === null ? [] : [targetOf(way.wayId)])
    ])
  }
}

/** The channels of its workspace that receive an event, also those at which it closes an alert, whatever their event lists. */
export const receiversOf = <Channel extends Listener & { readonly workspaceId: WorkspaceId }>(
  event: WorkspaceEvent,
  channels: ReadonlyArray<Channel>,
  links: ChannelLinks,
  closesAt: (channel: Channel) => boolean
): ReadonlyArray<Channel> => {
  const occasion = occasionOf(event, links)
  return channels.filter((channel) =>
    channel.workspaceId === event.workspaceId && (hears(channel, occasion) || (channel.enabled && closesAt(channel)))
  )
}
