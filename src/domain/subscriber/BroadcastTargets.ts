/** The targets of an event for subscribers: the pages of its incident, or the page of its component. */
import { Option, Schema } from "effect"
import type { EventType, WorkspaceEvent } from "../../../schema/event/Event.ts"
import { events } from "../../../schema/event/EventData.ts"
import type { Thread } from "./Damping.ts"

/** Another version may have written the event, so a missing field leads nowhere. */
const Facts = Schema.Struct({
  incident: Schema.optional(Schema.Struct({
    id: Schema.String,
    automatic: Schema.Boolean,
    monitorId: Schema.NullOr(Schema.String),
    public: Schema.Boolean,
    pageIds: Schema.Array(Schema.String),
    components: Schema.Array(Schema.Struct({ componentId: Schema.String }))
  })),
  update: Schema.optional(Schema.Struct({ id: Schema.optional(Schema.String), public: Schema.Boolean })),
  manual: Schema.optional(Schema.Boolean),
  component: Schema.optional(Schema.Struct({ id: Schema.String })),
  from: Schema.optional(Schema.String),
  to: Schema.optional(Schema.String)
})

export interface BroadcastTargets {
  readonly pageIds: ReadonlyArray<string>
  readonly componentId: string | null
  /** The update that it reports, which says whether subscribers are notified. */
  readonly updateId: string | null
  readonly isPublic: boolean
  /** Whether maintenance of a component that works begins or ends: its window says whether subscribers are notified. */
  readonly planned: boolean
  /** Its subject, if that can flap; null if a person opened it. */
  readonly about: Thread | null
}

const nowhere: BroadcastTargets = { pageIds: [], componentId: null, updateId: null, isPublic: false, planned: false, about: null }

const threadOf = (type: EventType, { component, incident, manual }: typeof Facts.Type): Thread | null => {
  if (incident === undefined) {
    return component === undefined
      ? null
      : { thread: component.id, subject: component.id, opens: false, ends: false, byPerson: false }
  }
  if (!incident.automatic) return null
  return {
    thread: incident.id,
    subject: incident.monitorId ?? incident.components[0]?.componentId ?? incident.id,
    opens: type === "incident.created",
    ends: type === "incident.resolved",
    byPerson: manual ?? false
  }
}

const isWorking = (status: string | undefined): boolean => status === "operational" || status === "unknown"

const isPlanned = ({ from, to }: typeof Facts.Type): boolean =>
  (to === "maintenance" && isWorking(from)) || (from === "maintenance" && isWorking(to))

export const broadcastTargets = ({ data, type }: WorkspaceEvent): BroadcastTargets => {
  if (events[type].audience.subscribers === "none") return nowhere
  return Option.match(Schema.decodeUnknownOption(Facts)(data), {
    onNone: () => nowhere,
    onSome: (facts) => {
      const { component, incident, update } = facts
      const about = threadOf(type, facts)
      const isPublic = update?.public !== false
      const updateId = update?.id ?? null
      const planned = isPlanned(facts)
      if (incident === undefined) return { pageIds: [], componentId: component?.id ?? null, updateId, isPublic, planned, about }
      // An end that is not sent still cancels waiting broadcasts.
      const concerns = incident.public && (isPublic || about?.ends === true)
      return { pageIds: concerns ? incident.pageIds : [], componentId: null, updateId, isPublic, planned, about }
    }
  })
}
