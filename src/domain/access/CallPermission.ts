/** The operations that a caller may call, by its scopes, its role, and a delegated key's list of operations. */
import type { Caller } from "../../../schema/access/Caller.ts"
import { Forbidden } from "../../../schema/Errors.ts"
import type { Role } from "../../../schema/workspace/Workspace.ts"
import { type KnownOperation, makesKeys } from "./KeyGrant.ts"
import { mayAct } from "./Roles.ts"

/** The fields of an operation that access control needs. */
export interface CallableOperation extends KnownOperation {
  readonly leastRole: Role
}

const identifiesKeys = "whoami"

/** Delegated keys may call this operation, because every key may revoke itself. */
const endsKeys = "revoke_api_key"

const delegatedRefusal = (id: string) =>
  new Forbidden({
    message: id === makesKeys
      ? "Delegated keys and connected apps cannot create keys"
      : `Delegated keys can call ${id} only if their operations include it, and connected apps never can`,
    hint: "Use a key that nobody delegated, or have a person do it in the dashboard"
  })

const viewersReadOnly = new Forbidden({
  message: "Viewers have read-only access",
  hint: "Ask a workspace admin for another role"
})

/**
 * The operations open to a delegated key without its own list: a member's, because people it invited would outlive the key.
 * Replaying its parent's request does not create keys either: this check runs before an idempotent answer is replayed.
 */
export const delegableOperations = (known: ReadonlyArray<CallableOperation>): ReadonlySet<string> =>
  new Set(
    known
      .filter(({ id, leastRole }) => id === endsKeys || (id !== makesKeys && mayAct("member", leastRole)))
      .map(({ id }) => id)
  )

/** The fields that say whether a key was delegated: by another key, or by a person to an app over OAuth. */
interface Delegation {
  readonly parentId: string | null
  readonly clientId: string | null
}

export const isDelegated = ({ clientId, parentId }: Delegation): boolean => parentId !== null || clientId !== null

export const operationsOfKey = (
  { operations, ...key }: Delegation & { readonly operations: ReadonlyArray<string> | null },
  delegable: ReadonlySet<string>
): ReadonlySet<string> | null => operations !== null ? new Set(operations) : isDelegated(key) ? delegable : null

/** Whether a key's list of operations, if it has one, lets it call this one: every key may ask what it is. */
export const isListed = (operations: ReadonlySet<string> | null, id: string): boolean =>
  operations === null || id === identifiesKeys || operations.has(id)

const listRefusal = (operations: ReadonlySet<string>, id: string, delegable: ReadonlySet<string>): Forbidden | null => {
  if (isListed(operations, id)) return null
  if (operations === delegable) return delegatedRefusal(id)
  return new Forbidden({ message: `This key cannot call ${id}`, hint: `It can call ${[...operations].join(", ")}` })
}

const roleRefusal = ({ principal, role }: Caller, { id, leastRole }: CallableOperation): Forbidden | null => {
  if (mayAct(role, leastRole)) return null
  if (principal._tag === "User" && leastRole === "member") return viewersReadOnly
  return new Forbidden({
    message: `${id} requires the ${leastRole} role`,
    hint: principal._tag === "User"
      ? `Your role is ${role}; ask a workspace owner to change it`
      : role === "viewer"
      ? "Use a key with the write scope"
      : "Ask a workspace owner"
  })
}

/**
 * Why a caller may not call an operation; null if it may. `delegable` must be the same set that `operationsOfKey` received for
 * this caller. For a person only the role counts, not the scope: viewers may still change their own membership.
 */
export const callRefusal = (caller: Caller, operation: CallableOperation, delegable: ReadonlySet<string>): Forbidden | null => {
  const { operations, principal, scopes } = caller
  if (operation.scope === "write" && principal._tag === "Key" && !scopes.includes("write")) {
    return new Forbidden({
      message: "This API key is read-only",
      hint: "Use a key with the write scope; one that a viewer made, or an app that a viewer connected, only reads"
    })
  }
  const unlistedRefusal = operations === null ? null : listRefusal(operations, operation.id, delegable)
  return unlistedRefusal ?? roleRefusal(caller, operation)
}
