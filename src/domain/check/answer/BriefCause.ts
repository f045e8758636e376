/** A failure in a few words, for titles. Names no host and quotes nothing of a target, because titles may become public. */
import { STATUS_CODES } from "node:http"
import type { Cause, CheckSummary } from "../../../../schema/check/Check.ts"

const words: Record<Cause, string> = {
  dns_error: "DNS lookup failed",
  dns_no_name: "name not found",
  dns_no_record: "DNS record not found",
  dns_server_failed: "DNS server failed",
  dns_refused: "DNS server refused",
  dns_timeout: "DNS timeout",
  dns_mismatch: "unexpected DNS records",
  connect_refused: "connection refused",
  connect_timeout: "connection timeout",
  connect_error: "no connection",
  tls_error: "TLS failure",
  certificate: "untrusted certificate",
  tls_version: "outdated TLS version",
  timeout: "timeout",
  protocol_error: "broken response",
  status: "unexpected status",
  keyword: "unexpected content",
  assertion: "failed assertion",
  slow: "slow",
  ssl_expiry: "certificate expires soon",
  body_too_large: "response too large",
  redirect_limit: "too many redirects",
  blocked_target: "target not allowed",
  manifest: "unreadable manifest",
  not_serving: "not serving",
  grpc_error: "gRPC error",
  mcp_error: "MCP error",
  mcp_tools: "MCP tools differ",
  domain_expiry: "domain expires soon",
  domain_expired: "domain expired",
  domain_unknown: "domain expiry unknown",
  script_error: "script error",
  script_limit: "script exceeded its limits",
  internal_error: "probe error",
  missed_ping: "missed ping",
  reported: "reported failure"
}

/** `503 Service Unavailable`, `connection refused`; null without a cause. */
export const briefCause = ({ cause, statusCode }: Pick<CheckSummary, "cause" | "statusCode">): string | null => {
  if (cause === null) return null
  if (cause !== "status" || statusCode === null) return words[cause]
  const phrase = STATUS_CODES[statusCode]
  return phrase === undefined ? `status ${statusCode}` : `${statusCode} ${phrase}`
}
