/** The registry of events: each type with its data and audience. Types, encoders, routing and documentation derive from it. */
import { type Either, type ParseResult, Predicate, Schema, Struct } from "effect"
import { compiledEncoder } from "../CompiledCodecs.ts"
import { Component, EffectiveStatus } from "../component/Component.ts"
import { Deploy } from "../deploy/Deploy.ts"
import { Digest } from "../digest/Digest.ts"
import { Mute } from "../mute/Mute.ts"
import { QuietEnded, TestPing } from "./ChannelEvents.ts"
import {
  IncidentAcknowledged,
  IncidentAnalyzed,
  IncidentChanged,
  IncidentResolved,
  IncidentUnacknowledged
} from "./IncidentEvents.ts"
import {
  MonitorCreated,
  MonitorDegraded,
  MonitorDeleted,
  MonitorDown,
  MonitorFlapping,
  MonitorSummary,
  MonitorUp
} from "./MonitorEvents.ts"
import { IncidentEscalated, IncidentPaged, MonitorReminder } from "./OnCallEvents.ts"

/** The alert channels that an event can reach; a channel of a paging service also gets what closes its alert. */
export type ChannelAudience =
  /** No channel; only polling and the live stream return it. */
  | "none"
  /** Every channel. */
  | "workspace"
  /** Every channel if a person caused the event, none if a monitor did. */
  | "workspace-if-manual"
  /** The channels attached to the event's monitor. */
  | "attached"
  /** The channels that received an earlier event of the same incident. */
  | "alerted"
  /** The channels that the event names, whatever their own event lists say. */
  | "named"
  /** No channel, but the contact way of the person whom the event names. */
  | "way"

/** The receivers of an event: the columns "Default channel" and "Subscribers". (Specification: Events, Event types.) */
export interface Audience {
  readonly channels: ChannelAudience
  /** True if a channel without a list of its own receives it. */
  readonly byDefault: boolean
  /** The subscribers of a status page that receive it. */
  readonly subscribers: "all" | "webhooks" | "none"
}

/** A component as events show it: the fields that visitors see, never the pushUrl. */
const EventComponent = Component.pipe(
  Schema.pick("id", "key", "name", "description", "group", "status", "statusMessage", "updatedAt")
).annotations({ identifier: "EventComponent" })

const ComponentStatusChanged = Schema.Struct({ component: EventComponent, from: EffectiveStatus, to: EffectiveStatus })

const MuteChanged = Schema.Struct({ mute: Mute.annotations({ description: "The mute" }) })

const DeployCreated = Schema.Struct({ deploy: Deploy.annotations({ description: "The deploy that was recorded" }) })

/** Encodes without the library's checks of each value, which cost as much as the statement that records an event. */
const event = <A, I extends Readonly<Record<string, unknown>>>(data: Schema.Schema<A, I>, audience: Audience) => {
  const encode = compiledEncoder(data.ast)
  return {
    data,
    encode: (value: A): Readonly<Record<string, unknown>> => {
      const encoded = encode(value)
      if (!Predicate.isReadonlyRecord(encoded)) throw new TypeError("The data of an event is not an object")
      return encoded
    },
    decode: Schema.decodeUnknownEither(data),
    audience
  }
}

export const events = {
  "monitor.down": event(MonitorDown, { channels: "attached", byDefault: true, subscribers: "none" }),
  "monitor.up": event(MonitorUp, { channels: "attached", byDefault: true, subscribers: "none" }),
  "monitor.degraded": event(MonitorDegraded, { channels: "attached", byDefault: true, subscribers: "none" }),
  "monitor.reminder": event(MonitorReminder, { channels: "attached", byDefault: true, subscribers: "none" }),
  "monitor.summary": event(MonitorSummary, { channels: "named", byDefault: false, subscribers: "none" }),
  "monitor.flapping": event(MonitorFlapping, { channels: "named", byDefault: false, subscribers: "none" }),
  "quiet.ended": event(QuietEnded, { channels: "named", byDefault: false, subscribers: "none" }),
  "incident.created": event(IncidentChanged, { channels: "workspace-if-manual", byDefault: true, subscribers: "all" }),
  "incident.updated": event(IncidentChanged, { channels: "workspace-if-manual", byDefault: true, subscribers: "all" }),
  "incident.resolved": event(IncidentResolved, { channels: "workspace-if-manual", byDefault: true, subscribers: "all" }),
  "maintenance.scheduled": event(IncidentChanged, { channels: "workspace", byDefault: true, subscribers: "all" }),
  "maintenance.started": event(IncidentChanged, { channels: "workspace", byDefault: true, subscribers: "all" }),
  "maintenance.updated": event(IncidentChanged, { channels: "workspace", byDefault: true, subscribers: "all" }),
  "maintenance.completed": event(IncidentChanged, { channels: "workspace", byDefault: true, subscribers: "all" }),
  "incident.acknowledged": event(IncidentAcknowledged, { channels: "alerted", byDefault: true, subscribers: "none" }),
  "incident.analyzed": event(IncidentAnalyzed, { channels: "alerted", byDefault: true, subscribers: "none" }),
  "incident.escalated": event(IncidentEscalated, { channels: "named", byDefault: false, subscribers: "none" }),
  "incident.paged": event(IncidentPaged, { channels: "way", byDefault: false, subscribers: "none" }),
  "incident.unacknowledged": event(IncidentUnacknowledged, { channels: "none", byDefault: false, subscribers: "none" }),
  "component.status_changed": event(ComponentStatusChanged, {
    channels: "workspace",
    byDefault: false,
    subscribers: "webhooks"
  }),
  "monitor.created": event(MonitorCreated, { channels: "none", byDefault: false, subscribers: "none" }),
  "monitor.deleted": event(MonitorDeleted, { channels: "none", byDefault: false, subscribers: "none" }),
  "mute.started": event(MuteChanged, { channels: "workspace", byDefault: false, subscribers: "none" }),
  "mute.ended": event(MuteChanged, { channels: "workspace", byDefault: false, subscribers: "none" }),
  "deploy.created": event(DeployCreated, { channels: "workspace", byDefault: false, subscribers: "none" }),
  "digest.weekly": event(Digest, { channels: "workspace", byDefault: false, subscribers: "none" }),
  "test.ping": event(TestPing, { channels: "named", byDefault: false, subscribers: "none" })
} as const

type EventType = keyof typeof events

/** All types, in the order of the specification. */
export const eventTypes: ReadonlyArray<EventType> = Struct.keys(events)

export type EventData<Type extends EventType> = (typeof events)[Type]["data"]["Type"]

/** An event to record: its type with the data of that type. */
export type EventDraft = { [Type in EventType]: { readonly type: Type; readonly data: EventData<Type> } }[EventType]

type Codecs = {
  readonly [Type in EventType]: {
    readonly encode: (data: EventData<Type>) => Readonly<Record<string, unknown>>
    readonly decode: (data: unknown) => Either.Either<EventData<Type>, ParseResult.ParseError>
  }
}
const codecs: Codecs = events

/** The data of a draft as it is stored and sent. */
export const encodeEventData = <Type extends EventType>(draft: { readonly type: Type; readonly data: EventData<Type> }) =>
  codecs[draft.type].encode(draft.data)

/** The data of a stored event. Fails on data that another version recorded in another shape. */
export const decodeEventData = <Type extends EventType>(type: Type, data: unknown) => codecs[type].decode(data)
