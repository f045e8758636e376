/** Validates a component's settings and fills in defaults. */
import { Either } from "effect"
import type { Component, ComponentUpdate } from "../../../schema/component/Component.ts"
import type { MonitorId } from "../../../schema/Ids.ts"
import type { Refusal } from "../Refusal.ts"

/** `manual` is true if only incidents set the status, because the component has no other source. */
export type ComponentSettings =
  & Pick<Component, "description" | "monitorIds" | "aggregate" | "push" | "pushTtlSec" | "manifest" | "confirmations" | "manual">
  & Pick<Component, "showUptime" | "showResponseTimes" | "hidden">

/** The monitors that decide its status. */
export const followedBy = ({ manifest, monitorIds }: Pick<Component, "manifest" | "monitorIds">): ReadonlyArray<MonitorId> =>
  manifest === null ? monitorIds : [...monitorIds, manifest.monitorId]

/** A single failure report may be a blip; two in a row are an outage. */
export const defaultConfirmations = 2

/** The status sources that an input names, in field order. (Specification: Component.) */
const sourcesOf = (input: ComponentUpdate): ReadonlyArray<"monitorIds" | "push" | "manifest" | "manual"> => [
  ...((input.monitorIds ?? []).length > 0 ? ["monitorIds" as const] : []),
  ...(input.push === true ? ["push" as const] : []),
  ...((input.manifest ?? null) !== null ? ["manifest" as const] : []),
  ...(input.manual === true ? ["manual" as const] : [])
]

const refusals = (input: ComponentUpdate): ReadonlyArray<Refusal> => {
  const [first, ...others] = sourcesOf(input)
  return others.map((path) => ({
    path,
    message: `A component can have only one status source, and ${first} is also set`,
    hint: "Set only one of monitorIds, push, manifest and manual"
  }))
}

export const settleComponent = (input: ComponentUpdate): Either.Either<ComponentSettings, ReadonlyArray<Refusal>> => {
  const refused = refusals(input)
  if (refused.length > 0) return Either.left(refused)
  const monitorIds = [...new Set(input.monitorIds ?? [])]
  const push = input.push === true
  const manifest = input.manifest ?? null
  return Either.right({
    description: input.description || null,
    monitorIds,
    aggregate: input.aggregate ?? "worst",
    push,
    pushTtlSec: input.pushTtlSec ?? null,
    manifest,
    confirmations: input.confirmations ?? defaultConfirmations,
    manual: monitorIds.length === 0 && !push && manifest === null,
    showUptime: input.showUptime ?? true,
    showResponseTimes: input.showResponseTimes ?? false,
    hidden: input.hidden ?? false
  })
}

/** The settings after an edit. Naming a source replaces the one before and its own settings; without one, all stay. */
export const settleComponentEdit = (before: ComponentSettings, input: ComponentUpdate) => {
  const isKept = sourcesOf(input).length === 0
  const push = input.push ?? (isKept && before.push)
  const manifest = input.manifest === undefined && isKept ? before.manifest : input.manifest ?? null
  return settleComponent({
    description: before.description ?? "",
    aggregate: before.aggregate,
    showUptime: before.showUptime,
    showResponseTimes: before.showResponseTimes,
    hidden: before.hidden,
    ...(isKept || push ? { pushTtlSec: before.pushTtlSec } : {}),
    ...(isKept || push || manifest !== null ? { confirmations: before.confirmations } : {}),
    ...(manifest === null ? {} : { manifest }),
    ...input,
    monitorIds: input.monitorIds ?? (isKept ? before.monitorIds : []),
    push
  })
}
