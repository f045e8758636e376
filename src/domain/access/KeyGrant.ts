/** The permissions of a new API key: those of the input; never longer than the key that asks, and a delegated key's never more. */
import { DateTime, Either } from "effect"
import type { ApiKeyInput } from "../../../schema/access/ApiKey.ts"
import type { ApiKeyId } from "../../../schema/Ids.ts"
import type { Scope } from "../../../schema/workspace/Workspace.ts"
import { mostRefusals, type Refusal } from "../Refusal.ts"
import { suggestion } from "../tools/text/Nearest.ts"
import { earliest } from "../tools/time/Earliest.ts"

export type Grantor = Omit<KeyGrant, "createdAt" | "parentId"> & { readonly id: ApiKeyId }

/** The fields of an operation that key grants need. */
export interface KnownOperation {
  readonly id: string
  readonly scope: Scope | "public"
}

export interface KeyGrant {
  readonly createdAt: DateTime.Utc
  readonly scopes: ReadonlyArray<Scope>
  /** Null for all. */
  readonly operations: ReadonlyArray<string> | null
  readonly expiresAt: DateTime.Utc | null
  readonly parentId: ApiKeyId | null
}

/** Delegated keys cannot call this operation, so a chain of keys has at most two links. */
export const makesKeys = "create_api_key"

const operationRefusal = (
  id: string,
  known: ReadonlyArray<KnownOperation>,
  scopes: ReadonlyArray<Scope>,
  grantor: Grantor | null,
  delegated: boolean
): string | null => {
  const operation = known.find((one) => one.id === id)
  if (operation === undefined) return `Unknown operation ${id}${suggestion(id, known.map((one) => one.id))}`
  if (delegated && id === makesKeys) return "Delegated keys cannot create keys"
  if (grantor !== null && grantor.operations !== null && !grantor.operations.includes(id)) {
    return `The calling key cannot call ${id}`
  }
  return operation.scope === "write" && !scopes.includes("write") ? `${id} requires the write scope` : null
}

const operationRefusals = (ids: ReadonlyArray<string>, refusalOf: (id: string) => string | null): ReadonlyArray<Refusal> => {
  const found: Array<Refusal> = []
  for (const [index, id] of ids.entries()) {
    if (found.length >= mostRefusals) break
    const message = refusalOf(id)
    if (message !== null) found.push({ path: `operations.${index}`, message })
  }
  return found
}

/** `write` always includes `read`. */
const whole = (scopes: ReadonlyArray<Scope>): ReadonlyArray<Scope> => (scopes.includes("write") ? ["read", "write"] : ["read"])

/** The least scopes that these operations need. */
const needed = (operations: ReadonlyArray<string>, known: ReadonlyArray<KnownOperation>): ReadonlyArray<Scope> =>
  whole(known.some(({ id, scope }) => scope === "write" && operations.includes(id)) ? ["write"] : ["read"])

const endOf = ({ expiresInDays, expiresInMinutes }: ApiKeyInput, now: DateTime.Utc): DateTime.Utc | null =>
  expiresInMinutes !== undefined
    ? DateTime.addDuration(now, `${expiresInMinutes} minutes`)
    : expiresInDays !== undefined
    ? DateTime.addDuration(now, `${expiresInDays} days`)
    : null

/**
 * The key that `input` requests, or why it is refused. `grantor` is the calling key; null for a person, whose keys have no
 * parent. A key with a list of operations can create only delegated keys and so cannot extend its own rights. No key makes one that
 * outlives it: it was given for that time.
 */
export const grantKey = (
  input: ApiKeyInput,
  grantor: Grantor | null,
  known: ReadonlyArray<KnownOperation>,
  now: DateTime.Utc
): Either.Either<KeyGrant, ReadonlyArray<Refusal>> => {
  const delegated = grantor !== null &&
    (input.operations !== undefined || input.expiresInMinutes !== undefined || grantor.operations !== null)
  const inherited = grantor?.operations?.filter((id) => id !== makesKeys) ?? null
  const operations = input.operations === undefined ? inherited : [...new Set(input.operations)]
  const asked = input.scopes ?? (operations === null ? grantor?.scopes ?? ["write"] : needed(operations, known))
  const scopes = whole(asked)
  const expiresAt = endOf(input, now)
  const refusals: ReadonlyArray<Refusal> = [
    ...(input.expiresInDays !== undefined && input.expiresInMinutes !== undefined
      ? [{ path: "expiresInMinutes", message: "Give expiresInDays or expiresInMinutes, not both" }]
      : []),
    ...(delegated && expiresAt === null
      ? [{ path: "expiresInMinutes", message: "Delegated keys require expiresInMinutes or expiresInDays" }]
      : []),
    ...(grantor !== null && scopes.some((scope) => !whole(grantor.scopes).includes(scope))
      ? [{ path: "scopes", message: "The calling key does not have the write scope" }]
      : []),
    ...operationRefusals(input.operations ?? [], (id) => operationRefusal(id, known, scopes, grantor, delegated))
  ]
  return refusals.length > 0 ? Either.left(refusals) : Either.right({
    createdAt: now,
    scopes,
    operations,
    expiresAt: earliest([expiresAt, grantor?.expiresAt ?? null]),
    parentId: delegated ? grantor.id : null
  })
}
