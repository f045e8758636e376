/**
 * What a form that edits a record changes. A field that is as the form was loaded is not sent: somebody else may have changed it
 * meanwhile.
 */
import { DateTime, Predicate, Schema } from "effect"
import { createHash } from "node:crypto"
import type { Operation } from "../../http/openapi/Operations.ts"
import { namesOf } from "../../http/server/InProcessCall.ts"
import type { Json } from "./FormBody.ts"

/** The values of a record by their digests: texts may be long. */
const Digests = Schema.Record({ key: Schema.String, value: Schema.String })
export const DigestsText = Schema.parseJson(Digests)

/** JSON with the members of objects in one order. */
const canonical = (value: unknown): string =>
  JSON.stringify(
    value,
    (_, inner: unknown) =>
      Predicate.isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner
  )

/** An emptied field may be null, a list or a map, and a record may leave it out. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" ||
  (typeof value === "object" && !DateTime.isDateTime(value) && Object.keys(value).length === 0)

const digestOf = (value: unknown): string =>
  createHash("sha256").update(isEmpty(value) ? "" : canonical(value)).digest("base64url").slice(0, 12)

/** The values of a record that the operation takes, as the form keeps them. */
export const digestsOf = (operation: Operation, record: object): string => {
  const values = new Map(Object.entries(record))
  return JSON.stringify(Object.fromEntries(namesOf(operation.payload).map((name) => [name, digestOf(values.get(name))])))
}

/** The arguments without those that are as the record was. */
export const changedIn = (
  given: Readonly<Record<string, Json>>,
  { method, pathParams }: Operation,
  loaded: typeof Digests.Type | undefined
): Readonly<Record<string, Json>> => {
  // The same form may be sent to another operation, such as a try.
  if (loaded === undefined || method !== "PATCH") return given
  const kept = new Set(namesOf(pathParams))
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => kept.has(name) || loaded[name] !== digestOf(value))
  )
}
