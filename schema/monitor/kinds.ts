/** The registry of check kinds. Targets, records and events derive from it. */
import { Schema } from "effect"
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
import type { MonitorKind } from "./MonitorKind.ts"

export const kindSchemas = {
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
  readonly [Kind in MonitorKind]: { readonly target: { readonly Type: { readonly kind: Kind } } }
}

type KindSchemas = typeof kindSchemas
type AnyKind = KindSchemas[MonitorKind]

const all = Object.values(kindSchemas)

export const Target = Schema.Union(...all.map(({ target }) => target))
export type TargetOf<Kind extends MonitorKind> = { readonly [K in MonitorKind]: KindSchemas[K]["target"]["Type"] }[Kind]
export type Target = TargetOf<MonitorKind>

type ProbedSchema = Extract<AnyKind, { readonly probed: true }>

export const ProbeTarget = Schema.Union(
  ...all.filter((kind): kind is ProbedSchema => kind.probed).map(({ target }) => target)
)
export type ProbeTarget = typeof ProbeTarget.Type
export type ProbeKind = ProbeTarget["kind"]

/** The settings of each kind as they appear in events, under the name of the kind. */
export const eventSettings: { readonly [Kind in MonitorKind]: KindSchemas[Kind]["inEvents"] } = Object.assign(
  {},
  ...Object.entries(kindSchemas).map(([kind, { inEvents }]) => ({ [kind]: inEvents }))
)

type RecordFields = AnyKind["inRecord"]
type Names<Fields> = Fields extends unknown ? keyof Fields : never
type FieldOf<Fields, Name> = Fields extends unknown ? Name extends keyof Fields ? Fields[Name] : never : never

/** The settings of all kinds as they appear in every monitor record. */
export const recordSettings: { readonly [Name in Names<RecordFields>]: FieldOf<RecordFields, Name> } = Object.assign(
  {},
  ...all.map(({ inRecord }) => inRecord)
)
