/** A monitor: what Belltower checks, how often and from where, and its current state. */
import { JSONSchema, Schema, Struct } from "effect"
import { CheckSummary } from "../check/Check.ts"
import { RegionId } from "../check/Region.ts"
import {
  documented,
  filled,
  headerMap,
  list,
  name,
  optional,
  orNull,
  targetUrl,
  text,
  textLike,
  Timestamp,
  timezone,
  whole
} from "../Fields.ts"
import { ChannelId, IncidentId, MonitorId } from "../Ids.ts"
import { mask } from "../Mask.ts"
import { Muted } from "../mute/Mute.ts"
import { Urgency } from "../oncall/Way.ts"
import { Assertion } from "./Assertion.ts"
import { recordSettings } from "./kinds.ts"
import { Viewport } from "./kinds/browser.ts"
import { DnsRecordType } from "./kinds/dns.ts"
import { HttpMethod } from "./kinds/http.ts"
import { MonitorKind } from "./MonitorKind.ts"

/** The most channels that a monitor or a drill names. */
export const mostChannels = 50

export const MonitorState = Schema.Literal("up", "down", "degraded", "pending", "paused")
export type MonitorState = typeof MonitorState.Type

/** The worst state of an hour, for lists. */
export const HourState = Schema.Literal("up", "degraded", "down")
export type HourState = typeof HourState.Type

/** The order of a list of monitors. */
export const MonitorSort = Schema.Literal("created", "newest", "name", "state")
export type MonitorSort = typeof MonitorSort.Type

/** A setting that only some kinds have. Null is accepted, to send a record back; the documents show the setting's own type. */
const ofKind = <A, I, R>(
  setting: Schema.Schema<A, I, R>,
  description: string,
  ...examples: ReadonlyArray<NoInfer<A>>
) => {
  const shown = documented(setting, description, examples)
  const { $schema: _, ...jsonSchema } = JSONSchema.make(shown)
  return optional(Schema.NullOr(shown).annotations({ description, jsonSchema }))
}

/** A target that fails now and then: so many of its last rounds. */
export const FailureRate = Schema.Struct({ failures: whole(1, 100), of: whole(1, 100) }).annotations({
  identifier: "FailureRate"
})
export type FailureRate = typeof FailureRate.Type

