/**
 * The changes of a form that edits a record. A field that is as the form was loaded is not sent: somebody else may have changed it
 * meanwhile.
 */
import { DateTime, Effect, Predicate, Schema } from "effect"
import { createHash } from "node:crypto"
import { canonicalJson } from "../../domain/tools/json/CanonicalJson.ts"
import type { Operation } from "../../http/openapi/Operations.ts"
import { namesOf } from "../../http/server/InProcessCall.ts"
import type { DashboardApi } from "./DashboardApi.ts"
import { type Json, treeOf } from "./FormBody.ts"
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

/** Operations that merge the fields of an object into those of the record: a form sends the fields that it changes. */
const merging: ReadonlySet<string> = new Set(["update_page"])

type Entries<Value> = ReadonlyArray<readonly [name: string, value: Value]>

const isObject = <Value>(value: Value): value is Value & Readonly<Record<string, Value>> =>
  Predicate.isRecord(value) && !DateTime.isDateTime(value)

/** Values by their paths: `settings.language`. */
const flat = <Value>(entries: Entries<Value>): Entries<Value> =>
  entries.flatMap(([above, value]) =>
    isObject(value)
      ? flat<Value>(Object.entries(value)).map(([name, one]) => [`${above}.${name}`, one] as const)
      : [[above, value] as const]
  )

/** The values of a record that the operation takes, as the form keeps them. */
export const loadedText = (operation: Operation, record: object): string => {
  const values = new Map<string, unknown>(Object.entries(record))
  const taken = namesOf(operation.payload).map((name) => [name, values.get(name)] as const)
  const kept = (merging.has(operation.id) ? flat(taken) : taken).map(([name, value]) => [
    name,
    lists[operation.id]?.argument === name && Array.isArray(value) ? keysOf(value) : digestOf(value)
  ])
  return JSON.stringify(Object.fromEntries(kept))
}

const nothing = digestOf(undefined)

/** The arguments without those that are as the record was. The same form may also be sent to another operation, such as a try. */
const changedIn = (given: Readonly<Record<string, Json>>, { id, method, pathParams }: Operation, loaded: Loaded) => {
  const kept = new Set(namesOf(pathParams))
  const changed = (all: Entries<Json>) =>
    all.filter(([name, value]) => kept.has(name) || (loaded[name] ?? nothing) !== digestOf(value))
  const entries = Object.entries(given)
  return method !== "PATCH"
    ? given
    : merging.has(id)
    ? treeOf(changed(flat(entries)).map(([name, value]) => [name.split("."), value]))
    : Object.fromEntries(changed(entries))
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
