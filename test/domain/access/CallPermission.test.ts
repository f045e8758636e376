/** Which operations a caller may call. */
import { describe, expect, it } from "@effect/vitest"
import type { Caller, Principal } from "../../../schema/access/Caller.ts"
import { ApiKeyId, SessionId, UserId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Role } from "../../../schema/workspace/Workspace.ts"
import {
  type CallableOperation,
  callRefusal,
  delegableOperations,
  operationsOfKey
} from "../../../src/domain/access/CallPermission.ts"
import { scopesOf } from "../../../src/domain/access/Roles.ts"

const operation = (id: string, scope: "read" | "write", leastRole: Role): CallableOperation => ({ id, scope, leastRole })

const listMonitors = operation("list_monitors", "read", "viewer")
const createMonitor = operation("create_monitor", "write", "member")
const leave = operation("remove_member", "write", "viewer")
const inviteMember = operation("invite_member", "write", "admin")
const createKey = operation("create_api_key", "write", "admin")
const revokeKey = operation("revoke_api_key", "write", "admin")
const whoami = operation("whoami", "read", "viewer")

const delegable = delegableOperations([listMonitors, createMonitor, leave, inviteMember, createKey, revokeKey, whoami])

const key: Principal = { _tag: "Key", keyId: ApiKeyId.make("key_1") }
const user: Principal = { _tag: "User", userId: UserId.make("usr_1"), sessionId: SessionId.make("ses_1") }

const callerOf = (principal: Principal, role: Role, operations: Caller["operations"] = null): Caller => ({
  workspaceId: WorkspaceId.make("ws_1"),
  principal,
  scopes: scopesOf(role),
  role,
  operations
})

const refusal = (caller: Caller, called: CallableOperation) => callRefusal(caller, called, delegable)?.message ?? null

describe("a caller", () => {
  it("with a read-only key may read and change nothing, not even the key itself", () => {
    const caller = callerOf(key, "viewer")
    expect(refusal(caller, listMonitors)).toBeNull()
    expect(refusal(caller, createMonitor)).toBe("This API key is read-only")
    expect(refusal(caller, leave)).toBe("This API key is read-only")
    // A viewer's key shows the scope that it was given.
    expect(callRefusal(caller, createMonitor, delegable)?.hint).toContain("one that a viewer made")
  })

  it("who is a viewer may read, and change what requires only a viewer", () => {
    const caller = callerOf(user, "viewer")
    expect([refusal(caller, listMonitors), refusal(caller, leave)]).toEqual([null, null])
    expect(refusal(caller, createMonitor)).toBe("Viewers have read-only access")
    expect(refusal(caller, inviteMember)).toBe("invite_member requires the admin role")
  })

  it("whose role is sufficient is never rejected", () => {
    for (const principal of [key, user]) {
      for (const called of [listMonitors, createMonitor, inviteMember, createKey]) {
        expect(refusal(callerOf(principal, "admin"), called)).toBeNull()
      }
    }
  })
})

describe("a delegated key", () => {
  const delegated = (operations: ReadonlyArray<string> | null) =>
    callerOf(key, "admin", operationsOfKey({ operations, parentId: "key_0", clientId: null }, delegable))

  it("without a list may call what a member may, and revoke itself", () => {
    const caller = delegated(null)
    for (const called of [listMonitors, createMonitor, revokeKey, whoami]) expect(refusal(caller, called)).toBeNull()
    expect(refusal(caller, inviteMember)).toBe(
      "Delegated keys can call invite_member only if their operations include it, and connected apps never can"
    )
    expect(refusal(caller, createKey)).toBe("Delegated keys and connected apps cannot create keys")
  })

  it("with a list may call the listed operations and whoami", () => {
    const caller = delegated(["list_monitors"])
    expect([refusal(caller, listMonitors), refusal(caller, whoami)]).toEqual([null, null])
    expect(refusal(caller, createMonitor)).toBe("This key cannot call create_monitor")
  })

  it("has a parent: a key with full permissions has no list", () => {
    expect(operationsOfKey({ operations: null, parentId: null, clientId: null }, delegable)).toBeNull()
  })
})
