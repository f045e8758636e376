/** The registry of the domain rules of check kinds. */
import { Struct } from "effect"
import { kindSchemas, type ProbeTarget, type Target, type TargetOf } from "../../../schema/monitor/kinds.ts"
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import { browser } from "./kinds/browser.ts"
import { dns } from "./kinds/dns.ts"
import { domain } from "./kinds/domain.ts"
import { grpc } from "./kinds/grpc.ts"
import { heartbeat } from "./kinds/heartbeat.ts"
import { http } from "./kinds/http.ts"
import { manifest } from "./kinds/manifest.ts"
import { mcp } from "./kinds/mcp.ts"
import { ping } from "./kinds/ping.ts"
import { script } from "./kinds/script.ts"
import { tcp } from "./kinds/tcp.ts"
import { websocket } from "./kinds/websocket.ts"
import type { MonitorKindSpec } from "./MonitorKindSpec.ts"

/** Inference and hints use this order. */
export const kinds = {
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
} satisfies {
  readonly [Kind in MonitorKind]: MonitorKindSpec<Kind>
}

/**
 * The same object, typed so that a generic kind selects its own spec.
 * @alias
 */
export const specs: { readonly [Kind in MonitorKind]: MonitorKindSpec<Kind> } = kinds

export const allKinds = Struct.keys(kindSchemas)

/** The input fields of a kind, except those that every kind has. */
export const fieldsOf = (kind: MonitorKind): ReadonlyArray<string> => [
  ...Object.keys(kindSchemas[kind].settings),
  ...(specs[kind].sealedFields ?? [])
]

const maskedAs = <Kind extends MonitorKind>(kind: Kind, target: TargetOf<Kind>): TargetOf<Kind> => specs[kind].masked(target)

/** A target without its secrets, for events and for callers that may not edit the monitor. */
export const maskedTarget = (target: Target): Target => maskedAs(target.kind, target)

export const isProbed = (target: Target): target is ProbeTarget => kindSchemas[target.kind].probed

export const unprobedKinds = allKinds.filter((kind) => !kindSchemas[kind].probed)

export const codeKinds = allKinds.filter((kind) => specs[kind].runsCode === true)
