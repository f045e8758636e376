/** A monitor: what is watched, how often and from where, and the state its checks have led to. */
import { Schema, Struct } from "effect"
import { CheckSummary } from "../check/Check.ts"
import { RegionId } from "../check/Region.ts"
import { Flag, httpUrl, list, name, optional, text, textLike, Timestamp, whole } from "../Fields.ts"
import { ChannelId, IncidentId, MonitorId } from "../Ids.ts"
import { Assertion } from "./Assertion.ts"
import { recordSettings } from "./kinds.ts"
import { HttpMethod } from "./kinds/http.ts"
import { MonitorKind } from "./MonitorKind.ts"

export const MonitorState = Schema.Literal("up", "down", "degraded", "pending", "paused")
export type MonitorState = typeof MonitorState.Type

const HeaderMap = Schema.Record({ key: Schema.String.pipe(Schema.maxLength(200)), value: text(4000) })

const Viewport = Schema.Struct({ width: whole(320, 3840), height: whole(240, 2160) })

/** Every input field of a monitor but its name, all optional; limits from the specification's Monitor table. */
const settings = {
  description: optional(Schema.NullOr(text(1000)).annotations({ description: "null or an empty text clears" })),
  kind: optional(MonitorKind.annotations({
    description: "Inferred when omitted: url gives http, host and port give tcp, periodSec gives heartbeat"
  })),
  url: optional(
    httpUrl(2000).annotations({
      description: "What an http or manifest monitor requests",
      examples: ["https://shop.example.com/health"]
    })
  ),
  method: optional(HttpMethod.annotations({ description: "Default GET" })),
  headers: optional(HeaderMap.annotations({ description: "Sent with each request; kept sealed" })),
  body: optional(Schema.NullOr(text(100_000)).annotations({ description: "Sent with each request; null clears" })),
  followRedirects: optional(Flag.annotations({ description: "At most 10; default true" })),
  expectedStatus: optional(
    text(100).annotations({
      description: "Accepted status codes: codes and ranges separated by commas, for example 200-299 or 200,204",
      examples: ["200-299", "200,204"]
    })
  ),
  keyword: optional(text(500).annotations({ description: "The body must contain it" })),
  keywordAbsent: optional(text(500).annotations({ description: "The body must not contain it" })),
  degradedAfterMs: optional(
    Schema.NullOr(whole(50, 120_000)).annotations({
      description: "Milliseconds; slower is degraded. null clears",
      examples: [2000]
    })
  ),
  sslExpiryDays: optional(
    Schema.NullOr(whole(1, 365)).annotations({
      description: "Degraded when the TLS certificate expires within so many days; null clears",
      examples: [14]
    })
  ),
  host: optional(text(255).annotations({ description: "The host of a tcp or dns monitor" })),
  port: optional(whole(1, 65_535).annotations({ description: "The port of a tcp monitor" })),
  recordType: optional(
    Schema.Literal("A", "AAAA", "CNAME", "MX", "TXT", "NS").annotations({
      description: "The records a dns monitor asks for"
    })
  ),
  expected: optional(list(text(500), 20).annotations({ description: "Values that the dns answer must hold" })),
  periodSec: optional(
    whole(30, 2_678_400).annotations({
      description:
        "heartbeat: seconds between two pings. A new heartbeat is pending until its first ping, which has the same time to come"
    })
  ),
  graceSec: optional(
    whole(0, 86_400).annotations({
      description: "heartbeat: seconds a ping may be late; default a tenth of periodSec, at least 60 and at most 3600"
    })
  ),
  code: optional(text(50_000)),
  viewport: optional(Viewport),
  assertions: optional(list(Assertion, 30).annotations({ description: "What else must hold of the answer" })),
  intervalSec: optional(whole(10, 86_400).annotations({ description: "Seconds between checks; default 60" })),
  timeoutMs: optional(
    whole(1000, 120_000).annotations({
      description: "Milliseconds until a check gives up; default 10000, never more than the interval"
    })
  ),
  failureThreshold: optional(whole(1, 10).annotations({ description: "Consecutive failures before down; default 2" })),
  recoveryThreshold: optional(whole(1, 10).annotations({ description: "Consecutive successes before up; default 1" })),
  channelIds: optional(
    list(ChannelId, 50).annotations({
      description: "The alert channels that hear of it; default those that are flagged as default"
    })
  ),
  reminderMinutes: optional(
    list(whole(1, 10_080), 10).annotations({
      description: "Minutes into an outage at which reminders are sent"
    })
  ),
  ai: optional(Flag.annotations({ description: "AI analysis of its incidents; default true" })),
  tags: optional(list(text(40), 20).annotations({ description: "For filters and deploys", examples: [["shop"]] })),
  paused: optional(Flag.annotations({ description: "true pauses, false resumes" })),
  regions: optional(
    Schema.Array(RegionId).pipe(Schema.minItems(1), Schema.maxItems(10)).annotations({
      description: "Where it is checked from; list_regions tells the ids. Default: the main region"
    })
  )
}

