/** The settings of a component, settled: where its status comes from, and defaults filled in. */
import { Either } from "effect"
import type { Aggregate, ComponentInput } from "../../schema/Component.ts"
import type { MonitorId } from "../../schema/Ids.ts"
import type { Refusal } from "./MonitorSettings.ts"

export interface ComponentSettings {
  readonly description: string | null
  readonly monitorIds: ReadonlyArray<MonitorId>
  readonly aggregate: Aggregate
  /** Set by incidents alone: the source of a component that has no other. */
  readonly manual: boolean
  readonly showUptime: boolean
  readonly showResponseTimes: boolean
  readonly hidden: boolean
}

const later = (path: string): Refusal => ({
  path,
  message: `${path} is not available yet: a component takes its status from monitors or is set by hand`,
  hint: "Give monitorIds, or nothing for a component that incidents set"
})

const refusals = (input: ComponentInput): ReadonlyArray<Refusal> => [
  ...(input.push === true ? [later("push")] : []),
  ...(typeof input.pushTtlSec === "number" ? [later("pushTtlSec")] : []),
  ...(input.manifest === undefined ? [] : [later("manifest")]),
  ...(input.confirmations === undefined ? [] : [{
    path: "confirmations",
    message: "confirmations is for pushes and manifests, which are not available yet",
    hint: "A monitor confirms by its failureThreshold"
  }]),
  ...(input.manual === true && (input.monitorIds ?? []).length > 0
    ? [{ path: "manual", message: "A component that follows monitors cannot be manual too", hint: "Give one of the two" }]
    : [])
]

export const settleComponent = (input: ComponentInput): Either.Either<ComponentSettings, ReadonlyArray<Refusal>> => {
  const refused = refusals(input)
  if (refused.length > 0) return Either.left(refused)
  const monitorIds = [...new Set(input.monitorIds ?? [])]
  return Either.right({
    description: input.description === undefined || input.description === "" ? null : input.description,
    monitorIds,
    aggregate: input.aggregate ?? "worst",
    manual: monitorIds.length === 0,
    showUptime: input.showUptime ?? true,
    showResponseTimes: input.showResponseTimes ?? false,
    hidden: input.hidden ?? false
  })
}
