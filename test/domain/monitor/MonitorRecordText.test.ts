/** A record of a list, written as text, says the same as the record of the monitor. */
import { expect, it } from "@effect/vitest"
import { FastCheck as fc, Struct } from "effect"
import { IncidentId, MonitorId, MuteId } from "../../../schema/Ids.ts"
import { kindSchemas, type Target } from "../../../schema/monitor/kinds.ts"
import { allKinds } from "../../../src/domain/monitor/kinds.ts"
import { monitorRecord, type MonitorSource, type RecordFacts } from "../../../src/domain/monitor/MonitorRecord.ts"
import { monitorRecordText, storedFields } from "../../../src/domain/monitor/MonitorRecordText.ts"

/** Settings as rows have them: those that another version did not know are missing, and some belong to none that is shown. */
const target = fc.constantFrom(...allKinds).chain((kind) =>
  fc.record(
    {
      ...Object.fromEntries(
        Struct.keys(kindSchemas[kind].settings).map((name) =>
          [name, fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant([]))] as const
        )
      ),
      formerSetting: fc.string()
    },
    { requiredKeys: [] }
  ).map((settings) =>
    ({
      ...settings,
      ...(Object.hasOwn(kindSchemas[kind].settings, "url") ? { url: "https://user:secret@a.test/?token=abcdef123456" } : {}),
      kind
    }) as unknown as Target
  )
)

const time = fc.constantFrom("2026-11-22T10:00:00.000Z", "2026-11-21T10:00:00.001Z")

const source: fc.Arbitrary<MonitorSource<string>> = fc.record({
  id: fc.constant(MonitorId.make("mon_00000000000000000000000001")),
  name: fc.string(),
  description: fc.option(fc.string()),
  target,
  intervalSec: fc.nat(),
  timeoutMs: fc.nat(),
  failureThreshold: fc.nat(),
  recoveryThreshold: fc.nat(),
  confirmAfterSec: fc.option(fc.nat()),
  failureRate: fc.constant(null),
  channelIds: fc.constant([]),
  reminderMinutes: fc.array(fc.nat()),
  dependsOn: fc.constant([]),
  urgency: fc.constantFrom(null, "high" as const, "low" as const),
  ai: fc.boolean(),
  tags: fc.array(fc.string()),
  paused: fc.boolean(),
  regions: fc.constant([]),
  state: fc.constantFrom("up" as const, "down" as const, "paused" as const),
  stateSince: time,
  lastCheck: fc.constant(null),
  openIncidentId: fc.option(fc.constant(IncidentId.make("inc_00000000000000000000000001"))),
  createdAt: time,
  updatedAt: time
}).map((row) => ({ ...row, kind: row.target.kind }))

const share = fc.option(fc.record({ percent: fc.double({ noNaN: true }), coveragePercent: fc.double({ noNaN: true }) }))

const facts: fc.Arbitrary<RecordFacts<string>> = fc.record({
  secrets: fc.record({
    headers: fc.dictionary(fc.string(), fc.string()),
    body: fc.option(fc.string()),
    clientKey: fc.option(fc.string()),
    clientSecret: fc.option(fc.string())
  }),
  uptime: fc.record({ "24h": share, "7d": share, "30d": share }),
  muted: fc.option(fc.record({
    until: time,
    muteId: fc.option(fc.constant(MuteId.make("mute_00000000000000000000000001"))),
    incidentId: fc.constant(null),
    reason: fc.option(fc.string())
  })),
  late: fc.option(fc.record({ expectedAt: time, lateSec: fc.nat() })),
  nextExpectedAt: fc.option(time),
  urls: fc.record({ dashboard: fc.webUrl(), ping: fc.option(fc.webUrl()) })
})

const stored = (row: MonitorSource<string>): string => JSON.stringify(Struct.pick(row, ...storedFields)).slice(0, -1)

it("says what the record says, to those who may edit the monitor and to others", () => {
  fc.assert(fc.property(fc.constantFrom("writer" as const, "reader" as const), source, facts, (view, row, other) => {
    const text = monitorRecordText(view, { stored: stored(row), target: row.target }, other)
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(monitorRecord(view, row, other))))
    // A reader of the text would take the last of two fields with one name.
    const names = [...JSON.stringify(Object.keys(JSON.parse(text))).matchAll(/,/g)].length + 1
    expect(names).toBe(Object.keys(monitorRecord(view, row, other)).length)
  }))
})