/** Every input field of a monitor except its name, all optional. (Specification: Monitor.) */
const settings = {
  description: optional(Schema.NullOr(text(1000)), "For people"),
  kind: optional(MonitorKind, "Inferred from url, host and port, periodSec or schedule"),
  url: ofKind(targetUrl(2000), "http, manifest, websocket, mcp", "https://shop.example.com/health"),
  method: ofKind(HttpMethod, "Default GET"),
  headers: optional(headerMap, `Encrypted at rest; ${mask} keeps a stored value`),
  body: optional(
    Schema.NullOr(text(100_000)),
    `Of requests, a websocket message, or arguments of callTool; ${mask} keeps it`
  ),
  followRedirects: ofKind(Schema.Boolean, "Default true, at most 10"),
  expectedStatus: ofKind(
    filled(text(100)),
    "Codes and ranges, such as 200-299,304",
    "200-299",
    "200,204"
  ),
  keyword: ofKind(text(500), "Text the answer must contain; null clears it"),
  keywordAbsent: ofKind(text(500), "Text that it must not contain"),
  degradedAfterMs: optional(
    Schema.NullOr(whole(50, 86_400_000)),
    "Slower checks and runs are degraded",
    2000
  ),
  sslExpiryDays: optional(
    Schema.NullOr(whole(1, 365)),
    "Degraded if the certificate expires this soon",
    14
  ),
  host: ofKind(text(255), "tcp, grpc, ping: host; dns, domain: name to look up"),
  port: ofKind(whole(1, 65_535), "tcp, grpc: port; dns: of the resolvers"),
  tls: ofKind(
    Schema.Boolean,
    "tcp, grpc: whether to use TLS"
  ),
  tlsVerify: ofKind(Schema.Boolean, "false accepts any certificate; default true"),
  tlsCa: ofKind(text(50_000), "PEM certificates to trust"),
  clientCertificate: ofKind(text(20_000), "PEM chain"),
  clientKey: ofKind(text(20_000), `PEM key; ${mask} keeps the stored one`),
  tokenUrl: ofKind(targetUrl(2000), "mcp: OAuth token endpoint"),
  clientId: ofKind(text(500), "OAuth client"),
  clientSecret: ofKind(text(4000), `Of clientId; ${mask} keeps the stored one`),
  scope: ofKind(text(1000), "OAuth scope"),
  expectedTools: optional(list(filled(text(128)), 100), "mcp: tools it must list"),
  pinnedTools: optional(list(filled(text(200)), 500), "mcp: from evidence; degraded if tools differ"),
  callTool: ofKind(text(128), "mcp: read-only tool to call with body"),
  callMayChange: ofKind(Schema.Boolean, "mcp: also without readOnlyHint"),
  service: ofKind(text(200), "grpc: service to ask about; default the server"),
  expiryDays: ofKind(whole(1, 365), "domain: degraded so many days before it expires; default 30"),
  recordType: ofKind(DnsRecordType, "dns: default A"),
  expected: optional(list(text(500), 20), "dns: values that the answer must contain"),
  resolvers: ofKind(
    list(text(255), 5),
    "dns: servers to ask; port is theirs"
  ),
  periodSec: ofKind(
    whole(30, 2_678_400),
    "heartbeat: seconds between pings"
  ),
  // Without examples: the example of a body would have them beside url.
  schedule: ofKind(filled(text(200)), "heartbeat: cron line or OnCalendar, instead of periodSec"),
  timezone: ofKind(
    timezone(64).annotations({ jsonSchema: { type: "string", maxLength: 64 } }),
    "heartbeat: of schedule; default UTC"
  ),
  graceSec: ofKind(
    whole(0, 86_400),
    "heartbeat: default a tenth of periodSec"
  ),
  maxRunSec: ofKind(
    whole(1, 2_678_400),
    "heartbeat: longest run; default graceSec"
  ),
  mailStart: ofKind(text(200), "Words of a start mail"),
  mailSuccess: ofKind(text(200), "Of success"),
  mailFailure: ofKind(text(200), "Of failure"),
  code: ofKind(
    text(50_000),
    "script: JavaScript with await, http, assert, step, sleep, env"
  ),
  viewport: ofKind(Viewport, "browser: window"),
  assertions: optional(list(Assertion, 30), "Conditions on the response"),
  intervalSec: optional(whole(10, 86_400), "Default 60"),
  timeoutMs: optional(whole(1000, 120_000), "Default 10000, at most the interval"),
  failureThreshold: optional(whole(1, 10), "Failures in a row until down; default 2"),
  recoveryThreshold: optional(whole(1, 10), "Successes in a row until up; default 1"),
  confirmAfterSec: optional(
    Schema.NullOr(whole(0, 86_400)),
    "A failure is checked again by then; default 10 to 30",
    30
  ),
  failureRate: optional(Schema.NullOr(FailureRate), "Also down while so many of the last rounds fail", { failures: 4, of: 10 }),
  channelIds: optional(list(ChannelId, mostChannels), "Default all with isDefault"),
  reminderMinutes: optional(list(whole(1, 10_080), 10), "Minutes of an outage after which it reminds"),
  dependsOn: optional(list(MonitorId, 10), "Monitors it needs; its alerts wait while one is down"),
  urgency: optional(Schema.NullOr(Urgency), "Of its pages; default high", "low"),
  ai: optional(Schema.Boolean, "Whether AI analyzes incidents; default true"),
  tags: optional(list(text(40), 20), "For filters and deploys", ["shop"]),
  paused: optional(Schema.Boolean, "true pauses, false resumes"),
  regions: optional(
    Schema.Array(RegionId).pipe(Schema.minItems(1), Schema.maxItems(10)),
    "Of list_regions"
  )
}

const monitorName = name(120).annotations({ examples: ["Checkout API"] })

export const MonitorInput = Schema.Struct({ name: monitorName, ...settings }).annotations({ identifier: "MonitorInput" })
export type MonitorInput = typeof MonitorInput.Type

export const MonitorUpdate = Schema.Struct({ name: optional(monitorName), ...settings }).annotations({
  identifier: "MonitorUpdate"
})
export type MonitorUpdate = typeof MonitorUpdate.Type

/** The most that the settings of a monitor take together: bytes of their JSON in UTF-8, enough for each text alone in any language. */
export const largestMonitor = 384 * 1024

