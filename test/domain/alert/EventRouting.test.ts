import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, DateTime, FastCheck } from "effect"
import { EventType } from "../../../schema/event/Event.ts"
import { eventTypes } from "../../../schema/event/EventData.ts"
import { ChannelId, EventId, WorkspaceId } from "../../../schema/Ids.ts"
import { hears, type Listener, type Occasion, receiversOf } from "../../../src/domain/alert/EventRouting.ts"

const id = ChannelId.make("ch_one")
const other = ChannelId.make("ch_other")
const everyone = new Set([id, other])
const nobody = new Set<ChannelId>()

const listener = (events: ReadonlyArray<string> | null, enabled = true): Listener => ({ id, events, enabled })

/** An event that matches the channel in every way. */
const near = (type: EventType): Occasion => ({ type, automatic: false, attached: everyone, alerted: everyone, named: everyone })
/** An event unrelated to the channel. */
const far = (type: EventType): Occasion => ({ type, automatic: false, attached: nobody, alerted: nobody, named: nobody })

const type = Arbitrary.make(EventType)
const patterns = FastCheck.array(
  FastCheck.oneof(type, FastCheck.constantFrom("*", "monitor.*", "incident.*", "maintenance.*", "component.*", "digest.*")),
  { minLength: 1, maxLength: 5 }
)
const listening = FastCheck.option(patterns).map((events) => listener(events))
const occasion: FastCheck.Arbitrary<Occasion> = FastCheck.record({
  type,
  automatic: FastCheck.boolean(),
  attached: FastCheck.constantFrom(everyone, nobody),
  alerted: FastCheck.constantFrom(everyone, nobody),
  named: FastCheck.constantFrom(everyone, nobody)
})

/** The specification's column "Default channel". */
const byDefault: ReadonlyArray<EventType> = [
  "monitor.down",
  "monitor.up",
  "monitor.degraded",
  "monitor.reminder",
  "incident.created",
  "incident.updated",
  "incident.resolved",
  "maintenance.scheduled",
  "maintenance.started",
  "maintenance.updated",
  "maintenance.completed",
  "incident.acknowledged",
  "incident.analyzed"
]
const streamOnly: ReadonlyArray<EventType> = ["incident.unacknowledged", "monitor.created", "monitor.deleted"]
const chosen: ReadonlyArray<EventType> = [
  "test.ping",
  "incident.escalated",
  "incident.paged",
  "monitor.summary",
  "monitor.flapping",
  "quiet.ended"
]

describe("event routing", () => {
  it.each(eventTypes.map((type) => [type] as const))("%s reaches a channel without a list as the table says", (type) => {
    expect(hears(listener(null), near(type))).toBe(byDefault.includes(type) || chosen.includes(type))
  })

  it.each(eventTypes.map((type) => [type] as const))(
    "%s reaches a channel that lists it, unless only the stream has it",
    (type) => {
      for (const pattern of [type, "*", `${type.split(".")[0]}.*`]) {
        expect(hears(listener([pattern]), near(type))).toBe(!streamOnly.includes(type))
      }
    }
  )

  it.prop(
    "a disabled channel receives nothing",
    [listening, occasion],
    ([channel, event]) => !hears({ ...channel, enabled: false }, event)
  )

  it.prop(
    "monitor events reach only the channels attached to that monitor",
    [listening, occasion],
    ([channel, event]) =>
      !(event.type.startsWith("monitor.") && !chosen.includes(event.type) && !event.attached.has(id) && hears(channel, event))
  )

  it.prop(
    "what a monitor does to incidents reaches no channel",
    [listening, occasion],
    ([channel, event]) =>
      !(["incident.created", "incident.updated", "incident.resolved"].includes(event.type) && event.automatic &&
        hears(channel, event))
  )

  it.prop(
    "an event addressed to a channel reaches only that channel, whatever it lists",
    [listening],
    ([channel]) => chosen.every((type) => hears(channel, near(type)) && !hears(channel, far(type)))
  )

  it.prop(
    "a channel with a longer list receives at least as much",
    [patterns, patterns, occasion],
    ([some, more, event]) => !hears(listener(some), event) || hears(listener([...some, ...more]), event)
  )

  it("a person's change of an incident reaches channels regardless of who opened it, and a monitor's reaches none", () => {
    const workspaceId = WorkspaceId.make("ws_1")
    const channels = [{ ...listener(null), workspaceId }, { ...listener(["incident.*"]), id: other, workspaceId }]
    const reached = (type: EventType, automatic: boolean, manual?: boolean) =>
      receiversOf(
        {
          id: EventId.make("evt_1"),
          type,
          at: DateTime.unsafeMake(0),
          workspaceId,
          data: { incident: { id: "inc_1", automatic }, ...(manual === undefined ? {} : { manual }) }
        },
        channels,
        new Map(),
        () => false
      ).length
    for (const type of ["incident.updated", "incident.resolved"] as const) {
      expect([reached(type, true, true), reached(type, true, false), reached(type, false, true)]).toEqual([2, 0, 2])
      // Without it, the event says only who opened the incident.
      expect([reached(type, true), reached(type, false)]).toEqual([0, 2])
    }
  })

  it("the end of an alert reaches the channels where it is open, unless they are disabled or of another workspace", () => {
    const workspaceId = WorkspaceId.make("ws_1")
    const event = {
      id: EventId.make("evt_1"),
      type: "incident.resolved" as const,
      at: DateTime.unsafeMake(0),
      workspaceId,
      data: { incident: { id: "inc_1", automatic: true }, manual: false }
    }
    const channels = [
      { ...listener(["test.ping"]), workspaceId },
      { ...listener(null, false), workspaceId },
      { ...listener(null), workspaceId: WorkspaceId.make("ws_2") },
      { ...listener(null), id: other, workspaceId }
    ]
    expect(receiversOf(event, channels, new Map(), (channel) => channel.id === id)).toEqual(channels.slice(0, 1))
  })

  it("a prefix does not match inside a word", () => {
    expect(hears(listener(["incident.*"]), near("maintenance.started"))).toBe(false)
    expect(hears(listener(["component.*"]), near("component.status_changed"))).toBe(true)
  })
})
