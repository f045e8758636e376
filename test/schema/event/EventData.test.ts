/** Readers of an event get the data that was recorded. */
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Either, FastCheck, Schema } from "effect"
import { decodeEventData, encodeEventData, events, eventTypes } from "../../../schema/event/EventData.ts"
import { ChannelId, MonitorId } from "../../../schema/Ids.ts"
import { degraded, incidentCreated } from "../../notify/alert/Receiver.ts"

const throughJson = (data: unknown): unknown => JSON.parse(JSON.stringify(data))

describe("event data", () => {
  it("is read back as it was recorded", () => {
    const monitor = degraded(MonitorId.make("mon_1"))
    const incident = incidentCreated(false)
    const ping = { message: "A test", channel: { id: ChannelId.make("ch_1"), name: "Team" } }
    const stored = throughJson({
      monitor: encodeEventData({ type: "monitor.degraded", data: monitor }),
      incident: encodeEventData({ type: "incident.created", data: incident }),
      ping: encodeEventData({ type: "test.ping", data: ping })
    }) as Record<string, unknown>
    expect(decodeEventData("monitor.degraded", stored["monitor"])).toEqual(Either.right(monitor))
    expect(decodeEventData("incident.created", stored["incident"])).toEqual(Either.right(incident))
    expect(decodeEventData("test.ping", stored["ping"])).toEqual(Either.right(ping))
  })

  it.each(Object.entries(events))("of %s is recorded as the schema says, whatever it is", (_, { data, encode }) => {
    const schema: Schema.Schema.AnyNoContext = data
    const library = Schema.encodeUnknownSync(schema)
    const compiled: (value: never) => unknown = encode
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(Schema.typeSchema(schema)), (value) => {
        expect(compiled(value as never)).toEqual(library(value))
      }),
      { numRuns: 20 }
    )
  })

  it.each(eventTypes)("of %s is rejected in another shape", (type) => {
    expect(Either.isLeft(decodeEventData(type, { somethingElse: 1 }))).toBe(true)
  })
})
