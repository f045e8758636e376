/** The assertions of an API monitor of UptimeRobot as ours. */
import type { Notes } from "../Carry.ts"
import { type Loose, recordsOf, textAt } from "../Loose.ts"

const operators: Readonly<Record<string, string>> = {
  equals: "eq",
  not_equals: "neq",
  contains: "contains",
  not_contains: "not_contains",
  greater_than: "gt",
  less_than: "lt",
  greater_than_or_equal: "gte",
  less_than_or_equal: "lte",
  is_null: "not_exists",
  is_not_null: "exists",
  exists: "exists",
  not_exists: "not_exists"
}

/** Without the leading `$.` of a JSON path. */
const pathOf = (property: string): string => property.replace(/^\$\.?/, "")

const isValue = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** Unknown assertions become notes. Ours must all hold, so a list of alternatives is carried only when it has one entry. */
export const robotAssertions = (notes: Notes, assertions: Loose): ReadonlyArray<Loose> | null => {
  const checks = recordsOf(assertions["checks"])
  const logic = textAt(assertions, "logic")?.toUpperCase() ?? "AND"
  if (logic === "OR" && checks.length > 1) {
    notes.say("Its assertions are alternatives (OR) and are not carried: ours must all hold")
    return null
  }
  const carried = checks.slice(0, 30).flatMap((check) => {
    const property = textAt(check, "property", "path")
    const comparison = textAt(check, "comparison", "operator") ?? ""
    const op = operators[comparison.toLowerCase()]
    if (property === null || op === undefined) {
      notes.say(`The assertion "${property ?? ""} ${comparison}" is not carried`)
      return []
    }
    const value = check["target"] ?? check["value"]
    return [{ source: "json", path: pathOf(property), op, ...(isValue(value) ? { value } : {}) }]
  })
  if (checks.length > 30) notes.say(`Of ${checks.length} assertions 30 are carried`)
  return carried.length === 0 ? null : carried
}
