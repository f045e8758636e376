/** Reports that monitors flap, and that they no longer do. */
import { Array, Effect, Option } from "effect"
import type { WorkspaceEvent } from "../../schema/event/Event.ts"
import { decodeEventData, type EventData, type EventDraft } from "../../schema/event/EventData.ts"
import { Links } from "../../src/links/Links.ts"
import { AlertGroups } from "../../src/store/alert/AlertGroups.ts"
import { AlertStreaks, type EndedStreak } from "../../src/store/alert/AlertStreaks.ts"
import { FanOutRows } from "../../src/store/alert/FanOutRows.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { type SummarizedChannel, summaryOf } from "./AlertSummary.ts"
import { type DueStep, makeUnlockedWorkspaces } from "./UnlockedWorkspaces.ts"

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

/** None if another version recorded the alert in a shape that this one cannot read. */
export const flappingEvent = (
  { id, name }: Pick<SummarizedChannel, "id" | "name">,
  alert: WorkspaceEvent,
  flapping: boolean
): Option.Option<EventDraft> =>
  Option.map(subjectOf(alert), (subject): EventDraft => ({
    type: "monitor.flapping",
    data: { channel: { id, name }, ...subject, flapping }
  }))

/** Reports of monitors that are stable again; of several of one channel as one. */
export const makeEndFlapping = Effect.gen(function*() {
  const unlocked = yield* makeUnlockedWorkspaces
  const groups = yield* AlertGroups
  const streaks = yield* AlertStreaks
  const { channels } = yield* FanOutRows
  const events = yield* EventLog
  const links = yield* Links

  const report = Effect.fnUntraced(function*(ended: Array.NonEmptyReadonlyArray<EndedStreak>) {
    const [{ channelId, eventId, workspaceId }, ...others] = ended
    const found = yield* channels.find(workspaceId, channelId)
    if (Option.isNone(found)) return
    const channel = found.value
    if (others.length > 0) {
      const alerts = yield* groups.told(workspaceId, ended.map((one) => one.eventId))
      const stable = alerts.map((alert) => ({ ...alert, change: "stable" as const }))
      return yield* events.append(workspaceId, [summaryOf(channel, stable, links)])
    }
    const last = yield* groups.event(workspaceId, eventId)
    const draft = Option.flatMap(last, (alert) => flappingEvent(channel, alert, false))
    if (Option.isSome(draft)) yield* events.append(workspaceId, [draft.value])
  })

  /** One transaction, so that a process that dies reports an end neither twice nor never. */
  const one: DueStep = Effect.fnUntraced(function*(now, except, of) {
    const ended = yield* streaks.end(now, except)
    const [first] = ended
    if (first === undefined) return false
    of(first.workspaceId)
    const flapped = ended.filter(({ flapping }) => flapping)
    yield* Effect.forEach(Object.values(Array.groupBy(flapped, ({ channelId }) => channelId)), report, { discard: true })
    return true
  })
  return { next: streaks.nextEndAt, work: unlocked(one) }
})
