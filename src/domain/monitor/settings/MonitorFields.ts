/** Which settings belong to which kind of monitor. Others are refused, because they would silently have no effect. */
import { Schema, Struct } from "effect"
import { kindSchemas } from "../../../../schema/monitor/kinds.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"
import type { Refusal } from "../../Refusal.ts"
import { fieldsOf, kinds } from "../kinds.ts"

/** The kinds that have a setting, for settings that not every kind has. */
const owners = new Map<string, ReadonlyArray<MonitorKind>>()
for (const kind of Struct.keys(kinds)) {
  for (const field of fieldsOf(kind)) owners.set(field, [...owners.get(field) ?? [], kind])
}

/** Empty values are ignored: a client may send a record back with the empty settings of other kinds. */
const setsSomething = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "" && !(typeof value === "object" && Object.keys(value).length === 0)

/** The first setting that monitors of this kind do not have, or null. */
export const foreignField = (input: MonitorUpdate, kind: MonitorKind): Refusal | null => {
  for (const [field, value] of Object.entries(input)) {
    const own = owners.get(field)
    if (own === undefined || own.includes(kind) || !setsSomething(value)) continue
    return { path: field, message: `${field} is not a setting of ${kind} monitors`, hint: `It applies to ${own.join(", ")}` }
  }
  return null
}

/** The first of a kind's own settings that an input sets to null although it has no empty value, or null. */
export const emptiedField = (input: MonitorUpdate, kind: MonitorKind): Refusal | null => {
  for (const [field, setting] of Object.entries<Schema.Schema.AnyNoContext>(kindSchemas[kind].settings)) {
    if (Object.entries(input).some(([name, value]) => name === field && value === null) && !Schema.is(setting)(null)) {
      return { path: field, message: `${field} of ${kind} monitors cannot be null`, hint: "Omit it to keep its value" }
    }
  }
  return null
}
