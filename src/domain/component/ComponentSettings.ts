/** Validates a component's settings and fills in defaults. */
import { Either } from "effect"
import type { Aggregate, ComponentInput } from "../../../schema/component/Component.ts"
import type { MonitorId } from "../../../schema/Ids.ts"
import type { Refusal } from "../Refusal.ts"

export interface ComponentSettings {
  readonly description: string | null
  readonly monitorIds: ReadonlyArray<MonitorId>
  readonly aggregate: Aggregate
  readonly push: boolean
  readonly pushTtlSec: number | null
  readonly confirmations: number
  /** True if only incidents set the status, because the component has no other source. */
  readonly manual: boolean
  readonly showUptime: boolean
  readonly showResponseTimes: boolean
  readonly hidden: boolean
}

/** A single failure report may be a blip; two in a row are an outage. */
const defaultConfirmations = 2

const pushOnly = (path: "pushTtlSec" | "confirmations"): Refusal => ({
  path,
  message: `${path} applies only to push components`,
  hint: path === "confirmations" ? "Set push to true; for monitors, use their failureThreshold" : "Set push to true"
})

/** The status sources that an input names, in field order. (Specification: Component.) */
const sourcesOf = (input: ComponentInput): ReadonlyArray<"monitorIds" | "push" | "manual"> => [
  ...((input.monitorIds ?? []).length > 0 ? ["monitorIds" as const] : []),
  ...(input.push === true ? ["push" as const] : []),
  ...(input.manual === true ? ["manual" as const] : [])
]

const refusals = (input: ComponentInput): ReadonlyArray<Refusal> => {
  const [first, ...others] = sourcesOf(input)
  return [
    ...others.map((path) => ({
      path,
      message: `A component can have only one status source, and ${first} is also set`,
      hint: "Set only one of monitorIds, push and manual"
    })),
    ...(typeof input.pushTtlSec === "number" && input.push !== true ? [pushOnly("pushTtlSec")] : []),
    ...(input.confirmations !== undefined && input.push !== true ? [pushOnly("confirmations")] : []),
    ...(input.manifest === undefined ? [] : [{
      path: "manifest",
      message: "manifest is not available yet",
      hint: "Set monitorIds or push, or neither if incidents set the status"
    }])
  ]
}

export const settleComponent = (input: ComponentInput): Either.Either<ComponentSettings, ReadonlyArray<Refusal>> => {
  const refused = refusals(input)
  if (refused.length > 0) return Either.left(refused)
  const monitorIds = [...new Set(input.monitorIds ?? [])]
  const push = input.push === true
  return Either.right({
    description: input.description === undefined || input.description === "" ? null : input.description,
    monitorIds,
    aggregate: input.aggregate ?? "worst",
    push,
    pushTtlSec: input.pushTtlSec ?? null,
    confirmations: input.confirmations ?? defaultConfirmations,
    manual: monitorIds.length === 0 && !push,
    showUptime: input.showUptime ?? true,
    showResponseTimes: input.showResponseTimes ?? false,
    hidden: input.hidden ?? false
  })
}
