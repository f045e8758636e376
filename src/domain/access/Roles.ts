/** What the members of a workspace may do. */
import type { Role, Scope } from "../../../schema/workspace/Workspace.ts"

const ranks = { viewer: 0, member: 1, admin: 2, owner: 3 } as const satisfies Record<Role, number>

/** Whether a role may do what needs `least`. */
export const mayAct = (role: Role, least: Role): boolean => ranks[role] >= ranks[least]

/** Viewers look; everybody else may also change things. */
export const scopesOf = (role: Role): ReadonlyArray<Scope> => (role === "viewer" ? ["read"] : ["read", "write"])

/**
 * A key stands for the agent that runs the workspace: for its owner as long as no human has claimed it, for an admin after.
 * One that a member made never may more than they: `maker` is their role now, null for a key of the workspace itself.
 */
export const roleOfKey = (scopes: ReadonlyArray<Scope>, claimed: boolean, maker: Role | null): Role => {
  const role = !scopes.includes("write") ? "viewer" : claimed ? "admin" : "owner"
  return maker === null || mayAct(maker, role) ? role : maker
}