const monitorName = name(120).annotations({ examples: ["Checkout API"] })

export const MonitorInput = Schema.Struct({ name: monitorName, ...settings }).annotations({ identifier: "MonitorInput" })
export type MonitorInput = typeof MonitorInput.Type

export const MonitorUpdate = Schema.Struct({ name: optional(monitorName), ...settings }).annotations({
  identifier: "MonitorUpdate"
})
export type MonitorUpdate = typeof MonitorUpdate.Type

/** The parts of a request that may hold credentials; sealed wherever they are kept or carried. */
export const RequestSecrets = Schema.Struct({
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.NullOr(Schema.String)
})
export type RequestSecrets = typeof RequestSecrets.Type

/** The settings that decide how checks turn into a state. */
export const Rules = Schema.Struct({
  intervalSec: Schema.Int,
  timeoutMs: Schema.Int,
  failureThreshold: Schema.Int,
  recoveryThreshold: Schema.Int,
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
})
export type UptimeWindows = typeof UptimeWindows.Type

/** A monitor as REST and MCP answer it. */
export const Monitor = Schema.Struct({
  id: MonitorId,
  name: textLike("Checkout API"),
  description: Schema.NullOr(Schema.String),
  kind: MonitorKind,
  ...Struct.pick(recordSettings, "url", "method"),
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.NullOr(Schema.String),
  ...Struct.omit(recordSettings, "url", "method"),
  pingUrl: Schema.NullOr(textLike("https://status.example.com/hb/9fKq2LmZ7xT0bVwRj4sYcH1n")).annotations({
    description:
      "heartbeat only: GET or POST it at least every periodSec. Whoever has it can ping: keep it secret; null to a read-only key"
  }),
  failUrl: Schema.NullOr(textLike("https://status.example.com/hb/9fKq2LmZ7xT0bVwRj4sYcH1n/fail")).annotations({
    description: "heartbeat only: POST it when the job has failed; alerts at once"
  }),
  intervalSec: Schema.Int,
  timeoutMs: Schema.Int,
  failureThreshold: Schema.Int,
  recoveryThreshold: Schema.Int,
  channelIds: Schema.Array(ChannelId),
  reminderMinutes: Schema.Array(Schema.Int),
  ai: Schema.Boolean,
  tags: Schema.Array(Schema.String),
  paused: Schema.Boolean,
  regions: Schema.Array(RegionId),
  state: MonitorState,
  stateSince: Timestamp,
  lastCheck: Schema.NullOr(CheckSummary),
  openIncidentId: Schema.NullOr(IncidentId).annotations({ examples: [null] }),
  uptime: UptimeWindows,
  dashboardUrl: textLike("https://belltower.example/monitors/mon_01k9x2m4q8e7s9v3bthn5wza6c"),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotations({ identifier: "Monitor" })
export type Monitor = typeof Monitor.Type
