/** Which alerts of paging services an event opens and closes, over every order of outages, degradations and messages about them. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck } from "effect"
import type { EventType, WorkspaceEvent } from "../../../schema/event/Event.ts"
import { EventId, IncidentId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { AlertMessage } from "../../../src/domain/alert/AlertMessage.ts"
import { alertStep, type AlertSubject } from "../../../src/domain/alert/PagingAlerts.ts"

const monitorId = MonitorId.make("mon_1")
const incident = (number: number) => IncidentId.make(`inc_${number}`)

type Step = AlertMessage["about"]["step"]

/** An event of the monitor, about its incident if it has one; and what its message is about. */
const newsOf = (type: EventType, step: Step, incidentId: IncidentId | null) => {
  const event: WorkspaceEvent = {
    id: EventId.make("evt_1"),
    workspaceId: WorkspaceId.make("ws_1"),
    type,
    at: DateTime.unsafeMake(0),
    data: {
      ...(type.startsWith("monitor.") ? { monitor: { _id: monitorId } } : {}),
      ...(incidentId === null ? {} : { incident: { id: incidentId } })
    }
  }
  return { event, about: { key: `monitor ${monitorId}`, step } }
}

/** A channel of a paging service, and the service: which keys are open, and how often each was closed. */
const makeChannel = () => {
  const rows = new Map<AlertSubject, string | null>()
  const open = new Set<string>()
  const closed: Array<string> = []
  const take = ({ about, event }: ReturnType<typeof newsOf>) => {
    const step = alertStep(event, about, (subject) => rows.get(subject))
    if (step._tag === "Announce" && step.opens && step.subject !== null) {
      rows.set(step.subject, step.key)
      open.add(step.key)
    }
    if (step._tag === "Close") {
      rows.set(step.subject, null)
      open.delete(step.key)
      closed.push(step.key)
    }
    return step
  }
  return { rows, open, closed, take }
}

/** Changes of a monitor, and those that reach the channel. */
const outage = FastCheck.record({
  degradedBefore: FastCheck.boolean(),
  attached: FastCheck.boolean(),
  escalated: FastCheck.boolean(),
  reminded: FastCheck.boolean(),
  recovers: FastCheck.boolean()
})
type Outage = typeof outage extends FastCheck.Arbitrary<infer A> ? A : never

/** The events of the outage with a number that reach the channel: an end reaches it where it closes something. */
const eventsOf = ({ attached, degradedBefore, escalated, recovers, reminded }: Outage, number: number) => {
  const id = incident(number)
  return [
    ...(attached && degradedBefore ? [newsOf("monitor.degraded", "begins", null)] : []),
    ...(attached ? [newsOf("monitor.down", "begins", id)] : []),
    ...(escalated ? [newsOf("incident.escalated", "begins", id)] : []),
    ...(attached && reminded ? [newsOf("monitor.reminder", "continues", id)] : []),
    ...(recovers ? [newsOf("monitor.up", "ends", id)] : []),
    newsOf("incident.resolved", "ends", id),
    newsOf("incident.analyzed", "noted", id)
  ]
}

describe("the alert of a paging channel", () => {
  it.prop("is open until its incident ends, and closed once", [FastCheck.array(outage, { maxLength: 4 })], ([outages]) => {
    const channel = makeChannel()
    outages.forEach((one, number) => {
      const opened = one.attached || one.escalated
      eventsOf(one, number).forEach((each) => channel.take(each))
      expect(channel.open.has(`incident ${incident(number)}`)).toBe(false)
      expect(channel.closed.filter((key) => key === `incident ${incident(number)}`)).toHaveLength(opened ? 1 : 0)
      // Only a recovery ends a degradation.
      if (one.recovers) expect(channel.open.size).toBe(0)
    })
  })

  it.prop(
    "of one outage has nothing to do with the message of another, whenever it arrives",
    [outage, outage],
    ([one, other]) => {
      const keysOf = (each: Outage, number: number) => {
        const channel = makeChannel()
        const keys = eventsOf(each, number).flatMap((event) => {
          const step = channel.take(event)
          return step._tag === "Nothing" || step.subject === monitorId ? [] : [step.key]
        })
        return new Set(keys)
      }
      const first = keysOf(one, 1)
      for (const key of keysOf(other, 2)) expect(first.has(key)).toBe(false)
    }
  )

  it("of a monitor that was only degraded is closed, even if its row is gone", () => {
    expect(makeChannel().take(newsOf("monitor.up", "ends", null))).toMatchObject({ _tag: "Close", key: `monitor ${monitorId}` })
  })

  it("of a monitor that flaps is not closed by the end of one of its incidents", () => {
    const channel = makeChannel()
    channel.take(newsOf("monitor.flapping", "begins", incident(1)))
    expect(channel.take(newsOf("incident.resolved", "ends", incident(1)))).toEqual({ _tag: "Nothing" })
    expect(channel.take(newsOf("monitor.flapping", "ends", null))).toMatchObject({ _tag: "Close", key: `monitor ${monitorId}` })
  })
})
