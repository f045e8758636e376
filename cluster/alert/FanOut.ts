/**
 * Turns events into deliveries, each exactly once: those of several workspaces together in one transaction. Events that failed or are large
 * go apart, in transactions of their workspace.
 */
import { SqlClient } from "@effect/sql"
import { Array, Duration, Effect, Option } from "effect"
import type { WorkspaceEvent } from "../../schema/event/Event.ts"
import type { EventId, WorkspaceId } from "../../schema/Ids.ts"
import { type DeliveryPlan, planDeliveries, type RoutingFacts } from "../../src/domain/alert/DeliveryPlan.ts"
import { incidentOf, monitorOf } from "../../src/domain/alert/EventRouting.ts"
import { affordable, affordableApart, byAge, priced } from "../../src/domain/alert/FanOutBatch.ts"
import { ReportRequests } from "../../src/store/ai/ReportRequests.ts"
import { AlertGroups } from "../../src/store/alert/AlertGroups.ts"
import { AlertStreaks } from "../../src/store/alert/AlertStreaks.ts"
import type { ApartTurn } from "../../src/store/alert/FanOutApart.ts"
import { mostWorkspaces } from "../../src/store/alert/FanOutClaim.ts"
import { FanOutRows } from "../../src/store/alert/FanOutRows.ts"
import { QuietAlerts } from "../../src/store/alert/QuietAlerts.ts"
import { StandingAcknowledgements } from "../../src/store/alert/StandingAcknowledgements.ts"
import { inTransaction } from "../../src/store/postgres/Transaction.ts"
import { Broadcasts } from "../../src/store/subscriber/Broadcasts.ts"
import { makeSiftEvents } from "./KeptBackAlerts.ts"
import { makeLoadRouting } from "./LoadRouting.ts"
import { makeRenderMessages } from "./RenderMessages.ts"
import { makeTraceFanOut } from "./TraceFanOut.ts"

/** The workspaces of a transaction that several share, known also if it failed. */
export interface SharedTransaction {
  workspaceIds: ReadonlyArray<WorkspaceId>
}

/** The events of a transaction of one workspace, known also if it failed. */
export interface OwnTransaction {
  one: ApartTurn | null
  /** The number of its events; before they are read, the most that it may take. */
  attempted: number
  eventId: EventId | null
}

/** The limits of a transaction with events of several workspaces, ms: one that is locked or slow must not delay the others. */
const patience = { statement: 10_000, lock: 2_000 }

/** The pause of a workspace that another process has. */
const heldPause = Duration.seconds(1)

/** Turns new events, oldest first, into deliveries, in the caller's transaction. Returns how many broadcasts begin. */
const makeFanOutEvents = Effect.gen(function*() {
  const rows = yield* FanOutRows
  const sift = yield* makeSiftEvents
  const streaks = yield* AlertStreaks
  const groups = yield* AlertGroups
  const quietAlerts = yield* QuietAlerts
  const acknowledgements = yield* StandingAcknowledgements
  const broadcasts = yield* Broadcasts
  const reports = yield* ReportRequests
  const rendered = yield* makeRenderMessages
  const traced = yield* makeTraceFanOut

  /** The acknowledgements of incidents whose alerts have waited for a parent: the channels that are alerted now missed them. */
  const acknowledgedMeanwhile = Effect.fnUntraced(function*(waited: ReadonlySet<WorkspaceEvent>) {
    const found = yield* Effect.forEach(
      Object.values(Array.groupBy(waited, ({ workspaceId }) => workspaceId)),
      (ofOne) => acknowledgements.find(ofOne[0].workspaceId, ofOne.flatMap((event) => incidentOf(event) ?? []))
    )
    return found.flat()
  })

  /** Keeps alerts back, except those of monitors that are known to flap. */
  const keepBack = Effect.fn("FanOut.keepBack")(function*({ grouped, quiet }: DeliveryPlan, facts: RoutingFacts) {
    const found = yield* streaks.announce(grouped)
    const reported = grouped.flatMap((alert, index) => {
      const one = found[index]
      return one === "nothing" ? [] : [{ ...alert, flapping: one === "flapping" }]
    })
    yield* groups.hold(reported, facts.now)
    yield* quietAlerts.hold(quiet)
  })

  const fanOut = Effect.fn("FanOut.events")(function*(events: ReadonlyArray<WorkspaceEvent>, facts: RoutingFacts) {
    if (events.length === 0) return 0
    const { sent, waited } = yield* sift(events, facts.now)
    const plan = planDeliveries([...sent, ...yield* acknowledgedMeanwhile(waited)], facts)
    // Groups before queues: the sender of a group locks them in this order.
    yield* keepBack(plan, facts)
    const deleted = events.filter(({ type }) => type === "monitor.deleted")
    yield* streaks.forget(deleted.map(({ workspaceId }) => workspaceId), deleted.flatMap((event) => monitorOf(event) ?? []))
    yield* rows.deliver(rendered(plan.messages))
    const begun = yield* broadcasts.plan(events, facts.now)
    yield* reports.add(sent, facts.now)
    yield* rows.finish(events)
    return begun
  })
  return (events: ReadonlyArray<WorkspaceEvent>, facts: RoutingFacts) => traced(events, (own) => fanOut(own, facts))
})

