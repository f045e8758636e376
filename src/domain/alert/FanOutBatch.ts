/** Bounds the work of one transaction of the fan-out, and decides what follows when the events of one workspace fail. */
import { Data, Duration } from "effect"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { broadcastTargets } from "../subscriber/BroadcastTargets.ts"
import { gather } from "../tools/Gather.ts"
import type { Receiver, RoutingFacts } from "./DeliveryPlan.ts"
import { receiversOf } from "./EventRouting.ts"
import { closesAlerts, keepsAlerts } from "./PagingAlerts.ts"

interface Sum {
  readonly rows: number
  readonly bytes: number
}

/** Upper bounds of an event's cost: rows that are written, and bytes of their bodies. */
interface Priced extends Sum {
  readonly workspaceId: string
}

/** The most that one transaction writes, in about 0.1 s. */
const most = { rows: 2000, bytes: 8 * 1024 * 1024 }

const plus = (sum: Sum, one: Sum): Sum => ({ rows: sum.rows + one.rows, bytes: sum.bytes + one.bytes })
const fits = ({ bytes, rows }: Sum): boolean => rows <= most.rows && bytes <= most.bytes

/**
 * The events that one transaction takes of those offered. A workspace whose event does not fit waits with all that follow, to keep
 * their order. `tooLarge` has workspaces whose next event fits no transaction with others.
 */
export const affordable = <One extends Priced>(offered: ReadonlyArray<One>) => {
  const taken: Array<One> = []
  const waiting = new Set<One["workspaceId"]>()
  const tooLarge = new Set<One["workspaceId"]>()
  let sum: Sum = { rows: 0, bytes: 0 }
  for (const one of offered) {
    if (waiting.has(one.workspaceId)) continue
    const after = plus(sum, one)
    if (fits(after)) {
      taken.push(one)
      sum = after
    } else {
      waiting.add(one.workspaceId)
      if (!fits(one)) tooLarge.add(one.workspaceId)
    }
  }
  return { taken, tooLarge }
}

/** The events of one workspace that go apart: the first ones that fit, and the first in any case. */
export const affordableApart = <One extends Priced>([first, ...others]: ReadonlyArray<One>): ReadonlyArray<One> => {
  if (first === undefined) return []
  let sum: Sum = first
  const end = others.findIndex((one) => {
    sum = plus(sum, one)
    return !fits(sum)
  })
  return [first, ...others.slice(0, end === -1 ? undefined : end)]
}

/** An event with the bytes of its data. */
export interface SizedEvent extends WorkspaceEvent {
  readonly size: number
}

interface PricedEvent extends Priced {
  readonly workspaceId: SizedEvent["workspaceId"]
  readonly event: SizedEvent
}

/** New events with what each costs at most, by its receivers, its pages and the size of its data. */
export const priced = (events: ReadonlyArray<SizedEvent>, { channels, links }: Pick<RoutingFacts, "channels" | "links">) => {
  const listening = gather(channels.map((channel) => [channel.workspaceId, channel] as const))
  return events.map((event) => {
    // Which alerts are open when its turn comes follows from the events before it.
    const mayClose = ({ type }: Receiver) => closesAlerts(event.type) && keepsAlerts(type)
    const receivers = receiversOf(event, listening.get(event.workspaceId) ?? [], links, mayClose).length
    const pages = broadcastTargets(event).pageIds.length
    return { event, workspaceId: event.workspaceId, rows: receivers + pages, bytes: receivers * event.size }
  })
}

export const byAge = (taken: ReadonlyArray<PricedEvent>): ReadonlyArray<SizedEvent> =>
  taken.map(({ event }) => event).sort((one, other) => (one.id < other.id ? -1 : 1))

/** The next step after the events of one workspace failed. */
export type AfterFailure = Data.TaggedEnum<{
  /** Its next attempt takes fewer events. */
  Fewer: { readonly most: number }
  /** The single event that failed is tried again after a pause. */
  Later: { readonly failures: number; readonly pause: Duration.Duration }
  /** The single event is set aside, so that those behind it go on. */
  SetAside: object
}>
export const AfterFailure = Data.taggedEnum<AfterFailure>()

/** The failures of an event after which it is set aside: after four minutes, or an hour if something else may be at fault. */
const tries = { event: 10, elsewhere: 60 }
const longestPause = Duration.minutes(1)

/** After an attempt with `attempted` events; `failures` are those of the first event by itself, before this one. */
export const afterFailure = (attempted: number, failures: number, mayBeElsewhere: boolean): AfterFailure => {
  if (attempted > 1) return AfterFailure.Fewer({ most: attempted >> 1 })
  if (failures + 1 >= (mayBeElsewhere ? tries.elsewhere : tries.event)) return AfterFailure.SetAside()
  return AfterFailure.Later({
    failures: failures + 1,
    pause: Duration.min(longestPause, Duration.seconds(2 ** Math.min(failures, 10)))
  })
}
