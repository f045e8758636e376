/** Display names of monitor kinds. */
import type { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"

export const kindNames = {
  http: "HTTP",
  tcp: "TCP port",
  dns: "DNS",
  heartbeat: "Heartbeat",
  manifest: "Status manifest",
  script: "Script",
  browser: "Browser",
  grpc: "gRPC",
  websocket: "WebSocket",
  ping: "Ping",
  domain: "Domain expiry"
} as const satisfies Record<MonitorKind, string>
