/** Properties that hold for every check kind. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { kindSchemas, type Target } from "../../../schema/monitor/kinds.ts"
import { Monitor, MonitorUpdate } from "../../../schema/monitor/Monitor.ts"
import { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import { allKinds, codeKinds, fieldsOf, isProbed, unprobedKinds } from "../../../src/domain/monitor/kinds.ts"
import { assertionRefusal } from "../../../src/domain/monitor/settings/AssertionSettings.ts"
import { confidentialTexts } from "../../../src/domain/monitor/settings/ConfidentialTexts.ts"
import { settleNew } from "../../../src/domain/monitor/settings/MonitorSettings.ts"

/** The input fields that all kinds share. */
const common = [
  "name",
  "description",
  "kind",
  "intervalSec",
  "timeoutMs",
  "failureThreshold",
  "recoveryThreshold",
  "confirmAfterSec",
  "failureRate",
  "channelIds",
  "reminderMinutes",
  "dependsOn",
  "urgency",
  "ai",
  "tags",
  "paused",
  "regions"
]

const httpTarget: Target = {
  kind: "http",
  url: "https://int.acme.test:8443/health",
  method: "GET",
  followRedirects: true,
  expectedStatus: "200-299",
  keyword: null,
  keywordAbsent: null,
  degradedAfterMs: null,
  sslExpiryDays: null,
  assertions: []
}

describe("the check kinds", () => {
  it("together have exactly the input fields that are not shared by all", () => {
    const owned = new Set(MonitorKind.literals.flatMap(fieldsOf))
    expect([...owned, ...common].sort()).toEqual(Object.keys(MonitorUpdate.fields).sort())
  })

  it.each(allKinds)("show the settings of %s in the record of a monitor", (kind) => {
    expect(Object.keys(Monitor.fields)).toEqual(expect.arrayContaining(Object.keys(kindSchemas[kind].settings)))
  })

  it.each(allKinds)("keep headers and body out of the unsealed target of %s", (kind) => {
    expect(Object.keys(kindSchemas[kind].settings)).not.toEqual(expect.arrayContaining(["headers"]))
    expect(Object.keys(kindSchemas[kind].settings)).not.toEqual(expect.arrayContaining(["body"]))
  })

  it.each(
    [
      ["http", { url: "https://a.test/" }],
      ["tcp", { host: "a.test", port: 5432 }],
      ["heartbeat", { periodSec: 60 }]
    ] as const
  )("are inferred: %s from its own fields", (kind, fields) => {
    const settled = settleNew({ name: "x", ...fields }, { channelIds: [], regions: [] })
    expect(Either.match(settled, { onLeft: ({ message }) => message, onRight: ({ target }) => target.kind })).toBe(
      kind
    )
  })

  it("are probed, except for heartbeats, which run no code either", () => {
    for (const kind of allKinds) expect([kind, kindSchemas[kind].probed]).toEqual([kind, kind !== "heartbeat"])
    expect(isProbed(httpTarget)).toBe(true)
    expect(isProbed({ kind: "heartbeat", periodSec: 60, graceSec: 60 })).toBe(false)
    expect(unprobedKinds).toEqual(["heartbeat"])
    expect(codeKinds).toEqual(["script", "browser"])
  })
})

describe("the texts that public pages must not show", () => {
  it("are the spellings of an http monitor's address", () => {
    expect(confidentialTexts(httpTarget)).toEqual(
      expect.arrayContaining(["https://int.acme.test:8443/health", "int.acme.test:8443", "int.acme.test"])
    )
  })

  it("are empty for a heartbeat and without a monitor", () => {
    expect(confidentialTexts({ kind: "heartbeat", periodSec: 60, graceSec: 60 })).toEqual([])
    expect(confidentialTexts(null)).toEqual([])
  })

  it("are all texts of a target that this version cannot read", () => {
    expect(confidentialTexts({ kind: "future", hosts: ["db.acme.test"], port: 5432 })).toContain("db.acme.test")
  })
})

describe("an assertion", () => {
  it("is rejected if the results of the kind lack what it reads", () => {
    const assertion = { source: "ssl_days", op: "gt", value: 7 } as const
    expect(assertionRefusal([assertion], "http", ["status", "latency"])).toMatchObject({ path: "assertions.0.source" })
    expect(assertionRefusal([assertion], "http", ["ssl_days"])).toBeNull()
  })
})
