/** Every check kind of the specification: the rules of available kinds, and the fields of planned ones. */
import { Struct } from "effect"
import { type AvailableKind, kindSchemas, type ProbeTarget, type Target, type TargetOf } from "../../../schema/monitor/kinds.ts"
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import { dns } from "./kinds/dns.ts"
import { heartbeat } from "./kinds/heartbeat.ts"
import { http } from "./kinds/http.ts"
import { tcp } from "./kinds/tcp.ts"
import { type MonitorKindSpec, planned, type PlannedKind } from "./MonitorKindSpec.ts"

/** Each kind with a schema must have its spec here. Inference and hints use this order. */
export const kinds = {
  http,
  tcp,
  dns,
  heartbeat,
  manifest: planned(["url", "headers"]),
  script: planned(["code", "degradedAfterMs"]),
  browser: planned(["code", "degradedAfterMs", "viewport"])
} satisfies { readonly [Kind in MonitorKind]: Kind extends AvailableKind ? MonitorKindSpec<Kind> : PlannedKind }

/**
 * The same object, typed so that a generic kind selects its own spec.
 * @alias
 */
export const specs: { readonly [Kind in AvailableKind]: MonitorKindSpec<Kind> } = kinds

export const availableKinds = Struct.keys(kindSchemas)

export const isAvailable = (kind: MonitorKind): kind is AvailableKind => Object.hasOwn(kindSchemas, kind)

/** The input fields of a kind, except those that every kind has. */
export const fieldsOf = (kind: MonitorKind): ReadonlyArray<string> =>
  isAvailable(kind)
    ? [...Object.keys(kindSchemas[kind].settings), ...specs[kind].sealedFields]
    : kinds[kind].plannedFields

const maskedAs = <Kind extends AvailableKind>(kind: Kind, target: TargetOf<Kind>): TargetOf<Kind> => specs[kind].masked(target)

/** A target without its secrets, for events and for callers that may not edit the monitor. */
export const maskedTarget = (target: Target): Target => maskedAs(target.kind, target)

export const isProbed = (target: Target): target is ProbeTarget => kindSchemas[target.kind].probed

export const unprobedKinds = availableKinds.filter((kind) => !kindSchemas[kind].probed)

export const codeKinds = availableKinds.filter((kind) => specs[kind].runsCode)
