/**
 * The changes of a form that edits a record. A field that is as the form was loaded is not sent: somebody else may have changed it
 * meanwhile.
 */
import { DateTime, Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { canonicalJson } from "../../domain/tools/json/CanonicalJson.ts"
import type { Operation } from "../../http/openapi/Operations.ts"
import { namesOf } from "../../http/server/InProcessCall.ts"
import type { DashboardApi } from "./DashboardApi.ts"
import type { Json } from "./FormBody.ts"
import { keysOf, lists, mergedRows } from "./ListEdits.ts"

/** The values of a record by their digests, because texts may be long, and lists that are sent whole by the keys of their rows. */
const Loaded = Schema.Record({ key: Schema.String, value: Schema.Union(Schema.String, Schema.Array(Schema.String)) })
type Loaded = typeof Loaded.Type
export const LoadedText = Schema.parseJson(Loaded)

/** An emptied field may be null, a list or a map, and a record may leave it out. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" ||
  (typeof value === "object" && !DateTime.isDateTime(value) && Object.keys(value).length === 0)

const digestOf = (value: unknown): string =>
  createHash("sha256").update(isEmpty(value) ? "" : canonicalJson(value)).digest("base64url").slice(0, 12)

/** The values of a record that the operation takes, as the form keeps them. */
export const loadedText = (operation: Operation, record: object): string => {
  const values = new Map(Object.entries(record))
  const kept = (name: string) => {
    const value: unknown = values.get(name)
    return lists[operation.id]?.argument === name && Array.isArray(value) ? keysOf(value) : digestOf(value)
  }
  return JSON.stringify(Object.fromEntries(namesOf(operation.payload).map((name) => [name, kept(name)])))
}

/** The arguments without those that are as the record was. The same form may also be sent to another operation, such as a try. */
const changedIn = (given: Readonly<Record<string, Json>>, { method, pathParams }: Operation, loaded: Loaded) => {
  const kept = new Set(namesOf(pathParams))
  return method === "PATCH"
    ? Object.fromEntries(Object.entries(given).filter(([name, value]) => kept.has(name) || loaded[name] !== digestOf(value)))
    : given
}

/** The changes of a form. A list that is sent whole is made of the rows that are there now. */
export const makeChanges = (api: DashboardApi["Type"]) =>
  Effect.fnUntraced(function*(given: Readonly<Record<string, Json>>, operation: Operation, loaded: Loaded | undefined) {
    if (loaded === undefined) return given
    const changed = changedIn(given, operation, loaded)
    const list = lists[operation.id]
    const [had, rows] = list === undefined ? [] : [loaded[list.argument], changed[list.argument]]
    return list === undefined || !Array.isArray(had) || !Array.isArray(rows)
      ? changed
      : { ...changed, [list.argument]: mergedRows(had, rows, yield* list.read(api, changed)) }
  })
