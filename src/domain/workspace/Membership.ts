/** Who may make whom what in a workspace, and that it never is without an owner. */
import { Conflict, Forbidden } from "../../../schema/Errors.ts"
import type { Role } from "../../../schema/workspace/Workspace.ts"
import { mayAct } from "../access/Roles.ts"

/** A member or an invitation, as far as these rules go. */
export interface Standing {
  readonly role: Role
  readonly status: "active" | "invited"
}

export type MembershipRefusal = Forbidden | Conflict

const onlyOwners = (what: string) =>
  new Forbidden({ message: `Only an owner ${what}`, hint: "Ask an owner of the workspace; GET /api/v1/members lists them" })

const onlyAdmins = new Forbidden({
  message: "Only an admin removes others",
  hint: "Without that role one can remove oneself only"
})

const lastOwner = new Conflict({
  message: "This is the last owner of the workspace",
  hint: "Make another member an owner first, or delete the workspace"
})

const isLastOwner = ({ role, status }: Standing, owners: number) => role === "owner" && status === "active" && owners <= 1

/** Why a caller may not invite somebody as `role`; null when they may. */
export const inviteRefusal = (caller: Role, role: Role): MembershipRefusal | null =>
  role === "owner" && caller !== "owner" ? onlyOwners("makes owners") : null

/** Why a caller may not give `target` the role `to`, where the workspace has so many owners; null when they may. */
export const roleRefusal = (caller: Role, target: Standing, to: Role, owners: number): MembershipRefusal | null => {
  if (caller !== "owner" && to === "owner") return onlyOwners("makes owners")
  if (caller !== "owner" && target.role === "owner") return onlyOwners("changes owners")
  return to !== "owner" && isLastOwner(target, owners) ? lastOwner : null
}

const keepsNoKeys = new Forbidden({
  message: "Whoever leaves takes their API keys along",
  hint: "Have an admin remove you with keys=keep, or leave without it"
})

/** Why a caller may not remove `target`, who may be themselves; null when they may. */
export const removalRefusal = (
  caller: Role,
  target: Standing,
  isSelf: boolean,
  owners: number,
  keepsKeys = false
): MembershipRefusal | null => {
  if (isSelf && keepsKeys) return keepsNoKeys
  if (!isSelf && !mayAct(caller, "admin")) return onlyAdmins
  if (!isSelf && target.role === "owner" && caller !== "owner") return onlyOwners("removes owners")
  return isLastOwner(target, owners) ? lastOwner : null
}
