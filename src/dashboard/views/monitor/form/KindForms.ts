/** The registry of the forms of check kinds. */
import type { MonitorKind } from "../../../../../schema/monitor/MonitorKind.ts"
import type { KindForm } from "./KindForm.tsx"
import { browser } from "./kinds/browser.tsx"
import { dns } from "./kinds/dns.tsx"
import { domain } from "./kinds/domain.tsx"
import { grpc } from "./kinds/grpc.tsx"
import { heartbeat } from "./kinds/heartbeat.tsx"
import { http } from "./kinds/http.tsx"
import { manifest } from "./kinds/manifest.tsx"
import { mcp } from "./kinds/mcp.tsx"
import { ping } from "./kinds/ping.tsx"
import { script } from "./kinds/script.tsx"
import { tcp } from "./kinds/tcp.tsx"
import { websocket } from "./kinds/websocket.tsx"

export const kindForms: Readonly<Record<MonitorKind, KindForm>> = {
  http,
  tcp,
  dns,
  heartbeat,
  manifest,
  script,
  browser,
  grpc,
  websocket,
  ping,
  domain,
  mcp
}
