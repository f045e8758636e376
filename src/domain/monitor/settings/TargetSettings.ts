/** Determines a monitor's kind, named or inferred, and lets that kind validate its own fields. */
import { Either, Struct } from "effect"
import type { Target, TargetOf } from "../../../../schema/monitor/kinds.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"
import type { Refusal } from "../../Refusal.ts"
import { kinds, specs } from "../kinds.ts"
import { emptiedField, foreignField } from "./MonitorFields.ts"

const inferable = Struct.entries(kinds).filter(([, { inferredFrom }]) => inferredFrom.length > 0)

const inferKind = (input: MonitorUpdate): MonitorKind | null =>
  inferable.find(([, { inferredFrom }]) => inferredFrom.every((field) => (input[field] ?? null) !== null))?.[0] ?? null

const notInferred: Refusal = {
  path: null,
  message: "Cannot infer monitor kind",
  hint: `Set kind, or ${inferable.map(([kind, { inferredFrom }]) => `${inferredFrom.join(" and ")} for ${kind}`).join(", ")}`
}

const isOf = <Kind extends MonitorKind>(target: Target, kind: Kind): target is TargetOf<Kind> & Target => target.kind === kind

const settleAs = <Kind extends MonitorKind>(
  kind: Kind,
  input: MonitorUpdate,
  base: Target | null
): Either.Either<TargetOf<Kind>, Refusal> => specs[kind].settle(input, base !== null && isOf(base, kind) ? base : null)

/** `base` is null for a new monitor. */
export const settleTarget = (input: MonitorUpdate, base: Target | null): Either.Either<Target, Refusal> => {
  if (input.kind !== undefined && base !== null && input.kind !== base.kind) {
    return Either.left({ path: "kind", message: "The kind of a monitor cannot change", hint: "Create a new monitor" })
  }
  const kind = base?.kind ?? input.kind ?? inferKind(input)
  if (kind === null) return Either.left(notInferred)
  const foreign = foreignField(input, kind)
  if (foreign !== null) return Either.left(foreign)
  const emptied = emptiedField(input, kind)
  return emptied === null ? settleAs(kind, input, base) : Either.left(emptied)
}
