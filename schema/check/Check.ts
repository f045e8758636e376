/** A check: one request to a target from one region, its result and its evidence. */
import { Schema } from "effect"
import { ComponentStatus } from "../component/Component.ts"
import { described, fromTarget, optional, orNull, Timestamp } from "../Fields.ts"
import { CheckId, MonitorId, WorkspaceId } from "../Ids.ts"
import { RegionId } from "./Region.ts"

export const Outcome = Schema.Literal("up", "degraded", "down")
export type Outcome = typeof Outcome.Type

/** The reason why a check was not up, a stable code for programs; `error` is the message for people. */
export const Cause = Schema.Literal(
  "dns_error",
  "dns_no_name",
  "dns_no_record",
  "dns_server_failed",
  "dns_refused",
  "dns_timeout",
  "dns_mismatch",
  "connect_refused",
  "connect_timeout",
  "connect_error",
  "tls_error",
  // Only checks by earlier releases have it: an untrusted certificate was no failure.
  "certificate",
  "tls_version",
  "timeout",
  "protocol_error",
  "status",
  "keyword",
  "assertion",
  "slow",
  "ssl_expiry",
  "body_too_large",
  "redirect_limit",
  "blocked_target",
  "manifest",
  "not_serving",
  "grpc_error",
  "mcp_error",
  "mcp_tools",
  "domain_expiry",
  "domain_expired",
  "domain_unknown",
  "script_error",
  "script_limit",
  "internal_error",
  "missed_ping",
  "reported"
)
export type Cause = typeof Cause.Type

/** Milliseconds spent in each phase of the final request; null for a phase that did not take place. */
export const Timings = Schema.Struct({
  dnsMs: orNull(Schema.Number, "Name resolution in ms; null if it did not take place"),
  connectMs: orNull(Schema.Number, "TCP connection in ms; null if it did not take place"),
  tlsMs: orNull(Schema.Number, "TLS handshake in ms; null if it did not take place"),
  firstByteMs: orNull(Schema.Number, "From the request to the first byte of the response in ms; null without one"),
  totalMs: Schema.Number.annotations({ description: "The whole check in ms" })
}).annotations({ identifier: "Timings" })
export type Timings = typeof Timings.Type

export const Certificate = Schema.Struct({
  subject: Schema.String,
  issuer: Schema.String.annotations({ description: "Name of the authority that issued it" }),
  validFrom: Schema.String.annotations({ description: "Start of its validity" }),
  validTo: Schema.String.annotations({ description: "End of its validity" }),
  daysLeft: described(Schema.Int, "Whole days until it expires"),
  fingerprint256: Schema.String.annotations({ description: "SHA-256 fingerprint" }),
  altNames: Schema.Array(Schema.String).annotations({ description: "Names that the certificate covers" }),
  authorized: Schema.Boolean.annotations({ description: "Whether it is trusted for the host" }),
  authorizationError: orNull(Schema.String, "Why it is not trusted; null if it is"),
  tlsVersion: optional(Schema.String, "TLS version of the connection, such as TLSv1.3"),
  chain: optional(
    Schema.Array(Schema.Struct({
      subject: Schema.String,
      issuer: Schema.String.annotations({ description: "Name of the authority that issued it" }),
      validTo: Schema.String.annotations({ description: "End of its validity" }),
      daysLeft: described(Schema.Int, "Whole days until it expires")
    })),
    "The other certificates that the server sent, from the issuer towards the root"
  )
}).annotations({ identifier: "Certificate" })
export type Certificate = typeof Certificate.Type

export const AssertionResult = Schema.Struct({
  index: described(Schema.Int, "Position of the assertion in the monitor, from 0"),
  passed: Schema.Boolean.annotations({ description: "Whether it held" }),
  actual: orNull(Schema.String, "Actual value, cut to 500 characters"),
  message: Schema.String.annotations({ description: "What was expected and found" })
}).annotations({ identifier: "AssertionResult" })
export type AssertionResult = typeof AssertionResult.Type

