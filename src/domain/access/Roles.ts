/** The permissions of the roles. */
import type { Role, Scope } from "../../../schema/workspace/Workspace.ts"

const ranks = { viewer: 0, member: 1, admin: 2, owner: 3 } as const satisfies Record<Role, number>

export const mayAct = (role: Role, least: Role): boolean => ranks[role] >= ranks[least]

/** Viewers can only read; all other roles can also write. */
export const scopesOf = (role: Role): ReadonlyArray<Scope> => (role === "viewer" ? ["read"] : ["read", "write"])

/**
 * The role of a key. A key with the write scope acts as owner until a human claims the workspace, and as admin after that. A
 * key that a member created never exceeds the member's role. `maker` is that member's current role; null for a workspace key.
 */
export const roleOfKey = (scopes: ReadonlyArray<Scope>, claimed: boolean, maker: Role | null): Role => {
  const role = !scopes.includes("write") ? "viewer" : claimed ? "admin" : "owner"
  return maker === null || mayAct(maker, role) ? role : maker
}
