/**
 * The changes of a form that edits a record. A field that is as the form was loaded is not sent: somebody else may have changed it
 * meanwhile. A field that both have changed is refused once, with its value of now.
 */
import { DateTime, Effect, Option, Predicate, Schema } from "effect"
import { createHash } from "node:crypto"
import { canonicalJson } from "../../domain/tools/json/CanonicalJson.ts"
import { allOperations, type Operation } from "../../http/openapi/Operations.ts"
import { namesOf } from "../../http/server/InProcessCall.ts"
import { isOperationId } from "./CallShapes.ts"
import type { DashboardApi } from "./DashboardApi.ts"
import { type Json, treeOf } from "./FormBody.ts"
import { keysOf, lists, mergedRows } from "./ListEdits.ts"
import { Refused } from "./Refused.ts"

/** The values of a record by their digests, because texts may be long, and lists that are sent whole by the keys of their rows. */
const Loaded = Schema.Record({ key: Schema.String, value: Schema.Union(Schema.String, Schema.Array(Schema.String)) })
type Loaded = typeof Loaded.Type
export const LoadedText = Schema.parseJson(Loaded)
const decodeLoaded = Schema.decodeOption(LoadedText)

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

/** The values of a record that the operation takes. */
const takenOf = (operation: Operation, record: object): Entries<unknown> => {
  const values = new Map<string, unknown>(Object.entries(record))
  const taken = namesOf(operation.payload).map((name) => [name, values.get(name)] as const)
  return merging.has(operation.id) ? flat(taken) : taken
}

/** The same as the form keeps them. `before`: what the form was shown with, of which only the `overtaken` fields are replaced. */
export const loadedText = (
  operation: Operation,
  record: object,
  before: string | undefined,
  overtaken: ReadonlyArray<string>
): string => {
  const kept = takenOf(operation, record).map(([name, value]) =>
    [
      name,
      lists[operation.id]?.argument === name && Array.isArray(value) ? keysOf(value) : digestOf(value)
    ] as const
  )
  const known = before === undefined ? null : Option.getOrNull(decodeLoaded(before))
  return JSON.stringify(
    known === null
      ? Object.fromEntries(kept)
      : { ...known, ...Object.fromEntries(kept.filter(([name]) => overtaken.includes(name))) }
  )
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

/** The operation that reads what another one changes; null where none does. */
const readerOf = ({ method, path }: Operation) => {
  const found = method === "PATCH" ? allOperations.find((one) => one.method === "GET" && one.path === path)?.id : undefined
  return found !== undefined && isOperationId(found) ? found : null
}

/** Short texts that people read, not ids. */
const isShown = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= 100 && !/^[a-z]{2,6}_[0-9a-z]{26}$/.test(value)

const overtakenBy = (operation: string, fields: Entries<unknown>): Refused =>
  new Refused({
    operation,
    status: 409,
    code: "conflict",
    message: "This was changed after you opened the form",
    hint: null,
    issues: fields.map(([path, value]) => ({
      path,
      message: isShown(value) ? `It is now “${value}”.` : "Its value is another one now."
    })),
    retryAfterSec: null
  })

/** Fails where a field that the form changes is not as the form was loaded, unless it has the new value already. */
const requireAsLoaded = Effect.fnUntraced(function*(
  api: DashboardApi["Type"],
  changed: Readonly<Record<string, Json>>,
  operation: Operation,
  loaded: Loaded
) {
  const reader = readerOf(operation)
  // An operation that takes what its caller has seen checks it by itself.
  if (reader === null || "since" in changed) return
  const path = new Set(namesOf(operation.pathParams))
  const entries = Object.entries(changed)
  const given = new Map(merging.has(operation.id) ? flat(entries) : entries)
  if ([...given.keys()].every((name) => path.has(name))) return
  const record = yield* api.read(reader, Object.fromEntries(entries.filter(([name]) => path.has(name))))
  if (!Predicate.isRecord(record)) return
  const overtaken = takenOf(operation, record).filter(([name, value]) => {
    const [mine, had] = [given.get(name), loaded[name]]
    return mine !== undefined && typeof had === "string" && ![had, digestOf(mine)].includes(digestOf(value))
  })
  if (overtaken.length > 0) return yield* overtakenBy(operation.id, overtaken)
})

/** The changes of a form. A list that is sent whole is made of the rows that are there now. */
export const makeChanges = (api: DashboardApi["Type"]) =>
  Effect.fnUntraced(function*(given: Readonly<Record<string, Json>>, operation: Operation, loaded: Loaded | undefined) {
    if (loaded === undefined) return given
    const changed = changedIn(given, operation, loaded)
    yield* requireAsLoaded(api, changed, operation, loaded)
    const list = lists[operation.id]
    const [had, rows] = list === undefined ? [] : [loaded[list.argument], changed[list.argument]]
    return list === undefined || !Array.isArray(had) || !Array.isArray(rows)
      ? changed
      : { ...changed, [list.argument]: mergedRows(had, rows, yield* list.read(api, changed)) }
  })
