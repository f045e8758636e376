/** Which operations a caller may call: by its scope, its role, and the list of a delegated key. */
import type { Caller } from "../../../schema/access/Caller.ts"
import { Forbidden } from "../../../schema/Errors.ts"
import type { Role } from "../../../schema/workspace/Workspace.ts"
import { type KnownOperation, makesKeys } from "./KeyGrant.ts"
import { mayAct } from "./Roles.ts"

/** An operation of the interface, as far as access to it goes. */
export interface CallableOperation extends KnownOperation {
  readonly leastRole: Role
}

/** Any key may ask what it is. */
const identifiesKeys = "whoami"

/** A key may always end itself. */
const endsKeys = "revoke_api_key"

const readOnly = new Forbidden({ message: "This API key may read only", hint: "Use a key with the write scope" })

const delegatedCreates = new Forbidden({
  message: "A delegated key creates no keys",
  hint: "Ask the holder of the key that delegated to it"
})

const unlisted = (id: string) =>
  new Forbidden({
    message: `A delegated key calls ${id} only when its operations name it`,
    hint: "Ask the holder of the key that delegated to it"
  })

const viewersLook = new Forbidden({ message: "Viewers may only look", hint: "Ask an admin of the workspace for another role" })

/**
 * What a delegated key without a list of its own may call: what a member may, since people it invited would outlive it.
 * It cannot create keys by repeating its parent's request either: this refusal comes before the replay of an answer.
 */
export const delegableOperations = (known: ReadonlyArray<CallableOperation>): ReadonlySet<string> =>
  new Set(
    known
      .filter(({ id, leastRole }) => id === endsKeys || (id !== makesKeys && mayAct("member", leastRole)))
      .map(({ id }) => id)
  )

/** The only operations that a key may call; null for all. */
export const operationsOfKey = (
  { operations, parentId }: { readonly operations: ReadonlyArray<string> | null; readonly parentId: string | null },
  delegable: ReadonlySet<string>
): ReadonlySet<string> | null => operations !== null ? new Set(operations) : parentId === null ? null : delegable

const listRefusal = (operations: ReadonlySet<string>, id: string, delegable: ReadonlySet<string>): Forbidden | null => {
  if (id === identifiesKeys || operations.has(id)) return null
  if (operations === delegable) return id === makesKeys ? delegatedCreates : unlisted(id)
  return new Forbidden({ message: `This key may not call ${id}`, hint: `It may call ${[...operations].join(", ")}` })
}

const roleRefusal = ({ principal, role }: Caller, { id, leastRole }: CallableOperation): Forbidden | null => {
  if (mayAct(role, leastRole)) return null
  if (principal._tag === "User" && leastRole === "member") return viewersLook
  return new Forbidden({
    message: `${id} needs the role ${leastRole}`,
    hint: principal._tag === "User"
      ? `Yours is ${role}`
      : role === "viewer"
      ? "Use a key with the write scope"
      : "Ask an owner of the workspace"
  })
}

/**
 * Why a caller may not call an operation; null when it may. `delegable` is the one set of `delegableOperations` that the
 * caller's own set came from. A person's role alone says what they may change: viewers too may act on themselves.
 */
export const callRefusal = (
  caller: Caller,
  operation: CallableOperation,
  delegable: ReadonlySet<string>
): Forbidden | null => {
  const { operations, principal, scopes } = caller
  if (operation.scope === "write" && principal._tag === "Key" && !scopes.includes("write")) return readOnly
  const unlistedRefusal = operations === null ? null : listRefusal(operations, operation.id, delegable)
  return unlistedRefusal ?? roleRefusal(caller, operation)
}
