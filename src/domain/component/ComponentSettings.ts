/** The settings of a component, settled: where its status comes from, and defaults filled in. */
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
  /** Set by incidents alone: the source of a component that has no other. */
  readonly manual: boolean
  readonly showUptime: boolean
  readonly showResponseTimes: boolean
  readonly hidden: boolean
}

/** One report in error is a blip, two in a row are an outage. */
const defaultConfirmations = 2

const pushOnly = (path: "pushTtlSec" | "confirmations"): Refusal => ({
  path,
  message: `${path} is for components whose status is pushed`,
  hint: path === "confirmations" ? "Set push to true; a monitor confirms by its failureThreshold" : "Set push to true"
})

/** The sources that an input names, in the order of their fields. (Specification: Component.) */
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
      message: `A component has one source of its status, and ${first} is given too`,
      hint: "Give one of monitorIds, push and manual"
    })),
    ...(typeof input.pushTtlSec === "number" && input.push !== true ? [pushOnly("pushTtlSec")] : []),
    ...(input.confirmations !== undefined && input.push !== true ? [pushOnly("confirmations")] : []),
    ...(input.manifest === undefined ? [] : [{
      path: "manifest",
      message: "manifest is not available yet: a component takes its status from monitors or pushes, or is set by hand",
      hint: "Give monitorIds or push, or nothing for a component that incidents set"
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
