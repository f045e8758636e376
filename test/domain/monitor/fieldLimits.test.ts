/** Every limit of the specification's table of monitor fields, at its edge and one step beyond. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import { MonitorInput, MonitorUpdate } from "../../../schema/monitor/Monitor.ts"
import { settleNew } from "../../../src/domain/monitor/settings/MonitorSettings.ts"

const text = (length: number) => "x".repeat(length)
const many = <A>(count: number, make: (index: number) => A) => Array.from({ length: count }, (_, index) => make(index))
const channel = (index: number) => `ch_${String(index).padStart(26, "0")}`
const monitor = (index: number) => `mon_${String(index).padStart(26, "0")}`

/** A field, values that it accepts at its limits, and values just beyond them. */
const limits: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, ReadonlyArray<unknown>]> = [
  ["name", ["x", text(120)], ["", text(121)]],
  ["description", [null, "", text(1000)], [text(1001)]],
  ["kind", ["http", "tcp", "dns", "heartbeat", "manifest", "script", "browser", "mcp"], ["smtp", "HTTP", null]],
  ["url", [`https://a.test/${text(1985)}`], [`https://a.test/${text(1986)}`, "ftp://a.test/", "a.test"]],
  ["method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], ["TRACE", "get"]],
  ["headers", [{ [text(200)]: text(4000) }], [{ [text(201)]: "x" }, { x: text(4001) }]],
  ["body", [null, "", text(100_000)], [text(100_001)]],
  ["expectedStatus", ["200-299", "200,204", "401"], [text(101)]],
  ["keyword", [text(500), null], [text(501)]],
  ["keywordAbsent", [text(500), null], [text(501)]],
  ["degradedAfterMs", [null, 50, 86_400_000], [49, 86_400_001, 50.5]],
  ["mailStart", [null, "", text(200)], [text(201), 5]],
  ["mailSuccess", [null, "", text(200)], [text(201), 5]],
  ["mailFailure", [null, "", text(200)], [text(201), 5]],
  ["maxRunSec", [null, 1, 2_678_400], [0, 2_678_401, 1.5]],
  ["sslExpiryDays", [null, 1, 365], [0, 366]],
  ["tlsVerify", [true, false], ["perhaps"]],
  ["tlsCa", [null, text(50_000)], [text(50_001)]],
  ["clientCertificate", [null, text(20_000)], [text(20_001)]],
  ["clientKey", [null, text(20_000)], [text(20_001)]],
  ["tokenUrl", [null, "https://a.test/token"], ["a.test", `https://a.test/${text(1986)}`]],
  ["clientId", [null, text(500)], [text(501)]],
  ["clientSecret", [null, text(4000)], [text(4001)]],
  ["scope", [null, text(1000)], [text(1001)]],
  ["expectedTools", [many(100, () => text(128)), []], [many(101, () => "x"), [text(129)]]],
  ["pinnedTools", [many(500, () => text(200)), []], [many(501, () => "x"), [text(201)]]],
  ["callTool", [null, text(128)], [text(129)]],
  ["callMayChange", [true, false], ["perhaps"]],
  ["host", [text(255)], [text(256)]],
  ["port", [1, 65_535], [0, 65_536]],
  ["recordType", ["A", "AAAA", "CNAME", "MX", "TXT", "NS"], ["SOA", "a"]],
  ["expected", [many(20, () => text(500)), []], [many(21, () => "x"), [text(501)]]],
  ["periodSec", [30, 2_678_400], [29, 2_678_401]],
  ["schedule", [text(200), "30 2 * * *", null], [text(201)]],
  ["timezone", ["Europe/Berlin", "UTC", null], ["", "+02:00", "Mars/Base", text(65)]],
  ["graceSec", [0, 86_400], [-1, 86_401]],
  ["code", [text(50_000)], [text(50_001)]],
  [
    "viewport",
    [{ width: 320, height: 240 }, { width: 3840, height: 2160 }],
    [{ width: 319, height: 240 }, { width: 3841, height: 240 }, { width: 320, height: 239 }, { width: 320, height: 2161 }, {
      width: 320
    }]
  ],
  [
    "assertions",
    [many(30, () => ({ source: "status", op: "eq", value: 200 })), [{
      source: "json",
      path: text(300),
      op: "eq",
      value: text(2000)
    }]],
    [
      many(31, () => ({ source: "status", op: "eq", value: 200 })),
      [{ source: "json", path: text(301), op: "exists" }],
      [{ source: "body", op: "eq", value: text(2001) }],
      [{ source: "cookie", op: "eq", value: "x" }],
      [{ source: "status", op: "is", value: 200 }],
      [{ source: "status", op: "eq", value: 200, severity: "warn" }],
      [{ op: "eq", value: 200 }],
      [{ source: "status", value: 200 }]
    ]
  ],
  ["intervalSec", [10, 86_400], [9, 86_401]],
  ["timeoutMs", [1000, 120_000], [999, 120_001]],
  ["failureThreshold", [1, 10], [0, 11]],
  ["recoveryThreshold", [1, 10], [0, 11]],
  ["confirmAfterSec", [null, 0, 86_400], [-1, 86_401, 1.5]],
  ["failureRate", [null, { failures: 1, of: 100 }], [{ failures: 0, of: 10 }, { failures: 1, of: 101 }, { failures: 2 }]],
  ["channelIds", [many(50, channel), []], [many(51, channel)]],
  ["dependsOn", [many(10, monitor), []], [many(11, monitor)]],
  ["reminderMinutes", [many(10, (index) => index + 1), [10_080], []], [many(11, (index) => index + 1), [0], [10_081]]],
  ["urgency", ["high", "low", null], ["urgent", 1]],
  ["ai", [true, false], ["perhaps", 2]],
  ["tags", [many(20, () => text(40)), []], [many(21, () => "x"), [text(41)]]],
  ["paused", [true, false], ["perhaps"]],
  ["followRedirects", [true, false], ["perhaps"]],
  [
    "regions",
    [["eu"], many(10, (index) => `r${index}`), [`a${text(39)}`]],
    [[], many(11, (index) => `r${index}`), [`a${text(40)}`], ["EU"], ["-eu"], ["e_u"]]
  ]
]

/** As the API decodes: what a schema does not know is an error. */
const strict = { onExcessProperty: "error" } as const
const accepts = {
  create: Schema.is(Schema.typeSchema(MonitorInput), strict),
  update: Schema.is(Schema.typeSchema(MonitorUpdate), strict)
}

describe("the limits of monitor fields", () => {
  it.each(limits)("hold for %s, in creation and in an update", (field, good, bad) => {
    for (const value of good) {
      expect([field, value, accepts.create({ name: "x", [field]: value })]).toEqual([field, value, true])
      expect([field, value, accepts.update({ [field]: value })]).toEqual([field, value, true])
    }
    for (const value of bad) {
      expect([field, value, accepts.create({ name: "x", [field]: value })]).toEqual([field, value, false])
      expect([field, value, accepts.update({ [field]: value })]).toEqual([field, value, false])
    }
  })

  it("cover every input field of the specification", () => {
    const beyond = ["tls", "resolvers", "service", "expiryDays"]
    expect(limits.map(([field]) => field).sort()).toEqual(
      Object.keys(MonitorInput.fields).filter((field) => !beyond.includes(field)).sort()
    )
  })
})

const settled = (input: Omit<typeof MonitorInput.Type, "name">) =>
  Either.match(settleNew({ name: "x", ...input }, { channelIds: [], regions: [] }), {
    onLeft: ({ message, path }) => [path, message],
    onRight: ({ confirmAfterSec, failureRate, intervalSec, timeoutMs }) => ({
      confirmAfterSec,
      failureRate,
      intervalSec,
      timeoutMs
    })
  })

describe("the settings that depend on each other", () => {
  const url = "https://a.test/"

  it("keep the timeout and the confirmation within the interval", () => {
    expect(settled({ url })).toEqual({ confirmAfterSec: 30, failureRate: null, intervalSec: 60, timeoutMs: 10_000 })
    expect(settled({ url, timeoutMs: 120_000 })).toMatchObject({ intervalSec: 60, timeoutMs: 60_000 })
    expect(settled({ url, intervalSec: 120, timeoutMs: 120_000 })).toMatchObject({ timeoutMs: 120_000 })
    expect(settled({ url, intervalSec: 30, confirmAfterSec: 30 })).toMatchObject({ confirmAfterSec: 30 })
    expect(settled({ url, intervalSec: 30, confirmAfterSec: 31 })).toEqual([
      "confirmAfterSec",
      "confirmAfterSec must not exceed the interval (30 s)"
    ])
    expect(settled({ url, failureRate: { failures: 3, of: 2 } })).toEqual([
      "failureRate.failures",
      "failures must not exceed of: 3 of 2 rounds cannot fail"
    ])
    expect(settled({ periodSec: 60, confirmAfterSec: 5 })).toEqual([
      "confirmAfterSec",
      "confirmAfterSec is not a setting of heartbeat monitors"
    ])
    expect(settled({ periodSec: 60, failureRate: { failures: 1, of: 2 } })).toMatchObject(["failureRate", expect.any(String)])
  })

  it("let domain monitors run every six hours, and hourly at most", () => {
    expect(settled({ kind: "domain", host: "example.com" })).toMatchObject({ intervalSec: 21_600 })
    expect(settled({ kind: "domain", host: "example.com", intervalSec: 3600 })).toMatchObject({ intervalSec: 3600 })
    expect(settled({ kind: "domain", host: "example.com", intervalSec: 3599 })).toEqual([
      "intervalSec",
      "intervalSec must be at least 3600 for domain monitors"
    ])
  })
})