export const makeFanOut = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { apart: turns, claim } = yield* FanOutRows
  const load = yield* makeLoadRouting
  const fanOut = yield* makeFanOutEvents
  /** The next claim begins after this workspace. */
  let after = ""

  /** One transaction with up to `limit` small events, of workspaces that take turns. */
  const together = Effect.fn("FanOut.together")(function*(limit: number, seen: SharedTransaction) {
    yield* claim.waitAtMost(patience.statement, patience.lock)
    const begin = after
    const workspaceIds = yield* claim.workspacesAfter(begin)
    seen.workspaceIds = workspaceIds
    // From the start again after the last one.
    after = workspaceIds.length === mostWorkspaces ? workspaceIds.at(-1) ?? "" : ""
    const beside = begin !== "" || after !== ""
    const nothing = { events: 0, more: beside, begun: 0 }
    if (workspaceIds.length === 0) return nothing
    // Its snapshot is later than the locks, so it sees what their last holders have done.
    const { events, more, now } = yield* claim.eventsOf(workspaceIds, limit)
    if (now === null) return nothing
    const facts = yield* load(events, now)
    const { taken, tooLarge } = affordable(priced(events, facts))
    yield* turns.add([...tooLarge], limit)
    const begun = yield* fanOut(byAge(taken), facts)
    const served = new Set([...taken.map(({ workspaceId }) => workspaceId), ...tooLarge])
    const unserved = workspaceIds.findIndex((id) => !served.has(id))
    // Workspaces for which there was no room come first the next time.
    if (unserved > 0) after = workspaceIds[unserved - 1] ?? ""
    return { events: taken.length, more: more || beside || unserved > 0 || taken.length < events.length, begun }
  }, inTransaction(sql))

  /** One transaction of a workspace whose events go apart, if there is one. Returns the number of broadcasts that begin. */
  const apart = Effect.fn("FanOut.apart")(function*(limit: number, seen: OwnTransaction) {
    const one = Option.getOrNull(yield* turns.due)
    Object.assign(seen, { one, attempted: one?.most ?? 0, eventId: null })
    if (one === null) return 0
    const { most, workspaceId } = one
    if (!(yield* turns.lock(workspaceId))) {
      yield* turns.later(one, heldPause)
      return 0
    }
    const { events, more, now } = yield* claim.eventsOf([workspaceId], most)
    if (now === null) {
      yield* turns.end(workspaceId)
      return 0
    }
    const facts = yield* load(events, now)
    const taken = byAge(affordableApart(priced(events, facts)))
    Object.assign(seen, { attempted: taken.length, eventId: taken[0]?.id ?? null })
    const begun = yield* fanOut(taken, facts)
    yield* more || taken.length < events.length
      ? turns.later({ workspaceId, most: Math.min(limit, most * 2), failures: 0 })
      : turns.end(workspaceId)
    return begun
  }, inTransaction(sql))

  return { together, apart }
})
