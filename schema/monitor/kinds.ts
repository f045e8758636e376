/** The registry of available check kinds. Targets, records and events derive from it. */
import { Schema } from "effect"
import { dns } from "./kinds/dns.ts"
import { heartbeat } from "./kinds/heartbeat.ts"
import { http } from "./kinds/http.ts"
import { tcp } from "./kinds/tcp.ts"
import type { MonitorKind } from "./MonitorKind.ts"

export const kindSchemas = { http, tcp, dns, heartbeat } satisfies {
  readonly [Kind in MonitorKind]?: { readonly target: { readonly Type: { readonly kind: Kind } } }
}

type KindSchemas = typeof kindSchemas
export type AvailableKind = keyof KindSchemas
type AnyKind = KindSchemas[AvailableKind]

const all = Object.values(kindSchemas)

/** What a monitor checks, by kind. */
export const Target = Schema.Union(...all.map(({ target }) => target))
export type TargetOf<Kind extends AvailableKind> = { readonly [K in AvailableKind]: KindSchemas[K]["target"]["Type"] }[Kind]
export type Target = TargetOf<AvailableKind>

type ProbedSchema = Extract<AnyKind, { readonly probed: true }>

/** What probes check, by kind. */
export const ProbeTarget = Schema.Union(
  ...all.filter((kind): kind is ProbedSchema => kind.probed).map(({ target }) => target)
)
export type ProbeTarget = typeof ProbeTarget.Type
export type ProbeKind = ProbeTarget["kind"]

/** The settings of each kind as they appear in events, under the name of the kind. */
export const eventSettings: { readonly [Kind in AvailableKind]: KindSchemas[Kind]["inEvents"] } = Object.assign(
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
