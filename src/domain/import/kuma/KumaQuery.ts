/** The JSON query of an Uptime Kuma monitor as assertions: its JSONata as a JSON path, as far as that can say it. */
import { Either, Option } from "effect"
import { compileJsonPath } from "../../check/answer/json/JsonPath.ts"
import type { Loose } from "../Loose.ts"
import { entryOf } from "../Loose.ts"
import { type Compared, type JsonataQuery, readJsonata } from "./JsonataPath.ts"

const operators: Readonly<Record<string, string>> = {
  "==": "eq",
  "!=": "neq",
  "<": "lt",
  "<=": "lte",
  ">": "gt",
  ">=": "gte",
  contains: "contains"
}

const opposites: Readonly<Record<string, string>> = { eq: "neq", neq: "eq", lt: "gte", lte: "gt", gt: "lte", gte: "lt" }

type Assertions = ReadonlyArray<Loose>

const assertion = (path: string, op: string, value?: string): Loose => ({
  source: "json",
  path: path.replace(/^\$\.(?=\w)/, ""),
  op,
  ...(value === undefined ? {} : { value })
})

/** Uptime Kuma fails if there is no value, whatever the operator. */
const ofValue = (path: string, op: string, value: string): Assertions =>
  op === "neq" ? [assertion(path, "exists"), assertion(path, op, value)] : [assertion(path, op, value)]

/** Whether a count that meets the condition is some or none; null if it depends on the number. */
const presenceOf = (op: string, value: string): string | null => {
  const condition = `${op} ${Number(value)}`
  if (["gt 0", "gte 1", "neq 0"].includes(condition)) return "exists"
  return ["eq 0", "lt 1", "lte 0"].includes(condition) ? "not_exists" : null
}

const ofCount = (path: string, op: string, value: string): Assertions | null => {
  const isSingular = Option.exists(Either.getRight(compileJsonPath(path)), (compiled) => compiled.isSingular)
  if (isSingular) return [assertion(`${path}.length`, op, value)]
  const presence = presenceOf(op, value)
  return presence === null ? null : [assertion(path, presence)]
}

/** The answer to a question that is expected: `== true` is yes, `!= true` no; null for anything else. */
const expectedAnswer = (op: string, value: string): boolean | null =>
  (op === "eq" || op === "neq") && (value === "true" || value === "false") ? (value === "true") === (op === "eq") : null

type OfCall = (path: string, op: string, value: string) => Assertions | null

const ofCall: Readonly<Record<string, OfCall>> = {
  $count: ofCount,
  $length: (path, op, value) => [assertion(`${path}.length`, op, value)],
  $string: ofValue,
  $number: ofValue,
  $exists: (path, op, value) => {
    const answer = expectedAnswer(op, value)
    return answer === null ? null : [assertion(path, answer ? "exists" : "not_exists")]
  }
}

const ofComparison = ({ constant, operator, path }: Compared, isTrue: boolean): Assertions | null => {
  const op = entryOf(operators, operator)
  const own = op === undefined ? undefined : isTrue ? op : opposites[op]
  return own === undefined ? null : [assertion(path, own, constant.text)]
}

const ofQuery = (query: JsonataQuery, op: string, value: string): Assertions | null => {
  if ("path" in query) {
    return query.call === null
      ? ofValue(query.path, op, value)
      : entryOf(ofCall, query.call)?.(query.path, op, value) ?? null
  }
  const answer = expectedAnswer(op, value)
  // That not all are true cannot be said of several.
  if (answer === null || (!answer && query.all.length > 1)) return null
  const all = query.all.map((one) => ofComparison(one, answer))
  return all.every((one) => one !== null) ? all.flat() : null
}

interface Carried {
  readonly assertions: Assertions
  /** The query looks at one of several values; ours at each. */
  readonly takesOne: boolean
}

/** Null if the query cannot be carried. */
export const kumaAssertions = (jsonata: string, operator: string, value: string | null): Carried | null => {
  const op = entryOf(operators, operator)
  const query = readJsonata(jsonata === "" ? "$" : jsonata)
  if (query === null || op === undefined || value === null) return null
  const assertions = ofQuery(query, op, value)
  return assertions === null ? null : { assertions, takesOne: query.takesOne }
}
