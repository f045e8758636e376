/** The transactions of the fan-out: one with events of several workspaces, as far as they are small, and one of a workspace that goes alone. */
import type { SqlClient } from "@effect/sql"
import { Duration, Effect, Option } from "effect"
import type { EventId, WorkspaceId } from "../../../schema/Ids.ts"
import { receiversOf } from "../../domain/alert/EventRouting.ts"
import { affordable, affordableAlone, type Priced } from "../../domain/alert/FanOutBatch.ts"
import { closesAlerts, keepsAlerts } from "../../domain/alert/PagingAlerts.ts"
import { gather } from "../../domain/Gather.ts"
import { broadcastTargets } from "../../domain/subscriber/BroadcastTargets.ts"
import { withNext } from "../postgres/LeanTransactions.ts"
import type { Alone, FanOutAlone } from "./FanOutAlone.ts"
import type { EventBatch, FanOutChannels } from "./FanOutChannels.ts"
import { makeFanOutClaim, type NewEvent } from "./FanOutClaim.ts"
import type { FanOutWrites, PlanEvents } from "./FanOutWrites.ts"

/** What a transaction was about, known also if it failed. */
export interface Together {
  workspaceIds: ReadonlyArray<WorkspaceId>
}
export interface Attempt {
  one: Alone | null
  /** Its events; what it may have taken before they were read. */
  attempted: number
  /** The first of them. */
  eventId: EventId | null
}

interface TurnServices {
  readonly alone: FanOutAlone
  readonly channels: FanOutChannels
  readonly writes: FanOutWrites
}

/**
 * What a transaction with events of several workspaces waits at most, ms: a workspace whose rows are locked or slow must not hold up the
 * others.
 */
const patience = { statement: 10_000, lock: 2_000 }

/** The pause of a workspace that another process has. */
const heldPause = Duration.seconds(1)

interface PricedEvent extends Priced {
  readonly workspaceId: WorkspaceId
  readonly event: NewEvent
}

/** New events with what each costs at most, by its receivers, its pages and the size of its data. */
const priced = (events: ReadonlyArray<NewEvent>, { channels, links }: EventBatch) => {
  const listening = gather(channels.map((channel) => [channel.workspaceId, channel] as const))
  return events.map((event): PricedEvent => {
    // Which alerts are open when its turn comes follows from the events before it.
    const mayClose = ({ type }: EventBatch["channels"][number]) => closesAlerts(event.type) && keepsAlerts(type)
    const receivers = receiversOf(event, listening.get(event.workspaceId) ?? [], links, mayClose).length
    const pages = broadcastTargets(event).pageIds.length
    return { event, workspaceId: event.workspaceId, rows: receivers + pages, bytes: receivers * event.size }
  })
}

const inOrder = (taken: ReadonlyArray<PricedEvent>): ReadonlyArray<NewEvent> =>
  taken.map(({ event }) => event).sort((one, other) => (one.id < other.id ? -1 : 1))

const makeTogether = (sql: SqlClient.SqlClient, { alone, channels, writes }: TurnServices) => {
  const claim = makeFanOutClaim(sql)
  /** Behind this workspace the next claim begins. */
  let after = ""

  const impatient = withNext(sql`
    select set_config('statement_timeout', ${String(patience.statement)}, true),
           set_config('lock_timeout', ${String(patience.lock)}, true)`)

  return Effect.fn("FanOut.together")(
    function*(limit: number, plan: PlanEvents, seen: Together) {
      yield* impatient
      const begin = after
      const workspaceIds = yield* claim.workspacesAfter(begin)
      seen.workspaceIds = workspaceIds
      // From the start again after the last one.
      after = workspaceIds.length === claim.mostWorkspaces ? workspaceIds.at(-1) ?? "" : ""
      const beside = begin !== "" || after !== ""
      // Its snapshot is later than the locks, so it sees what their last holders have done.
      const { events, more, now } = workspaceIds.length === 0 ? claim.nothing : yield* claim.eventsOf(workspaceIds, limit)
      if (now === null) return { events: 0, more: beside, begun: 0 }
      const batch = yield* channels.load(events, now)
      const { taken, tooLarge } = affordable(priced(events, batch))
      yield* alone.add([...tooLarge], limit)
      const begun = yield* writes.write(inOrder(taken), batch, plan)
      const served = new Set([...taken.map(({ workspaceId }) => workspaceId), ...tooLarge])
      const unserved = workspaceIds.findIndex((id) => !served.has(id))
      // Those for whom there was no room come first the next time.
      if (unserved > 0) after = workspaceIds[unserved - 1] ?? ""
      return { events: taken.length, more: more || beside || unserved > 0 || taken.length < events.length, begun }
    },
    (work) => Effect.orDie(sql.withTransaction(work))
  )
}

const makeAlone = (sql: SqlClient.SqlClient, { alone, channels, writes }: TurnServices) => {
  const claim = makeFanOutClaim(sql)

  return Effect.fn("FanOut.alone")(
    function*(limit: number, plan: PlanEvents, seen: Attempt) {
      const one = Option.getOrNull(yield* alone.due)
      Object.assign(seen, { one, attempted: one?.most ?? 0, eventId: null })
      if (one === null) return 0
      const { most, workspaceId } = one
      if (!(yield* alone.lock(workspaceId))) {
        yield* alone.later(one, heldPause)
        return 0
      }
      const { events, more, now } = yield* claim.eventsOf([workspaceId], most)
      if (now === null) {
        yield* alone.end(workspaceId)
        return 0
      }
      const batch = yield* channels.load(events, now)
      const taken = inOrder(affordableAlone(priced(events, batch)))
      Object.assign(seen, { attempted: taken.length, eventId: taken[0]?.id ?? null })
      const begun = yield* writes.write(taken, batch, plan)
      yield* more || taken.length < events.length
        ? alone.later({ workspaceId, most: Math.min(limit, most * 2), failures: 0 })
        : alone.end(workspaceId)
      return begun
    },
    (work) => Effect.orDie(sql.withTransaction(work))
  )
}

/** Each returns the number of broadcasts that it begins. */
export const makeFanOutTurns = (sql: SqlClient.SqlClient, services: TurnServices) => ({
  together: makeTogether(sql, services),
  alone: makeAlone(sql, services)
})
