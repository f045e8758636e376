/** Reports that monitors flap, and that they no longer do. */
import { Array, Effect, Option } from "effect"
import type { WorkspaceEvent } from "../../schema/event/Event.ts"
import { decodeEventData, type EventData } from "../../schema/event/EventData.ts"
import type { EventId } from "../../schema/Ids.ts"
import { Links } from "../../src/links/Links.ts"
import { AlertGroups } from "../../src/store/alert/AlertGroups.ts"
import { AlertStreaks, type EndedStreak } from "../../src/store/alert/AlertStreaks.ts"
import { FanOutRows } from "../../src/store/alert/FanOutRows.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { type SummarizedChannel, summaryOf } from "./AlertSummary.ts"
import type { DueStep } from "./UnlockedWorkspaces.ts"

type Subject = Omit<EventData<"monitor.flapping">, "channel" | "flapping">

/** The monitor of an alert, and its incident if it is down. */
const subjectOf = ({ data, type }: WorkspaceEvent): Option.Option<Subject> => {
  switch (type) {
    case "monitor.down":
      return Option.map(Option.getRight(decodeEventData(type, data)), ({ incident, monitor }) => ({ monitor, incident }))
    case "monitor.degraded":
    case "monitor.up":
      return Option.map(Option.getRight(decodeEventData(type, data)), ({ monitor }): Subject => ({ monitor, incident: null }))
    default:
      return Option.none()
  }
}

/** Reports that a monitor flaps, or no longer does. Reports nothing if another version recorded its alert in an unknown shape. */
export const makeReportFlapping = Effect.gen(function*() {
  const events = yield* EventLog

  return Effect.fnUntraced(function*({ id, name, workspaceId }: SummarizedChannel, eventId: EventId, flapping: boolean) {
    const subject = Option.flatMap(yield* events.find(workspaceId, eventId), subjectOf)
    if (Option.isNone(subject)) return
    const data = { channel: { id, name }, ...subject.value, flapping }
    yield* events.append(workspaceId, [{ type: "monitor.flapping", data }])
  })
})

/** Reports of monitors that are stable again; of several of one channel as one. */
export const makeEndFlapping = Effect.gen(function*() {
  const groups = yield* AlertGroups
  const streaks = yield* AlertStreaks
  const { channels } = yield* FanOutRows
  const events = yield* EventLog
  const links = yield* Links
  const reportFlapping = yield* makeReportFlapping

  const report = Effect.fnUntraced(function*(ended: Array.NonEmptyReadonlyArray<EndedStreak>) {
    const [{ channelId, eventId, workspaceId }, ...others] = ended
    const found = yield* channels.find(workspaceId, channelId)
    if (Option.isNone(found)) return
    const channel = found.value
    if (others.length === 0) return yield* reportFlapping(channel, eventId, false)
    const alerts = yield* groups.ofEvents(workspaceId, ended.map((one) => one.eventId))
    const stable = alerts.map((alert) => ({ ...alert, change: "stable" as const }))
    yield* events.append(workspaceId, [summaryOf(channel, stable, links)])
  })

  /** One transaction, so that a process that dies reports an end neither twice nor never. */
  const endSome: DueStep = Effect.fnUntraced(function*(now, except, of) {
    const ended = yield* streaks.endDue(now, except)
    const [first] = ended
    if (first === undefined) return false
    of(first.workspaceId)
    const flapped = ended.filter(({ flapping }) => flapping)
    yield* Effect.forEach(Object.values(Array.groupBy(flapped, ({ channelId }) => channelId)), report, { discard: true })
    return true
  })
  return endSome
})