/** The observations of a dns check: the last server's answer, and the servers that it asked before. */
export const DnsEvidence = Schema.Struct({
  rcode: orNull(Schema.String, "Response code, such as NXDOMAIN; null without an answer"),
  protocol: orNull(Schema.Literal("udp", "tcp"), "Transport of the last answer; null without one"),
  authoritative: Schema.Boolean.annotations({ description: "Whether the answer came from an authority of the zone" }),
  answers: Schema.Array(Schema.Struct({
    name: Schema.String.annotations({ description: "Name of the record" }),
    type: Schema.String.annotations({ description: "Type of the record" }),
    ttl: orNull(Schema.Int, "Time to live in seconds; null if there is none"),
    value: Schema.String.annotations({ description: "Value of the record" })
  })),
  attempts: Schema.Array(Schema.Struct({ resolver: Schema.String, result: Schema.String }))
}).annotations({ identifier: "DnsEvidence" })
export type DnsEvidence = typeof DnsEvidence.Type

export const ScriptRequest = Schema.Struct({
  method: Schema.String.annotations({ description: "Method of the request" }),
  url: Schema.String.annotations({ description: "URL of the request" }),
  status: orNull(Schema.Int, "Status of the response; null without one"),
  ms: Schema.Number.annotations({ description: "Duration in ms" }),
  remoteAddress: orNull(Schema.String, "Address that was connected to; null without a connection"),
  cause: orNull(Cause, "Why it failed: a stable code; null if it did not"),
  error: Schema.NullOr(Schema.String)
}).annotations({ identifier: "ScriptRequest" })
export type ScriptRequest = typeof ScriptRequest.Type

/** The logs, steps and requests of a script, in order. */
export const ScriptEvidence = Schema.Struct({
  logs: Schema.Array(Schema.Struct({ level: Schema.Literal("log", "warn", "error"), text: Schema.String })),
  logsCut: Schema.Boolean.annotations({ description: "Whether the script logged more than 200 lines or 16,384 characters" }),
  steps: Schema.Array(Schema.Struct({ name: Schema.String, ms: Schema.Number, error: Schema.NullOr(Schema.String) })),
  requests: Schema.Array(ScriptRequest).annotations({ description: "The HTTP requests that it made" })
}).annotations({ identifier: "ScriptEvidence" })
export type ScriptEvidence = typeof ScriptEvidence.Type

/** The actions of a browser for a script, and the content of its page. */
export const BrowserEvidence = Schema.Struct({
  url: orNull(Schema.String, "URL of the page at the end"),
  title: Schema.NullOr(Schema.String),
  actions: Schema.Array(Schema.Struct({ action: Schema.String, ms: Schema.Number, error: Schema.NullOr(Schema.String) })),
  requests: Schema.Array(
    Schema.Struct({ url: Schema.String, status: Schema.NullOr(Schema.Int), error: Schema.NullOr(Schema.String) })
  ).annotations({ description: "Documents, and parts of them that did not load" }),
  refused: Schema.Array(Schema.Struct({ host: Schema.String, error: Schema.String })).annotations({
    description: "Hosts that could not be reached, or may not be"
  }),
  console: Schema.Array(Schema.Struct({ level: Schema.Literal("log", "warn", "error"), text: Schema.String })),
  screenshots: Schema.Array(
    Schema.Struct({ name: Schema.String, jpeg: Schema.String.annotations({ description: "Base64" }) })
  )
}).annotations({ identifier: "BrowserEvidence" })
export type BrowserEvidence = typeof BrowserEvidence.Type

/** The description that an MCP server gives of itself. */
export const McpEvidence = Schema.Struct({
  server: orNull(Schema.String, "Its name and version; null if it did not say"),
  protocolVersion: orNull(Schema.String, "Version of the protocol that it chose; null if it did not answer"),
  tools: Schema.Array(Schema.String).annotations({ description: "Its tools, at most 500, as pinnedTools takes them" })
}).annotations({ identifier: "McpEvidence" })
export type McpEvidence = typeof McpEvidence.Type

