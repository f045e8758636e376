/** Determines a monitor's kind, named or inferred, and lets that kind validate its own fields. */
import { Either, Schema, Struct } from "effect"
import { kindSchemas, type Target, type TargetOf } from "../../../../schema/monitor/kinds.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"
import type { Refusal } from "../../Refusal.ts"
import { fieldsOf, kinds, specs } from "../kinds.ts"

/** The kinds that have a setting, for settings that not every kind has. */
const owners = new Map<string, ReadonlyArray<MonitorKind>>()
for (const kind of Struct.keys(kinds)) {
  for (const field of fieldsOf(kind)) owners.set(field, [...owners.get(field) ?? [], kind])
}

/** Empty values are ignored: a client may send a record back with the empty settings of other kinds. */
const setsSomething = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "" && !(typeof value === "object" && Object.keys(value).length === 0)

const foreignField = (input: MonitorUpdate, kind: MonitorKind): Refusal | null => {
  for (const [field, value] of Object.entries(input)) {
    const own = owners.get(field)
    if (own === undefined || own.includes(kind) || !setsSomething(value)) continue
    return { path: field, message: `${field} is not a setting of ${kind} monitors`, hint: `It applies to ${own.join(", ")}` }
  }
  return null
}

/** The first of a kind's own settings that an input sets to null although it has no empty value, or null. */
const emptiedField = (input: MonitorUpdate, kind: MonitorKind): Refusal | null => {
  for (const [field, setting] of Object.entries<Schema.Schema.AnyNoContext>(kindSchemas[kind].settings)) {
    if (Object.entries(input).some(([name, value]) => name === field && value === null) && !Schema.is(setting)(null)) {
      return { path: field, message: `${field} of ${kind} monitors cannot be null`, hint: "Omit it to keep its value" }
    }
  }
  return null
}

const inferable = Struct.entries(kinds).flatMap(([kind, { inferredFrom }]) =>
  (inferredFrom ?? []).map((fields) => ({ kind, fields }))
)

const inferKind = (input: MonitorUpdate): MonitorKind | null =>
  inferable.find(({ fields }) => fields.every((field) => (input[field] ?? null) !== null))?.kind ?? null

const notInferred: Refusal = {
  path: null,
  message: "Cannot infer monitor kind",
  hint: `Set kind, or ${inferable.map(({ fields, kind }) => `${fields.join(" and ")} for ${kind}`).join(", ")}`
}

const isOf = <Kind extends MonitorKind>(target: Target, kind: Kind): target is TargetOf<Kind> & Target => target.kind === kind

const settleAs = <Kind extends MonitorKind>(
  kind: Kind,
  input: MonitorUpdate,
  base: Target | null
): Either.Either<TargetOf<Kind>, Refusal> => specs[kind].settle(input, base !== null && isOf(base, kind) ? base : null)

/** The longest timeout, ms: no check of a probe takes longer, but a job does. */
const slowestCheck = 120_000

const unreachableLimit = ({ degradedAfterMs }: MonitorUpdate, kind: MonitorKind): Refusal | null =>
  kind === "heartbeat" || (degradedAfterMs ?? 0) <= slowestCheck
    ? null
    : { path: "degradedAfterMs", message: `degradedAfterMs must not exceed ${slowestCheck} for ${kind} monitors` }

/** `base` is null for a new monitor. */
export const settleTarget = (input: MonitorUpdate, base: Target | null): Either.Either<Target, Refusal> => {
  if (input.kind !== undefined && base !== null && input.kind !== base.kind) {
    return Either.left({ path: "kind", message: "The kind of a monitor cannot change", hint: "Create a new monitor" })
  }
  const kind = base?.kind ?? input.kind ?? inferKind(input)
  if (kind === null) return Either.left(notInferred)
  const refused = foreignField(input, kind) ?? emptiedField(input, kind) ?? unreachableLimit(input, kind)
  return refused === null ? settleAs(kind, input, base) : Either.left(refused)
}
