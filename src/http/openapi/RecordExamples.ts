/** Example values that must fit together. Fields that are not listed get an example of their own (`Examples.ts`). */
import { nounOf } from "./FieldWords.ts"

type Values = Readonly<Record<string, unknown>>

const at = "2026-11-20T08:00:00.000Z"
const started = "2026-11-20T07:52:00.000Z"
const id = (prefix: string) => `${prefix}_01k9x2m4q8e7s9v3bthn5wza6c`

const check: Values = {
  outcome: "up",
  at,
  statusCode: 200,
  latencyMs: 184,
  error: null,
  cause: null,
  hasEvidence: false,
  counted: true,
  timings: { dnsMs: 3, connectMs: 21, tlsMs: 38, firstByteMs: 170, totalMs: 184 },
  evidence: null,
  evidenceOmitted: null
}

/** The settings of an http monitor that records and events share. */
export const httpTarget: Values = {
  url: "https://shop.example.com/health",
  method: "GET",
  followRedirects: true,
  expectedStatus: "200-299",
  keyword: null,
  keywordAbsent: null,
  degradedAfterMs: 2000,
  sslExpiryDays: 14
}

const httpMonitor: Values = {
  kind: "http",
  state: "up",
  ...httpTarget,
  host: null,
  port: null,
  tls: null,
  tlsVerify: true,
  tlsCa: null,
  clientCertificate: null,
  clientKey: null,
  clientSecret: null,
  tokenUrl: null,
  clientId: null,
  scope: null,
  expectedTools: [],
  pinnedTools: [],
  callTool: null,
  callMayChange: null,
  service: null,
  expiryDays: null,
  recordType: null,
  periodSec: null,
  schedule: null,
  timezone: null,
  graceSec: null,
  code: null,
  tags: ["shop"]
}

const examples: Readonly<Record<string, Values>> = {
  Monitor: {
    ...httpMonitor,
    body: null,
    pingUrl: null,
    failUrl: null,
    intervalSec: 60,
    timeoutMs: 10_000,
    failureThreshold: 2,
    recoveryThreshold: 1,
    confirmAfterSec: 30,
    failureRate: null,
    paused: false,
    stateSince: "2026-11-18T21:14:07.000Z",
    late: null,
    nextExpectedAt: null,
    uptime: {
      "24h": { percent: 100, coveragePercent: 100 },
      "7d": { percent: 99.98, coveragePercent: 100 },
      "30d": { percent: 99.95, coveragePercent: 99.9 }
    },
    stats: { p50: 171, p95: 240, avg: 180, checks: 1440, failures: 0 }
  },
  EventMonitor: {
    // Its url is the link to the dashboard; its target is in the object of its kind.
    kind: "http",
    tags: ["shop"],
    url: `https://belltower.example/monitors/${id("mon")}`
  },
  Check: check,
  EventCheck: {
    ...check,
    outcome: "down",
    statusCode: 503,
    error: "Status 503, expected 200-299",
    cause: "status",
    hasEvidence: true
  },
  Lateness: { lateSec: 45 },
  Component: {
    push: false,
    pushTtlSec: null,
    pushUrl: null,
    manual: false,
    hidden: false,
    order: 0,
    confirmations: 2,
    statusMessage: null,
    manifest: null
  },
  ImportJob: { created: [], skipped: [], failed: [], warnings: [] },
  ComponentGroup: { collapsed: false },
  Incident: {
    kind: "incident",
    status: "investigating",
    impact: "major",
    startedAt: started,
    components: [{ componentId: id("cmp"), status: "major_outage" }]
  },
  PublicPage: { status: "major_outage", statusText: "Major outage" },
  PublicComponent: { status: "major_outage", uptimePercent: 99.95 },
  UptimeDay: { status: "operational", uptimePercent: 100, downSeconds: 0 },
  PublicUpdate: { ai: false },
  IncidentTemplate: { impact: "minor", componentStatus: "degraded", order: 0 },
  Workspace: { plan: "self_hosted", claimed: false, expiresAt: "2026-11-27T08:00:00.000Z" },
  ApiKey: { scopes: ["read", "write"], expiresAt: null, parentId: null, createdBy: null, lastUsedAt: null },
  Allowance: { used: 12, limit: 250 },
  Limits: {
    monitors: 250,
    minIntervalSec: 30,
    regionsPerMonitor: 5,
    pages: 5,
    customDomains: 5,
    subscribersPerPage: 2000,
    codeMonitors: 10,
    members: 10,
    aiReportsPerMonth: 100,
    onCall: false
  },
  Usage: { plan: "starter" },
  WhoAmI: { plan: "starter" },
  Billing: { plan: "starter" },
  PlanOffer: { id: "starter" },
  Subscription: { plan: "starter", status: "active", renewsAt: "2026-12-20T08:00:00.000Z", cancels: false },
  AuditEntry: { target: id("mon") },
  AuditActor: { name: "deploy" },
  Postmortem: { version: 1, ai: false }
}

/** The values of a schema's record; none for inputs, whose examples show only fields that callers usually send. */
export const recordExamples = (schema: string): Values =>
  /(?:Input|Update)$/.test(schema) && !(schema in examples) ? {} : examples[schema] ?? examples[nounOf(schema)] ?? {}
