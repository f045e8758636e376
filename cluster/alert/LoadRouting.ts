/** Loads the inputs of event routing: channels, their links to the events, and their open alerts. */
import { type DateTime, Effect } from "effect"
import type { WorkspaceEvent } from "../../schema/event/Event.ts"
import type { RoutingFacts } from "../../src/domain/alert/DeliveryPlan.ts"
import { audienceOf, linkKey, wayOf } from "../../src/domain/alert/EventRouting.ts"
import { closesAlerts, keepsAlerts } from "../../src/domain/alert/PagingAlerts.ts"
import { AlertedChannels } from "../../src/store/alert/AlertedChannels.ts"
import { FanOutRows } from "../../src/store/alert/FanOutRows.ts"

export const makeLoadRouting = Effect.gen(function*() {
  const { channels } = yield* FanOutRows
  const alerted = yield* AlertedChannels

  const linksOf = Effect.fnUntraced(function*(
    events: ReadonlyArray<WorkspaceEvent>,
    audience: ReturnType<typeof audienceOf>,
    find: typeof alerted.find
  ) {
    const concerned = events.filter(({ type }) => audienceOf(type) === audience)
    const ids = concerned.flatMap((event) => linkKey(event) ?? [])
    if (ids.length === 0) return []
    const rows = yield* find([...new Set(concerned.map(({ workspaceId }) => workspaceId))], ids)
    return rows.map(({ channelIds, key }) => [key, new Set(channelIds)] as const)
  })

  /** Locks the channels in the caller's transaction. */
  return Effect.fn("FanOut.load")(function*(events: ReadonlyArray<WorkspaceEvent>, now: DateTime.Utc) {
    const workspaceIds = [...new Set(events.map(({ workspaceId }) => workspaceId))]
    const wayIds = events.flatMap((event) => wayOf(event)?.wayId ?? [])
    const listening = yield* channels.listening(workspaceIds)
    const ways = wayIds.length === 0 ? [] : yield* channels.ways(workspaceIds, wayIds)
    const attached = yield* linksOf(events, "attached", channels.attachedTo)
    const paging = listening.filter(({ type }) => keepsAlerts(type)).map(({ id }) => id)
    if (events.some(({ type }) => audienceOf(type) === "alerted")) yield* channels.awaitGroups(listening.map(({ id }) => id))
    else if (paging.length > 0 && events.some(({ type }) => closesAlerts(type))) yield* channels.awaitGroups(paging)
    const alertedBefore = yield* linksOf(events, "alerted", alerted.find)
    const alerts = yield* alerted.alertsOf(events, paging)
    const facts: RoutingFacts = {
      channels: [...listening, ...ways],
      links: new Map([...attached, ...alertedBefore]),
      alerts,
      now
    }
    return facts
  })
})
