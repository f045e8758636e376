import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration, FastCheck } from "effect"
import type { EventType } from "../../../schema/event/Event.ts"
import { ChannelId, MonitorId } from "../../../schema/Ids.ts"
import { beginsTrouble, groupsDueNow, groupTime, lastOfEach, leavingAt } from "../../../src/domain/alert/AlertGroup.ts"

const start = DateTime.unsafeMake("2026-11-20T08:00:00Z")
const afterMs = (ms: number) => DateTime.add(start, { millis: ms })
const minute = Duration.toMillis(groupTime)

const [a, b, c] = ["mon_a", "mon_b", "mon_c"].map((id) => MonitorId.make(id)) as [MonitorId, MonitorId, MonitorId]
const [team, other] = [ChannelId.make("ch_team"), ChannelId.make("ch_other")]

const joining = (monitorId: MonitorId, begins: boolean, channelId = team) => ({ channelId, monitorId, begins })

/** The states of a monitor, as the alerts that report its changes from one to the next. */
const alertsOf = (monitorId: MonitorId, states: ReadonlyArray<"up" | "degraded" | "down">, everyMs: number) =>
  states.slice(1).map((state, index) => ({
    monitorId,
    type: `monitor.${state}` satisfies EventType,
    from: states[index] ?? null,
    at: afterMs((index + 1) * everyMs),
    flapping: false
  }))

describe("a group of alerts", () => {
  it("is opened by an alert, which is due immediately; what follows is not", () => {
    expect(groupsDueNow([joining(a, true)], new Map())).toMatchObject([{ first: { channelId: team }, openedBy: a }])
    expect(groupsDueNow([joining(b, true), joining(c, true)], new Map([[team, a]]))).toEqual([])
  })

  it("has no single opener if the alerts of several monitors open it", () => {
    expect(groupsDueNow([joining(a, true), joining(b, true)], new Map())).toMatchObject([{ openedBy: null }])
    expect(groupsDueNow([joining(a, true), joining(a, false)], new Map())).toMatchObject([{ openedBy: a }])
  })

  it("is due again when the trouble of its opener goes on or ends, but not when a new one begins", () => {
    const open = new Map([[team, a], [other, null]])
    expect(groupsDueNow([joining(b, false), joining(a, false)], open).map(({ first }) => first.channelId)).toEqual([team])
    expect(groupsDueNow([joining(a, true), joining(a, false, other)], open)).toEqual([])
  })

  it("sends what opened it and what becomes of its opener before its end, and the rest then", () => {
    const all = [...alertsOf(a, ["up", "down"], 0), ...alertsOf(b, ["up", "down"], 0)]
    FastCheck.assert(FastCheck.property(FastCheck.integer({ min: 0, max: 2 * minute }), (ms) => {
      const ids = (openedBy: MonitorId | null) => {
        const { dueAt, leaving } = leavingAt({ openedAt: start, openedBy }, all, afterMs(ms))
        expect(dueAt).toEqual(ms < minute ? afterMs(minute) : null)
        return leaving.map(({ monitorId }) => monitorId)
      }
      expect(ids(a)).toEqual(ms < minute ? [a] : [a, b])
      expect(ids(null)).toEqual([a, b])
    }))
  })

  it("reports no trouble that began and ended within a minute, and the end of any other", () => {
    const sent = (states: ReadonlyArray<"up" | "degraded" | "down">, everyMs = 1000) =>
      lastOfEach(alertsOf(a, states, everyMs)).map(({ type }) => type)
    expect(sent(["up", "down", "up"])).toEqual([])
    expect(sent(["up", "degraded", "down", "up"])).toEqual([])
    expect(sent(["up", "down", "up", "down", "up"])).toEqual([])
    expect(sent(["up", "down", "up", "down"])).toEqual(["monitor.down"])
    // Its beginning was sent before.
    expect(sent(["down", "up"])).toEqual(["monitor.up"])
    expect(sent(["degraded", "down", "up"])).toEqual(["monitor.up"])
    expect(sent(["down", "up", "down", "up"])).toEqual(["monitor.up"])
    // The sender was late: this was no trifle.
    expect(sent(["up", "down", "up"], minute)).toEqual(["monitor.up"])
  })

  it("reports the end if an older version did not say what was before", () => {
    const [down, up] = alertsOf(a, ["up", "down", "up"], 1000)
    expect(lastOfEach([{ ...down!, from: null }, up!])).toEqual([up])
    expect(beginsTrouble("monitor.down", null)).toBe(false)
  })

  it("reports each monitor once, as its last alert left it, and as flapping if one of them said so", () => {
    const alert = FastCheck.record({
      monitorId: FastCheck.constantFrom(a, b, c),
      type: FastCheck.constantFrom<EventType>("monitor.up", "monitor.down"),
      from: FastCheck.constantFrom("up", "down", null),
      at: FastCheck.constant(start),
      flapping: FastCheck.boolean()
    })
    FastCheck.assert(FastCheck.property(FastCheck.array(alert), (alerts) => {
      const last = lastOfEach(alerts)
      expect(new Set(last.map(({ monitorId }) => monitorId)).size).toBe(last.length)
      for (const one of alerts) {
        const all = alerts.filter(({ monitorId }) => monitorId === one.monitorId)
        const flapping = all.some((each) => each.flapping)
        const isOver = !flapping && all.at(-1)?.type === "monitor.up" && beginsTrouble(all[0]!.type, all[0]!.from)
        expect(last.find(({ monitorId }) => monitorId === one.monitorId))
          .toEqual(isOver ? undefined : { ...all.at(-1), flapping })
      }
    }))
  })
})
