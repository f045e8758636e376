/** An assertion: an extra condition on the response to a check. */
import { Schema } from "effect"
import { optional, text } from "../Fields.ts"

export const Severity = Schema.Literal("down", "degraded")
export type Severity = typeof Severity.Type

export const Assertion = Schema.Struct({
  source: Schema.Literal("status", "latency", "header", "body", "json", "ssl_days"),
  path: optional(
    text(300),
    "Header name, or JSON path such as data.items[0].id"
  ),
  op: Schema.Literal(
    "eq",
    "neq",
    "lt",
    "lte",
    "gt",
    "gte",
    "contains",
    "not_contains",
    "matches",
    "exists",
    "not_exists"
  ),
  value: optional(Schema.Union(text(2000), Schema.Number, Schema.Boolean)),
  severity: optional(Severity, "Outcome if it fails; default down")
}).annotations({ identifier: "Assertion" })
export type Assertion = typeof Assertion.Type
