/** The names of the check kinds. */
import { Schema } from "effect"

export const MonitorKind = Schema.Literal(
  "http",
  "tcp",
  "dns",
  "heartbeat",
  "manifest",
  "script",
  "browser",
  "grpc",
  "websocket",
  "ping",
  "domain",
  "mcp"
)
export type MonitorKind = typeof MonitorKind.Type