/** The parts of a request that can hold credentials; sealed at rest, and on the bus with all else about their monitor. */
export const RequestSecrets = Schema.Struct({
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.NullOr(Schema.String),
  // Earlier releases stored none.
  clientKey: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
  clientSecret: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null })
})
export type RequestSecrets = typeof RequestSecrets.Type

/** The settings that determine a monitor's state from its checks. */
export const Rules = Schema.Struct({
  intervalSec: Schema.Int,
  timeoutMs: Schema.Int,
  failureThreshold: Schema.Int,
  recoveryThreshold: Schema.Int,
  confirmAfterSec: Schema.NullOr(Schema.Int),
  failureRate: Schema.NullOr(FailureRate),
  regions: Schema.Array(RegionId)
})
export type Rules = typeof Rules.Type

export const UptimeShare = Schema.Struct({
  percent: Schema.Number.annotations({ description: "Share of the observed time that was up or degraded, 0-100" }),
  coveragePercent: Schema.Number.annotations({ description: "Share of the window that was observed, 0-100" })
}).annotations({ identifier: "UptimeShare" })
export type UptimeShare = typeof UptimeShare.Type

export const UptimeWindows = Schema.Struct({
  "24h": Schema.NullOr(UptimeShare),
  "7d": Schema.NullOr(UptimeShare),
  "30d": Schema.NullOr(UptimeShare)
}).annotations({ identifier: "UptimeWindows" })
export type UptimeWindows = typeof UptimeWindows.Type

export const Lateness = Schema.Struct({
  expectedAt: Timestamp.annotations({ description: "When the check was expected" }),
  lateSec: Schema.Int.annotations({ description: "How late it is, in seconds" })
}).annotations({ identifier: "Lateness" })
export type Lateness = typeof Lateness.Type

/** A monitor as REST and MCP return it. */
export const Monitor = Schema.Struct({
  id: MonitorId,
  name: textLike("Checkout API"),
  description: Schema.NullOr(Schema.String),
  kind: MonitorKind,
  ...Struct.pick(recordSettings, "url", "method"),
  headers: Schema.Record({ key: Schema.String, value: Schema.String }).annotations({
    description: `Values that look like credentials are ${mask}, as are all values for callers that may not edit the monitor`
  }),
  body: orNull(Schema.String, `${mask} if it contains a credential, and for callers that may not edit the monitor`),
  ...Struct.omit(recordSettings, "url", "method"),
  clientKey: orNull(Schema.String, `${mask} if it has a client certificate`),
  clientSecret: orNull(Schema.String, `${mask} if it signs in with OAuth`),
  pingUrl: orNull(
    textLike("https://status.example.com/hb/9fKq2LmZ7xT0bVwRj4sYcH1n"),
    "heartbeat only: GET or POST it at least every periodSec, or at each time of schedule. Keep it secret, since it needs no key. Null for read-only keys"
  ),
  failUrl: orNull(
    textLike("https://status.example.com/hb/9fKq2LmZ7xT0bVwRj4sYcH1n/fail"),
    "heartbeat only: POST it when the job has failed; alerts immediately"
  ),
  nextExpectedAt: orNull(
    Timestamp,
    "heartbeat only: when the next ping is expected, before its grace. In the past while it is late"
  ),
  ...Struct.omit(Rules.fields, "regions"),
  channelIds: Schema.Array(ChannelId),
  reminderMinutes: Schema.Array(Schema.Int),
  dependsOn: Schema.Array(MonitorId).annotations({ description: "Monitors whose outage keeps its alerts back" }),
  urgency: orNull(Urgency, "Of its pages, where the policy says nothing; null is high"),
  ai: Schema.Boolean,
  tags: Schema.Array(Schema.String),
  paused: Schema.Boolean,
  regions: Schema.Array(RegionId),
  state: MonitorState,
  stateSince: Timestamp,
  lastCheck: Schema.NullOr(CheckSummary),
  muted: orNull(Muted, "What keeps its alerts back now; null if nothing does"),
  late: orNull(Lateness, "The overdue check: its state and lastCheck are out of date. Null while checks arrive on time"),
  openIncidentId: Schema.NullOr(IncidentId).annotations({ examples: [null] }),
  uptime: UptimeWindows,
  dashboardUrl: textLike("https://belltower.example/monitors/mon_01k9x2m4q8e7s9v3bthn5wza6c"),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotations({ identifier: "Monitor" })
export type Monitor = typeof Monitor.Type