/** One status of a manifest. A component finds it by any of its names. */
export const ManifestEntry = Schema.Struct({
  key: Schema.String.annotations({ description: "Stable key of the entry" }),
  names: Schema.Array(Schema.String).annotations({ description: "Other names of the entry" }),
  status: ComponentStatus.annotations({ description: "Status that the manifest gives" }),
  message: orNull(Schema.String, "Text that the manifest gives; null without one")
}).annotations({ identifier: "ManifestEntry" })
export type ManifestEntry = typeof ManifestEntry.Type

/** The observations of a probe, kept for the first failure, its changes, the first check after it, and samples of others. */
export const Evidence = Schema.Struct({
  request: Schema.Struct({ method: Schema.String.annotations({ description: "Its method" }), url: Schema.String }),
  remoteAddress: orNull(Schema.String, "Address that was connected to; null without a connection"),
  responseHeaders: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: orNull(Schema.String, "First 16 KiB of the response body"),
  bodyTruncated: Schema.Boolean.annotations({ description: "Whether the body was longer than what was kept" }),
  redirects: Schema.Array(Schema.Struct({ statusCode: described(Schema.Int, "Status of the redirect"), url: Schema.String })),
  certificate: orNull(Certificate, "Certificate of the server; null without TLS"),
  assertions: Schema.Array(AssertionResult).annotations({ description: "Result of each assertion" }),
  dns: optional(DnsEvidence),
  script: optional(ScriptEvidence),
  browser: optional(BrowserEvidence),
  mcp: optional(McpEvidence, "What an MCP server said of itself"),
  manifest: optional(Schema.Array(ManifestEntry), "Statuses of a manifest; null for other kinds")
}).annotations({ identifier: "Evidence" })
export type Evidence = typeof Evidence.Type

/** Fields shared by every form of a check: results, observations, rows, records and events. */
export const checkFacts = {
  outcome: Outcome,
  statusCode: Schema.NullOr(Schema.Int),
  latencyMs: Schema.NullOr(Schema.Number),
  error: fromTarget(Schema.NullOr(Schema.String)),
  cause: Schema.NullOr(Cause),
  region: RegionId
}

const summary = { at: Timestamp, ...checkFacts, hasEvidence: Schema.Boolean }

export const CheckSummary = Schema.Struct({ id: CheckId, ...summary }).annotations({ identifier: "CheckSummary" })
export type CheckSummary = typeof CheckSummary.Type

const EvidenceOmitted = Schema.Struct({
  reason: Schema.Literal("repeats", "quota").annotations({
    description: "repeats: the same failure as the check that checkId names, which shows it. quota: the workspace has stored " +
      "its daily quota of evidence; it is reset at midnight UTC"
  }),
  checkId: orNull(CheckId, "The check that has the evidence; null if none has")
}).annotations({ identifier: "EvidenceOmitted" })

/** A check as REST and MCP return it; `evidence` is null if it was not requested or not kept. */
export const Check = Schema.Struct({
  id: CheckId,
  monitorId: MonitorId,
  ...summary,
  counted: Schema.Boolean.annotations({
    description: "Whether the check counted toward the state; false if the region was unhealthy or the result was out of date"
  }),
  timings: Schema.NullOr(Timings),
  evidence: fromTarget(Schema.NullOr(Evidence)),
  evidenceOmitted: orNull(
    EvidenceOmitted,
    "Where to find the evidence of a repeated failure, or why there is none; null if nothing was left out"
  )
}).annotations({ identifier: "Check" })
export type Check = typeof Check.Type

export const EventCheck = Schema.Struct({ _id: CheckId, id: optional(CheckId, "The same as _id"), ...summary }).annotations({
  identifier: "EventCheck"
})
export type EventCheck = typeof EventCheck.Type

/** A finished check for the live streams of its workspace, the payload of a notification on `liveChecksSignal`. It is not stored. */
export const LiveCheck = Schema.Struct({ workspaceId: WorkspaceId, monitorId: MonitorId, check: EventCheck })
export type LiveCheck = typeof LiveCheck.Type

/** The signal for each finished check of a workspace with an open live stream. */
export const liveChecksSignal = "belltower_checks"
