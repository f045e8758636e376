/** Sends what waited in a channel's quiet hours once they end: one alert as itself, several as one summary. */
import { type DateTime, Effect, Option } from "effect"
import { groupingTypes } from "../../src/domain/alert/AlertGroup.ts"
import { Links } from "../../src/links/Links.ts"
import { QuietAlerts, type QuietGroup } from "../../src/store/alert/QuietAlerts.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { makeLateAcknowledgements } from "./LateAcknowledgements.ts"
import { makeSendSingle } from "./SingleAlerts.ts"
import type { DueStep } from "./UnlockedWorkspaces.ts"

/** A summary names so many alerts, and counts the others. */
const mostNamed = 100

const singlesBatch = 50

export const makeEndQuiet = Effect.gen(function*() {
  const quiet = yield* QuietAlerts
  const events = yield* EventLog
  const links = yield* Links
  const sendSingle = yield* makeSendSingle
  const late = yield* makeLateAcknowledgements

  const summarize = Effect.fnUntraced(function*(group: QuietGroup, count: number, now: DateTime.Utc) {
    const { channelId, name, workspaceId } = group
    const alerts = yield* quiet.take(channelId, "newest", mostNamed)
    yield* quiet.end(group)
    yield* late.summarize(group, alerts, now)
    yield* events.append(workspaceId, [{
      type: "quiet.ended",
      data: {
        channel: { id: channelId, name },
        url: links.overview(workspaceId),
        count,
        alerts: alerts.map(({ eventId, title, url }) => ({ eventId, title, url }))
      }
    }])
  })

  /** Channels that do not group, because paging services and programs track each alert by itself, get them one by one. */
  const sendSingles = Effect.fnUntraced(function*(group: QuietGroup) {
    const alerts = yield* quiet.take(group.channelId, "oldest", singlesBatch)
    yield* Effect.forEach(alerts, ({ eventId }) => sendSingle(group, eventId), { discard: true })
    if (alerts.length < singlesBatch) yield* quiet.end(group)
  })

  /** One transaction for each channel, so that a process that dies sends it neither twice nor never. */
  const endOne: DueStep = Effect.fnUntraced(function*(now, except, of) {
    const due = yield* quiet.takeDue(now, groupingTypes, except)
    if (Option.isNone(due)) return false
    of(due.value.workspaceId)
    yield* quiet.dropEnded(due.value)
    const count = yield* quiet.count(due.value.channelId)
    yield* due.value.groups && count > 1 ? summarize(due.value, count, now) : sendSingles(due.value)
    return true
  })
  return endOne
})
